// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.server.LeaseholdServer;
import io.leasehold.server.ServerOptions;
import io.leasehold.server.engine.StoreAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Whatever signal reaches {@code leasehold run}: its command never goes on without it. */
@Execution(ExecutionMode.CONCURRENT)
final class RunSignalsTest {

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    private final List<CommandProcess> started = new ArrayList<>();
    private final LeaseholdServer server =
            LeaseholdServer.start(ServerOptions.on(StoreAddress.parse("memory")).withPort(0));

    @AfterEach
    void endAll() throws Exception {
        for (CommandProcess process : started) {
            process.kill();
        }
        if (Files.exists(file("pids"))) {
            for (long pid : pids()) {
                ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
            }
        }
        server.close();
    }

    private Path file(String name) {
        return directory.resolve(name);
    }

    private List<Long> pids() throws IOException {
        List<Long> pids = new ArrayList<>();
        for (String pid : Files.readString(file("pids")).strip().split(" ", -1)) {
            pids.add(Long.valueOf(pid));
        }
        return pids;
    }

    /** Runs a script under a lock, and waits until it has said that it has begun. */
    private CommandProcess run(String ttl, String script, String... options) throws Exception {
        List<String> args = new ArrayList<>(List.of("run", "--lock", "job", "--ttl", ttl));
        args.addAll(List.of(options));
        args.addAll(List.of("--", "sh", "-c", script));
        CommandProcess run = CommandProcess.start(
                directory,
                Map.of("LEASEHOLD_SERVER", "http://127.0.0.1:" + server.port()),
                args.toArray(String[]::new));
        started.add(run);
        Await.until(() -> Files.exists(file("pids")));
        return run;
    }

    /** One letter, such as T for stopped and S for asleep; empty if there is no such process. */
    private static String state(long pid) throws Exception {
        Process ps = new ProcessBuilder("ps", "-o", "state=", "-p", String.valueOf(pid)).start();
        String state = new String(ps.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(ps.waitFor()).isIn(0, 1);
        return state.strip();
    }

    /** A shell may wait, in state D, for a child that was suspended before it became a program. */
    private static boolean isSuspended(long pid) throws Exception {
        return List.of("T", "D").contains(state(pid));
    }

    @Test
    void signalsThatEndProgramsReachTheCommandInsteadOfEndingRunAlone() throws Exception {
        List<String> signals = List.of("USR1", "USR2", "ALRM", "VTALRM", "XCPU", "PROF");
        CommandProcess run = run(
                "1m",
                "for s in " + String.join(" ", signals) + "; do trap \"echo $s >> got\" $s; done;"
                        + " trap 'exit 9' TERM; touch got; echo $$ > n; mv n pids;"
                        + " while :; do sleep 0.1; done");
        String expected = "";
        for (String signal : signals) {
            assertThat(Programs.kill(signal, run.pid())).isTrue();
            expected += signal + "\n";
            String soFar = expected;
            Await.until(() -> Files.readString(file("got")).equals(soFar) || !run.isAlive());
            assertThat(run.isAlive()).as("run after " + signal).isTrue();
        }
        assertThat(Programs.kill("TERM", run.pid())).isTrue();
        assertThat(run.code()).as(run.err()).isEqualTo(9);
    }

    @Test
    void aSuspendedRunSuspendsItsCommandAndBothGoOn() throws Exception {
        CommandProcess run = run(
                "10m",
                "trap 'exit 9' TERM; (while :; do sleep 0.1; done) & echo $$ $! > n; mv n pids;"
                        + " while :; do sleep 0.1; done");
        assertThat(Programs.kill("TSTP", run.pid())).isTrue();
        Await.until(() -> state(run.pid()).equals("T"));
        for (long pid : pids()) {
            Await.until(() -> isSuspended(pid));
        }
        assertThat(Programs.kill("CONT", run.pid())).isTrue();
        for (long pid : pids()) {
            Await.until(() -> !state(pid).equals("T"));
        }
        assertThat(Programs.kill("TERM", run.pid())).isTrue();
        assertThat(run.code()).as(run.err()).isEqualTo(9);
    }

    @Test
    void aRunThatWasSuspendedForLongerThanItsLeaseStopsTheCommand() throws Exception {
        CommandProcess run = run(
                "10s", "trap 'exit 9' TERM; echo $$ > n; mv n pids; while :; do sleep 0.1; done");
        assertThat(Programs.kill("TSTP", run.pid())).isTrue();
        Await.until(() -> state(run.pid()).equals("T"));
        // the next holder is granted the lock once the lease is over
        CommandProcess next = CommandProcess.start(
                directory,
                Map.of("LEASEHOLD_SERVER", "http://127.0.0.1:" + server.port()),
                "run",
                "--lock",
                "job",
                "--wait",
                "2m",
                "--",
                "true");
        started.add(next);
        assertThat(next.code()).as(next.err()).isZero();
        long command = pids().get(0);
        Await.until(() -> isSuspended(command));
        assertThat(Programs.kill("CONT", run.pid())).isTrue();
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCodes.LOST);
    }

    @Test
    void aKilledRunTakesItsCommandAndAllThatItStartedAlong() throws Exception {
        CommandProcess run = run(
                "1m",
                "trap '' TERM; trap 'touch watched' USR2; (trap '' TERM USR2; while :; do sleep 0.1; done) &"
                        + " echo $$ $! > n; mv n pids; while :; do sleep 0.1; done",
                "--grace",
                "1s");
        awaitWatched(run);
        assertThat(Programs.kill("KILL", run.pid())).isTrue();
        assertThat(run.code()).isEqualTo(137);
        for (long pid : pids()) {
            Await.until(() -> state(pid).isEmpty() || state(pid).equals("Z"));
        }
    }

    /** A signal is passed on to the command once the watchdog knows of it. */
    private void awaitWatched(CommandProcess run) throws Exception {
        assertThat(Programs.kill("USR2", run.pid())).isTrue();
        Await.until(() -> Files.exists(file("watched")));
    }

    @Test
    void aKilledRunTakesACommandInTheForegroundAlong() throws Exception {
        CommandProcess run = run(
                "1m",
                "trap '' TERM; trap 'touch watched' USR2; echo $$ > n; mv n pids;"
                        + " while :; do sleep 0.1; done",
                "--grace",
                "1s",
                "--foreground");
        awaitWatched(run);
        assertThat(Programs.kill("KILL", run.pid())).isTrue();
        assertThat(run.code()).isEqualTo(137);
        for (long pid : pids()) {
            Await.until(() -> state(pid).isEmpty() || state(pid).equals("Z"));
        }
    }

    @Test
    void whatTheCommandLeavesInTheBackgroundStaysThereWhenRunIsDone() throws Exception {
        CommandProcess run = run(
                "1m",
                "(while [ ! -e go ]; do sleep 0.1; done; touch stayed) > /dev/null 2>&1 &"
                        + " echo $! > n; mv n pids; exit 3");
        assertThat(run.code()).as(run.err()).isEqualTo(3);
        Files.createFile(file("go"));
        Await.until(() -> Files.exists(file("stayed")));
    }

    @Test
    void aThreadDumpIsNoPartOfTheCommandsOutput() throws Exception {
        CommandProcess run = run(
                "1m",
                "trap 'echo end; exit 9' TERM; echo begin; echo $$ > n; mv n pids;"
                        + " while :; do sleep 0.1; done");
        assertThat(Programs.kill("QUIT", run.pid())).isTrue();
        Await.until(() -> (run.out() + run.err()).contains("Full thread dump"));
        assertThat(Programs.kill("TERM", run.pid())).isTrue();
        assertThat(run.code()).as(run.err()).isEqualTo(9);
        assertThat(run.out()).isEqualTo("begin\nend\n");
    }
}
