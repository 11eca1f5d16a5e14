// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** What is wrong with a file, for people. */
final class FileErrors {

    private FileErrors() {}

    static String words(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "there is no such file";
        }
        return e instanceof AccessDeniedException ? "access is denied" : e.toString();
    }
}
