// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What the command line asks for.
 *
 * @param suites what to measure, all unless named
 * @param quick whether a first look will do
 * @param json where to write the results for programs
 * @param disk where suites that need a disk write
 */
record Arguments(Set<Suite> suites, boolean quick, Optional<Path> json, Optional<Path> disk) {

    /** Reads the command line; the message of the exception is for people. */
    static Arguments parse(List<String> words) {
        Set<Suite> suites = EnumSet.noneOf(Suite.class);
        boolean quick = false;
        Optional<Path> json = Optional.empty();
        Optional<Path> disk = Optional.empty();
        Deque<String> left = new ArrayDeque<>(words);
        while (!left.isEmpty()) {
            String word = left.removeFirst();
            if (word.equals("--quick")) {
                quick = true;
            } else if (word.equals("--json")) {
                json = Optional.of(path(left, "--json needs the name of a file"));
            } else if (word.equals("--disk")) {
                disk = Optional.of(path(left, "--disk needs the name of a directory"));
            } else if (word.startsWith("-")) {
                throw new IllegalArgumentException("there is no option '" + word + "'");
            } else {
                suites.add(Suite.named(word));
            }
        }
        Set<Suite> chosen = suites.isEmpty() ? EnumSet.allOf(Suite.class) : suites;
        return new Arguments(chosen, quick, json, disk);
    }

    private static Path path(Deque<String> left, String complaint) {
        if (left.isEmpty()) {
            throw new IllegalArgumentException(complaint);
        }
        return Path.of(left.removeFirst());
    }

    Effort effort() {
        Effort effort = quick ? Effort.quick() : Effort.full();
        return disk.map(effort::withDisk).orElse(effort);
    }
}
