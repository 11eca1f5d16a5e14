// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** One statement in a file beside this class; its header says what it does. */
final class SqlFile {

    private SqlFile() {}

    /** The statement without its comments, on one line, with {@code ${name}} filled in. */
    static String load(String file, Map<String, String> names) {
        String sql = read(file)
                .lines()
                .filter(line -> !line.startsWith("--"))
                .map(String::strip)
                .collect(joining(" "));
        for (Map.Entry<String, String> name : names.entrySet()) {
            sql = sql.replace("${" + name.getKey() + "}", name.getValue());
        }
        return sql;
    }

    private static String read(String file) {
        try (InputStream in = SqlFile.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException(file + " is missing from the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(file + " can't be read", e);
        }
    }
}
