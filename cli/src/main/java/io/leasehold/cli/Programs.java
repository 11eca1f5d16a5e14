// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Small programs of the system that do what Java can't. */
final class Programs {

    private static final long PATIENCE_SECONDS = 5;

    private Programs() {}

    /** The path of a program that is on PATH. */
    static Optional<String> find(String name) {
        String path = System.getenv().getOrDefault("PATH", "/usr/bin:/bin");
        for (String directory : path.split(File.pathSeparator, -1)) {
            Path file = Path.of(directory, name);
            if (!directory.isEmpty() && Files.isExecutable(file)) {
                return Optional.of(file.toString());
            }
        }
        return Optional.empty();
    }

    /** Sends a signal to a process, or to the group of a negative number; false if there is none. */
    static boolean kill(String signal, long target) {
        List<String> line = List.of(
                "/bin/sh", "-c", "kill -s \"$1\" -- \"$2\"", "sh", signal, Long.toString(target));
        try {
            Process kill = new ProcessBuilder(line)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return kill.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) && kill.exitValue() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
