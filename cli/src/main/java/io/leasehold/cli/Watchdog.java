// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A process that stops a command if this process dies without having done so itself: killed, out of
 * memory, crashed. It reads from a pipe whose other end is only here, so that the end of its input
 * is our death, however we died. No system call for this (such as Linux's parent-death signal) can
 * be made from Java, nor would it reach the command's own children.
 */
final class Watchdog {

    private final Optional<Process> shell;

    private Watchdog(Optional<Process> shell) {
        this.shell = shell;
    }

    /** Starts one, before the command. Without a shell on this system it does nothing. */
    static Watchdog start(Duration grace) {
        List<String> line = new ArrayList<>();
        // out of reach of what is sent to our group
        Programs.find("setsid").ifPresent(line::add);
        line.addAll(List.of("/bin/sh", "-c", script(), "leasehold-watchdog", seconds(grace)));
        try {
            return new Watchdog(Optional.of(new ProcessBuilder(line)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start()));
        } catch (IOException e) {
            log("commands can't be watched over here", e);
            return new Watchdog(Optional.empty());
        }
    }

    private static String script() {
        try (InputStream script = Watchdog.class.getResourceAsStream("watchdog.sh")) {
            if (script == null) {
                throw new IllegalStateException("watchdog.sh is missing");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("watchdog.sh can't be read", e);
        }
    }

    /** Rounded up. */
    private static String seconds(Duration grace) {
        return Long.toString(grace.plusNanos(999_999_999).toSeconds());
    }

    /** From now on this process, or the group of a negative number, is stopped if we die. */
    void watch(long target) {
        write(target + "\n");
    }

    /** Nothing is to be stopped any more. */
    void dismiss() {
        write("\n");
        shell.ifPresent(process -> {
            try {
                process.getOutputStream().close();
            } catch (IOException e) {
                log("the watchdog is gone", e);
            }
        });
    }

    private void write(String line) {
        shell.ifPresent(process -> {
            try {
                OutputStream input = process.getOutputStream();
                input.write(line.getBytes(StandardCharsets.US_ASCII));
                input.flush();
            } catch (IOException e) {
                log("the watchdog is gone", e);
            }
        });
    }

    private static void log(String message, IOException e) {
        System.getLogger(Watchdog.class.getName()).log(System.Logger.Level.DEBUG, message, e);
    }
}
