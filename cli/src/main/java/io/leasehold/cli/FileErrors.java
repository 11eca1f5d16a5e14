// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** What is wrong with a file, for people. */
final class FileErrors {

    private FileErrors() {}

    /** Where the file has been named already. */
    static String words(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "there is no such file";
        } else if (e instanceof AccessDeniedException) {
            return "access is denied";
        } else if (e instanceof CharacterCodingException) {
            return "it is no text in UTF-8";
        }
        String reason = e instanceof FileSystemException file ? file.getReason() : e.getMessage();
        return reason == null ? e.getClass().getSimpleName() : reason;
    }

    /** The same with the name of the file. */
    static String named(IOException e) {
        return e instanceof FileSystemException file && file.getFile() != null
                ? file.getFile() + ": " + words(e)
                : words(e);
    }
}
