// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Tells files apart, whatever they are called: device and inode where the system has them, else the
 * real path. While a file is open, no other file has its key.
 */
final class FileKeys {

    private FileKeys() {}

    /**
     * The key of the file that the name stands for now.
     *
     * @throws NoSuchFileException if there is none
     */
    static String of(Path file) throws IOException {
        Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        return key == null ? "path " + file.toRealPath() : "file " + key;
    }

    /** Whether the name stands for the file of this key now. */
    static boolean isNow(String key, Path file) throws IOException {
        try {
            return of(file).equals(key);
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** A key for a name in a directory, whether or not there is a file. */
    static String ofName(Path file) throws IOException {
        Path absolute = file.toAbsolutePath().normalize();
        Path directory = absolute.getParent();
        return directory == null
                ? "name " + absolute
                : "name " + absolute.getFileName() + " in " + of(directory);
    }
}
