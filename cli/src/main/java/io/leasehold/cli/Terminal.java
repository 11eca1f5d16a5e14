// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.json.Printable;

import java.io.Console;
import java.util.Locale;

/** Whom to ask before something is changed. */
interface Terminal {

    /** Whether somebody is there and says yes. */
    boolean isAgreed(String question);

    /** The terminal that the program runs on; nobody agrees if there is none. */
    @SuppressWarnings("SystemConsoleNull") // the program asks for a console that may be missing
    static Terminal system() {
        return question -> {
            Console console = System.console();
            if (console == null) {
                return false;
            }
            String answer = console.readLine("%s [y/N] ", Printable.text(question));
            return answer != null && answer.strip().toLowerCase(Locale.ROOT).matches("y|yes");
        };
    }
}
