// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import java.nio.file.Path;

/** The files beside a guarded one. */
final class Siblings {

    private Siblings() {}

    /** The path with its directory, so that there is one to force. */
    static Path absolute(Path file) {
        Path absolute = file.toAbsolutePath().normalize();
        if (absolute.getParent() == null) {
            throw new IllegalArgumentException(file + " is a directory, not a file");
        }
        return absolute;
    }

    static Path directory(Path file) {
        return file.resolveSibling("").toAbsolutePath();
    }

    /** What is locked around each change. */
    static Path lock(Path file) {
        return named(file, ".lock");
    }

    /** What is written before it takes the file's place. */
    static Path temporary(Path file) {
        return named(file, ".tmp");
    }

    /** The marks of a file whose bytes are just the bytes. */
    static Path marks(Path file) {
        return named(file, ".marks");
    }

    private static Path named(Path file, String ending) {
        return file.resolveSibling(file.getFileName() + ending);
    }
}
