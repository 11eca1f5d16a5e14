// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A directory to write to, gone when it is closed.
 *
 * @param path where it is
 */
record Scratch(Path path) implements AutoCloseable {

    /** A new one under the given directory, which is made if it is missing. */
    static Scratch under(Path parent) {
        try {
            return new Scratch(Files.createTempDirectory(Files.createDirectories(parent), "run-"));
        } catch (IOException e) {
            throw new UncheckedIOException("can't write to " + parent, e);
        }
    }

    Path file(String name) {
        return path.resolve(name);
    }

    /** The files in one of its directories. */
    static List<Path> files(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try (Stream<Path> all = Files.walk(path)) {
            for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("can't delete " + path, e);
        }
    }
}
