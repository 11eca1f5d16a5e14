// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures what it is told to and prints one table. */
public final class Main {

    private static final int USAGE = 64;

    private Main() {}

    public static void main(String[] words) {
        Arguments arguments;
        try {
            arguments = Arguments.parse(List.of(words));
        } catch (IllegalArgumentException e) {
            System.err.println("benchmarks: " + e.getMessage() + " (see benchmarks/run --help)");
            System.exit(USAGE);
            return;
        }
        Report report = measure(arguments.suites(), arguments.effort(), System.err);
        System.out.print(report.table());
        arguments.json().ifPresent(file -> write(file, Json.of(report)));
    }

    static Report measure(Collection<Suite> suites, Effort effort, PrintStream progress) {
        Map<String, String> machine = new LinkedHashMap<>(Machine.facts());
        List<Row> rows = new ArrayList<>();
        for (Suite suite : suites) {
            rows.addAll(suite.run(effort, progress));
        }
        machine.put("load at the end", Machine.load());
        return new Report(machine, rows);
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException("can't write " + file, e);
        }
    }
}
