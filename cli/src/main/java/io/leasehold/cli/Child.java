// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A command that runs on behalf of ours, with our terminal and files, and all that it starts in
 * turn.
 *
 * <p>Java can't make process groups. So the command is started through {@code setsid} where there
 * is one: it keeps the process id and makes it the id of a group (and session) that the command's
 * own children are born into, wherever they move in the tree of processes. Without it, those that
 * can be seen in the tree are signalled one by one. A {@link Watchdog} stops the command should this
 * process die.
 */
final class Child {

    private final Process process;
    private final Family family;
    private final Watchdog watchdog;

    private Child(Process process, Family family, Watchdog watchdog) {
        this.process = process;
        this.family = family;
        this.watchdog = watchdog;
    }

    /**
     * Starts the command.
     *
     * @param ownGroup in a process group of its own, if the system can
     * @param watchdog told of the command, and dismissed once it is over
     * @throws IOException if it can't be started
     */
    static Child start(
            List<String> command,
            FencingToken token,
            List<Scope> scopes,
            boolean ownGroup,
            Watchdog watchdog)
            throws IOException {
        Optional<String> setsid = ownGroup ? Programs.find("setsid") : Optional.empty();
        List<String> line = new ArrayList<>();
        setsid.ifPresent(line::add);
        line.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(line).inheritIO();
        builder.environment().put("LEASEHOLD_TOKEN", token.toString());
        builder.environment().put("LEASEHOLD_SCOPE", text(scopes));
        // a lease id that this process may have is not the command's business
        builder.environment().remove(LeaseFile.ID_VARIABLE);
        Process process = builder.start();
        watchdog.watch(setsid.isPresent() ? -process.pid() : process.pid());
        return new Child(
                process,
                setsid.isPresent() ? new Family.Group(process) : new Family.Tree(process),
                watchdog);
    }

    /** Several scopes are one a line: a space may be part of one. */
    private static String text(List<Scope> scopes) {
        StringBuilder text = new StringBuilder();
        for (Scope scope : scopes) {
            text.append(text.length() == 0 ? "" : "\n").append(scope);
        }
        return text.toString();
    }

    /** The exit code, as a shell would tell it, once the command has ended. */
    CompletableFuture<Integer> exit() {
        return process.onExit().thenApply(Process::exitValue);
    }

    /** Sends a signal to the command and all it has started. */
    void signal(String name) {
        family.signal(name);
    }

    /** Whether the command or anything it has started is still there. */
    boolean isAlive() {
        return family.isAlive();
    }

    /** Ends what is left of it, at once. */
    void kill() {
        family.kill();
    }

    /** Nothing of it has to be stopped any more. What it left in the background stays there. */
    void leave() {
        watchdog.dismiss();
    }
}
