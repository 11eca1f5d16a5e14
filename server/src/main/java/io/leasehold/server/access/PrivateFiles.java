// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Makes files that only their owner may read. */
interface PrivateFiles {

    PrivateFiles SYSTEM = PrivateFiles::createNew;

    /** Makes an empty file; what was there by this name is gone. */
    void create(Path file) throws IOException;

    private static void createNew(Path file) throws IOException {
        Files.deleteIfExists(file);
        if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
            Files.createFile(
                    file,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
        } else {
            Files.createFile(file);
        }
    }
}
