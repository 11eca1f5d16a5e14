// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * Refuses arguments whose bytes are no text in the character set of the locale. The virtual machine
 * puts the same character in place of each such byte: different names would become one lock, one
 * name would be different locks in different locales, and a command would get other arguments.
 */
final class ReadableArguments {

    /** What stands in place of bytes that are no text. */
    static final char REPLACEMENT = '\ufffd';

    private ReadableArguments() {}

    /** Fails if one of the arguments, which also counts if it belongs to a command, is no text. */
    static void check(CommandLine command, String... args) {
        for (int i = 0; i < args.length; i++) {
            if (args[i].indexOf(REPLACEMENT) >= 0) {
                throw new ParameterException(
                        command,
                        "argument " + (i + 1) + " is no text in this locale's character set "
                                + System.getProperty("native.encoding", "")
                                + "; set LC_ALL to the locale it was written in, such as C.UTF-8");
            }
        }
    }
}
