// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.protocol.v1.ListRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server's log says of what its clients do. */
final class ServeLogTest {

    private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+)");
    private static final String LINE = "\\d{4}-\\d\\d-\\d\\dT[^ ]+ (WARN |ERROR|INFO ) .*";

    private static final int FLOOD = 200;

    /** The longest line, in characters. */
    private static final int LONGEST = 1_200;

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    private CommandProcess server;
    private int port;

    @SuppressWarnings("NullAway.Init") // set before each test
    ServeLogTest() {}

    @BeforeEach
    void start() throws Exception {
        server = CommandProcess.start(
                directory, Map.of(), "serve", "--store", "memory", "--port", "0", "--drain", "0s");
        Await.until(() -> server.out().contains("stop "));
        Matcher address = ADDRESS.matcher(server.out());
        assertThat(address.find()).isTrue();
        port = Integer.parseInt(address.group(1));
    }

    @AfterEach
    void kill() throws InterruptedException {
        server.kill();
    }

    /** Stops the server, and gives what it logged. */
    private List<String> logged() throws Exception {
        assertThat(Programs.kill("TERM", server.pid())).isTrue();
        assertThat(server.code()).isZero();
        return server.err()
                .lines()
                .filter(line -> !line.isEmpty() && !line.startsWith("WARNING: "))
                .toList();
    }

    @Test
    void aBodyThatIsTooLongIsALine() throws Exception {
        assertThat(posted("too-long-1", 1 << 20)).contains(" 413 ");

        assertThat(logged())
                .singleElement()
                .asString()
                .matches(LINE)
                .contains("request too-long-1 refused: its body is longer");
    }

    @Test
    void aMessageThatIsTooLongIsALine() throws Exception {
        ManagedChannel channel = ManagedChannelBuilder.forAddress("127.0.0.1", port)
                .usePlaintext()
                .build();
        try {
            ListRequest request =
                    ListRequest.newBuilder().setOverlapping("x".repeat(5 << 20)).build();
            Assertions.assertThatThrownBy(
                            () -> LeasesGrpc.newBlockingStub(channel).list(request))
                    .isInstanceOf(StatusRuntimeException.class);
        } finally {
            assertThat(channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS))
                    .isTrue();
        }
        assertThat(logged())
                .singleElement()
                .asString()
                .matches(LINE)
                .contains("a message is longer");
    }

    @Test
    void ofWhatStrangersSendEachLineIsShortAndWrittenOrCounted() throws Exception {
        for (int i = 0; i < FLOOD; i++) {
            assertThat(posted("flood-" + i, 300 << 10)).contains(" 413 ");
            send("\u0016\u0003\u0001\u0002no TLS here");
            send("GET / HTTP/1.1\r\nHost: a b\u0001\r\n" + "x: y\r\n".repeat(3000) + "\r\n");
            send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nand nothing that is a frame, at all, at all");
        }

        List<String> lines = logged();
        assertThat(lines)
                .allMatch(line -> line.matches(LINE))
                .allMatch(line -> line.length() < LONGEST)
                .anyMatch(line -> line.contains("flood-0"));
        long written = lines.stream().filter(line -> line.contains("flood-")).count();
        assertThat(written + leftOut(lines)).isEqualTo(FLOOD);
    }

    /** How many lines of the refusals were only counted, which depends on the machine. */
    private static long leftOut(List<String> lines) {
        Pattern told = Pattern.compile("(\\d+) more WARN lines of .*ErrorPages were left out");
        return lines.stream()
                .map(told::matcher)
                .filter(Matcher::find)
                .mapToLong(found -> Long.parseLong(found.group(1)))
                .sum();
    }

    private String posted(String id, int bytes) throws IOException {
        return send("POST /v1/acquire HTTP/1.1\r\nHost: localhost\r\nRequest-Id: " + id
                + "\r\nContent-Type: application/json\r\nContent-Length: " + bytes + "\r\n\r\n"
                + "x".repeat(bytes));
    }

    /** Sends this on a connection of its own, and gives how the answer begins. */
    private String send(String text) throws IOException {
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
            client.setSoTimeout(10_000);
            try {
                client.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
                client.shutdownOutput();
            } catch (IOException e) {
                return answer(client); // it was refused before its end
            }
            return answer(client);
        }
    }

    private static String answer(Socket client) {
        try {
            return new String(client.getInputStream().readNBytes(64), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            return "";
        }
    }
}
