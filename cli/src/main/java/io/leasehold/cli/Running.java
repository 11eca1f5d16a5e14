// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Option;

/** The options that say how a command is run. */
final class Running {

    @Option(
            names = "--grace",
            paramLabel = "TIME",
            defaultValue = "10s",
            converter = DurationConverter.class,
            description = "After a loss, how long between TERM and KILL. Default: 10s")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Duration grace;

    @Option(
            names = "--foreground",
            description = "Leave the command in the terminal's session, for programs that people"
                    + " type into. By default it gets a session and process group of its own.")
    private boolean foreground;

    Supervisor supervisor() {
        return new Supervisor(grace);
    }

    Child start(List<String> command, FencingToken token, List<Scope> scopes) throws IOException {
        Watchdog watchdog = Watchdog.start(grace);
        try {
            return Child.start(command, token, scopes, !foreground, watchdog);
        } catch (IOException e) {
            watchdog.dismiss();
            throw e;
        }
    }

    String explain(List<String> command, IOException e) {
        return "can't run '" + command.get(0) + "': "
                + (code(e) == ExitCodes.NOT_FOUND
                        ? "there is no such command"
                        : "it is not executable");
    }

    /** As shells have it. */
    static int code(IOException e) {
        return String.valueOf(e.getMessage()).contains("error=2,")
                ? ExitCodes.NOT_FOUND
                : ExitCodes.CANNOT_RUN;
    }

    /** Looks for the command before a lock is taken for it: nothing if it can't be judged. */
    static boolean isMissing(String command) {
        return command.contains("/")
                ? !Files.exists(Path.of(command))
                : Programs.find(command).isEmpty();
    }
}
