// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.ClockBounds;
import io.leasehold.LeaseholdOptions;
import io.leasehold.listener.LeaseholdListener;
import io.leasehold.model.Holder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** How the command introduces itself, and how patient it is. */
final class ThisCommand {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration CLOSE_GRACE = Duration.ofSeconds(10);
    private static final int MAX_LENGTH = 60;

    private ThisCommand() {}

    static LeaseholdOptions options() {
        return new LeaseholdOptions(
                holder(),
                ClockBounds.defaults(),
                PATIENCE,
                false,
                CLOSE_GRACE,
                Optional.empty(),
                Optional.empty(),
                LeaseholdListener.none());
    }

    /** Such as {@code deploy@web-3/4711}. No name is looked up for it: that may take seconds. */
    static Holder holder() {
        return new Holder(holderOfAScript() + "/" + ProcessHandle.current().pid());
    }

    /** The same without a process: several commands of a script may use one lease. */
    static Holder holderOfAScript() {
        return new Holder(clean(System.getProperty("user.name", "user")) + "@" + clean(host()));
    }

    private static String host() {
        String name = System.getenv("HOSTNAME");
        if (name != null && !name.isBlank()) {
            return name;
        }
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException e) {
            return "localhost"; // a label for people: better a vague one than none
        }
    }

    private static String clean(String text) {
        StringBuilder clean = new StringBuilder();
        for (int i = 0; i < text.length() && i < MAX_LENGTH; i++) {
            char c = text.charAt(i);
            clean.append(c > ' ' && c < 0x7f ? c : '?');
        }
        return clean.toString();
    }
}
