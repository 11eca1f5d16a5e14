// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Temporary directories that only their owner may enter. */
final class Directories {

    private Directories() {}

    /** A new one, of a name that no other process has. */
    static Path create(String prefix) {
        try {
            return Files.createTempDirectory(prefix);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Deletes what can be deleted of the directory and all below it. */
    static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        } catch (IOException | UncheckedIOException e) {
            // It was deleted by another, wholly or while we looked; the rest is the system's to
            // clean.
        }
    }
}
