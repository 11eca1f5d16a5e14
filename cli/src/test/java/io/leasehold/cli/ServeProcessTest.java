// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.protocol.v1.LeasesGrpc;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code leasehold serve} as a process of its own. */
@Execution(ExecutionMode.CONCURRENT)
final class ServeProcessTest {

    private static final Duration AN_HOUR =
            Duration.newBuilder().setSeconds(3600).build();
    private static final Pattern ADDRESS =
            Pattern.compile("address +http://127\\.0\\.0\\.1:(\\d+) .*");

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void endAll() throws InterruptedException {
        for (Process process : started) {
            process.destroyForcibly().waitFor();
        }
    }

    /** A server with its standard output; standard error is in a file. */
    private final class Running {

        private final Process process;
        private final BufferedReader out;
        private final Path err;

        Running(String... arguments) throws IOException {
            err = Files.createTempFile(directory, "err", ".txt");
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-cp",
                    System.getProperty("java.class.path"),
                    "io.leasehold.cli.Main",
                    "serve"));
            command.addAll(List.of(arguments));
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectError(err.toFile());
            builder.environment().keySet().removeIf(name -> name.startsWith("LEASEHOLD_"));
            process = builder.start();
            started.add(process);
            out = new BufferedReader(
                    new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        }

        /** The lines up to the one that says how to stop it. */
        List<String> greeting() throws IOException {
            List<String> lines = new ArrayList<>();
            String line = out.readLine();
            while (line != null) {
                lines.add(line);
                if (line.startsWith("stop ")) {
                    return lines;
                }
                line = out.readLine();
            }
            throw new AssertionError("it ended: " + lines + Files.readString(err));
        }

        int exitCode() throws InterruptedException {
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
            return process.exitValue();
        }

        String errors() throws IOException {
            // without what a newer JVM says of the libraries
            return Files.readAllLines(err).stream()
                    .filter(line -> !line.isEmpty() && !line.startsWith("WARNING: "))
                    .map(line -> line + "\n")
                    .collect(Collectors.joining());
        }
    }

    private static int port(List<String> greeting) {
        Matcher address = ADDRESS.matcher(greeting.get(0));
        assertThat(address.matches()).as(greeting.get(0)).isTrue();
        return Integer.parseInt(address.group(1));
    }

    private static AcquireReply acquire(int port) throws InterruptedException {
        ManagedChannel channel = ManagedChannelBuilder.forAddress("127.0.0.1", port)
                .usePlaintext()
                .build();
        try {
            LeasesGrpc.LeasesBlockingStub stub = LeasesGrpc.newBlockingStub(channel);
            assertThat(stub.info(InfoRequest.getDefaultInstance()).getEngine())
                    .isEqualTo("journal");
            return stub.acquire(AcquireRequest.newBuilder()
                    .setLeaseId("0123456789abcdef0123456789abcdef")
                    .addScopes("name:orders")
                    .setHolder("test")
                    .setTtl(AN_HOUR) // however long the machine takes to start it
                    .build());
        } finally {
            channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void itStartsSaysWhatAPersonNeedsAnswersAndStopsOnTermWithZero() throws Exception {
        Running server = new Running("--port", "0");
        List<String> greeting = server.greeting();
        assertThat(greeting)
                .extracting(line -> line.substring(0, line.indexOf(' ')))
                .containsExactly("address", "engine", "data", "security", "stop");
        assertThat(greeting.get(1)).contains("journal: leases survive a crash");
        assertThat(greeting.get(2))
                .contains(directory.toRealPath().resolve("leasehold-data").toString());
        assertThat(greeting.get(3)).contains("no tokens: everyone");
        assertThat(greeting.get(4)).contains("Ctrl-C", String.valueOf(server.process.pid()));
        assertThat(acquire(port(greeting)).hasGranted()).isTrue();

        // by the handle: the process itself would close its output too
        assertThat(server.process.toHandle().destroy()).isTrue();
        assertThat(server.exitCode()).isZero();
        assertThat(server.out.lines())
                .containsExactly(
                        "stopping: nothing more is granted; Ctrl-C again to stop at once",
                        "stopped");
        assertThat(server.errors()).isEmpty();

        // what was granted is there when it is started again, also after a kill
        Running again = new Running("--port", "0");
        AcquireReply repeat = acquire(port(again.greeting()));
        assertThat(repeat.getGranted().getHolding().getToken()).isEqualTo(1);
        again.process.destroyForcibly();
        assertThat(again.exitCode()).isEqualTo(137);
    }

    @Test
    void aSecondSignalHurriesAServerThatStillServesRenewals() throws Exception {
        Running server = new Running(
                "--store", "memory", "--port", "0", "--drain", "10m", "--idle-timeout", "10m");
        int port = port(server.greeting());
        // as long as somebody is connected
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
            client.getOutputStream()
                    .write("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(client.getInputStream().read()).isEqualTo('H');
            assertThat(Programs.kill("TERM", server.process.pid())).isTrue();
            assertThat(server.out.readLine()).startsWith("stopping: nothing more is granted");
            assertThat(Programs.kill("TERM", server.process.pid())).isTrue();
            assertThat(server.exitCode()).isZero();
            assertThat(server.out.readLine()).isEqualTo("stopped");
        }
    }

    @Test
    void aSecondServerOnTheSameDirectoryIsRefusedAndTheFirstGoesOn() throws Exception {
        Running first = new Running("--port", "0");
        int port = port(first.greeting());
        Running second = new Running("--port", "0");
        assertThat(second.exitCode()).isEqualTo(1);
        assertThat(second.errors())
                .startsWith("leasehold: ")
                .contains("leasehold-data", String.valueOf(first.process.pid()))
                .hasLineCount(1);
        assertThat(acquire(port).hasGranted()).isTrue();
    }

    @Test
    void whatKeepsItFromStartingIsSaidInALine() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Running onAPortInUse = new Running(
                    "--store", "memory", "--port", String.valueOf(taken.getLocalPort()));
            assertThat(onAPortInUse.exitCode()).isEqualTo(1);
            assertThat(onAPortInUse.errors())
                    .startsWith("leasehold: ")
                    .contains("127.0.0.1:" + taken.getLocalPort())
                    .containsIgnoringCase("in use")
                    .hasLineCount(1);
        }
        Path file = Files.writeString(directory.resolve("file"), "");
        Running belowAFile =
                new Running("--port", "0", "--store", "journal:" + file.resolve("data"));
        assertThat(belowAFile.exitCode()).isEqualTo(1);
        assertThat(belowAFile.errors())
                .startsWith("leasehold: ")
                .contains("file")
                .hasLineCount(1);
    }

    @Test
    void wrongSettingsEndWithTwoAndSayWhatToDo() throws Exception {
        Running noStore = new Running("--store", "cassandra://x");
        Running openToAll = new Running("--store", "memory", "--host", "0.0.0.0", "--port", "0");
        Running noTokens = new Running("--store", "memory", "--port", "0", "--tokens", "none");
        assertThat(noStore.exitCode()).isEqualTo(2);
        assertThat(noStore.errors())
                .startsWith("leasehold: --store")
                .contains("memory, journal:DIR")
                .endsWith("\nSee 'leasehold serve --help'.\n")
                .hasLineCount(2);
        assertThat(openToAll.exitCode()).isEqualTo(2);
        assertThat(openToAll.errors()).contains("--tls-cert FILE", "--tokens FILE", "--insecure");
        assertThat(noTokens.exitCode()).isEqualTo(1);
        assertThat(noTokens.errors()).contains("there is none", "leasehold token create");
    }
}
