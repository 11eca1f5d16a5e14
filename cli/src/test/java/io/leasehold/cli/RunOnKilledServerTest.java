// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code leasehold run} whose server, a process of its own, is killed in mid-run. */
final class RunOnKilledServerTest {

    private static final Pattern PORT = Pattern.compile("address +http://127\\.0\\.0\\.1:(\\d+) ");

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    private final List<CommandProcess> started = new ArrayList<>();

    @AfterEach
    void endAll() throws InterruptedException {
        for (CommandProcess process : started) {
            process.kill();
        }
    }

    private CommandProcess start(Map<String, String> environment, String... args)
            throws IOException {
        CommandProcess process = CommandProcess.start(directory, environment, args);
        started.add(process);
        return process;
    }

    private CommandProcess serve(String port) throws Exception {
        CommandProcess server = start(Map.of(), "serve", "--port", port);
        Await.until(() -> server.out().contains("\nstop "));
        return server;
    }

    private static String port(CommandProcess server) throws IOException {
        Matcher port = PORT.matcher(server.out());
        assertThat(port.find()).isTrue();
        return port.group(1);
    }

    private CommandProcess run(String port, String ttl, String script) throws Exception {
        CommandProcess run = start(
                Map.of("LEASEHOLD_SERVER", "http://127.0.0.1:" + port),
                "run",
                "--lock",
                "job",
                "--ttl",
                ttl,
                "--",
                "sh",
                "-c",
                script);
        Await.until(() -> Files.exists(directory.resolve("begun")));
        return run;
    }

    @Test
    void aServerThatStaysDeadStopsTheCommandWhenTheLeaseRunsOut() throws Exception {
        CommandProcess server = serve("0");
        CommandProcess run = run(
                port(server),
                "3s",
                "trap 'echo stopped > end; exit 0' TERM; touch begun; while :; do sleep 0.1; done");
        server.kill();
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCodes.LOST);
        assertThat(run.err()).contains("leasehold: ", "lost", "the command was stopped");
        assertThat(Files.readString(directory.resolve("end"))).isEqualTo("stopped\n");
    }

    @Test
    void aServerThatIsBackBeforeTheLeaseRunsOutIsNotNoticedByTheCommand() throws Exception {
        CommandProcess server = serve("0");
        String port = port(server);
        // the script ends itself in the end, should the test fail
        CommandProcess run = run(
                port,
                "5m",
                "touch begun; i=0; while [ ! -e go ] && [ $((i += 1)) -lt 900 ]; do sleep 0.1; done;"
                        + " exit 7");
        server.kill();
        CommandProcess again = serve(port);
        Files.createFile(directory.resolve("go"));
        assertThat(run.code()).as(run.err()).isEqualTo(7);
        assertThat(run.err()).isEmpty();
        CommandProcess show =
                start(Map.of("LEASEHOLD_SERVER", "http://127.0.0.1:" + port), "show", "job");
        assertThat(show.code()).isZero();
        assertThat(show.out()).isEqualTo("name:job is free\n");
        assertThat(again.isAlive()).isTrue();
    }
}
