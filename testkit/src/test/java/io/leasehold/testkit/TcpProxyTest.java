// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.leasehold.spi.Time;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The network that fails on demand. */
@ExtendWith(ThreadLeakCheck.class)
@SuppressWarnings("NullAway.Init")
final class TcpProxyTest {

    private static final Duration LONG = Duration.ofHours(1);

    private EchoServer server;
    private TcpProxy network;

    @BeforeEach
    void open() throws IOException {
        server = new EchoServer();
        network = TcpProxy.to(server.port());
    }

    @AfterEach
    void close() throws IOException {
        network.close();
        network.close();
        server.close();
    }

    @Test
    void aHealthyNetworkPassesEverythingOnAndTellsWhenOneSideEnds() throws Exception {
        try (Client client = new Client();
                Client other = new Client()) {
            assertThat(client.ask("one")).isEqualTo("one");
            assertThat(other.ask("two")).isEqualTo("two");
            assertThat(network.connections()).isEqualTo(2);
            client.say("bye");
            assertThat(client.hear()).isNull();
            assertThat(other.ask("three")).isEqualTo("three");
            other.socket.shutdownOutput();
            assertThat(other.hear()).isNull();
        }
        assertThat(server.heard()).containsExactly("one", "two", "end", "three", "end");
        awaitConnections(0);
    }

    @Test
    void aConnectionThatIsMadeTwiceSaysEverythingTwiceAndHearsItOnce() throws Exception {
        network.duplicateConnections();
        try (Client client = new Client()) {
            assertThat(client.ask("one")).isEqualTo("one");
            assertThat(client.ask("two")).isEqualTo("two");
            network.heal();
            try (Client other = new Client()) {
                assertThat(other.ask("three")).isEqualTo("three");
            }
        }
        List<String> heard = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            heard.add(server.heard().poll(20, TimeUnit.SECONDS));
        }
        assertThat(heard)
                .containsExactlyInAnyOrder(
                        "one", "one", "two", "two", "three", "end", "end", "end");
        awaitConnections(0);
    }

    @Test
    void aFrameThatBreaksOffArrivesByHalf() throws Exception {
        try (Client client = new Client()) {
            assertThat(client.ask("one")).isEqualTo("one");
            network.breakInMidFrame();
            client.say("halves");
            awaitConnections(0);
        }
        network.heal();
        try (Client client = new Client()) {
            assertThat(client.ask("two")).isEqualTo("two");
        }
        assertThat(server.heard()).doesNotContain("halves").contains("one", "two");
        assertThat(network.accepted()).isEqualTo(2);
    }

    @Test
    void moreThanAllBuffersHoldGoesThrough() throws Exception {
        String line = "x".repeat(100_000);
        try (Client client = new Client()) {
            CompletableFuture<Void> talk = CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 100; i++) {
                    client.say(line);
                }
            });
            for (int i = 0; i < 100; i++) {
                assertThat(client.hear()).isEqualTo(line);
            }
            talk.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void cutConnectionsAreResetOnBothSidesAndNewOnesAreWelcome() throws Exception {
        try (Client client = new Client()) {
            assertThat(client.ask("one")).isEqualTo("one");
            network.cut();
            assertThatExceptionOfType(SocketException.class).isThrownBy(client::hear);
            assertThat(server.heard().take()).isEqualTo("one");
            assertThat(server.heard().take()).isEqualTo("reset");
            assertThat(network.connections()).isZero();
        }
        try (Client client = new Client()) {
            assertThat(client.ask("two")).isEqualTo("two");
        }
    }

    @Test
    void newConnectionsAreRefusedAndOldOnesStay() throws Exception {
        try (Client old = new Client()) {
            assertThat(old.ask("one")).isEqualTo("one");
            network.refuse();
            network.refuse();
            assertThatExceptionOfType(ConnectException.class).isThrownBy(Client::new);
            assertThat(old.ask("two")).isEqualTo("two");
            network.heal();
            try (Client client = new Client()) {
                assertThat(client.ask("three")).isEqualTo("three");
            }
            assertThat(old.ask("four")).isEqualTo("four");
        }
    }

    @Test
    void aLostReplyIsToARequestThatWasServed() throws Exception {
        try (Client client = new Client()) {
            assertThat(client.ask("one")).isEqualTo("one");
            network.loseReplies();
            client.say("two");
            assertThat(server.heard().take()).isEqualTo("one");
            assertThat(server.heard().take()).isEqualTo("two");
            client.hearsNothing();
            try (Client later = new Client()) {
                later.say("three");
                assertThat(server.heard().take()).isEqualTo("three");
                later.hearsNothing();
            }
        }
    }

    @Test
    void aLostRequestIsNeverServed() throws Exception {
        try (Client client = new Client()) {
            network.loseRequests();
            client.say("one");
            client.hearsNothing();
            assertThat(server.heard()).isEmpty();
        }
    }

    @Test
    void theClientDoesNotLearnThatTheServerHungUpWhenRepliesAreLost() throws Exception {
        try (Client client = new Client()) {
            assertThat(client.ask("one")).isEqualTo("one");
            network.loseReplies();
            client.say("bye");
            assertThat(server.heard().take()).isEqualTo("one");
            assertThat(server.heard().take()).isEqualTo("end");
            client.hearsNothing();
            network.heal();
            assertThatExceptionOfType(SocketException.class).isThrownBy(client::hear);
        }
    }

    @Test
    void healingCutsTheConnectionsThatLostBytesAndNoOthers() throws Exception {
        try (Client torn = new Client();
                Client whole = new Client()) {
            assertThat(torn.ask("one")).isEqualTo("one");
            assertThat(whole.ask("two")).isEqualTo("two");
            network.loseReplies();
            torn.say("three");
            torn.hearsNothing();
            network.heal();
            assertThatExceptionOfType(SocketException.class).isThrownBy(torn::hear);
            assertThat(whole.ask("four")).isEqualTo("four");
        }
    }

    @Test
    void delayedBytesComeNoEarlier() throws Exception {
        try (Client client = new Client()) {
            network.delayRequests(Duration.ofMillis(60));
            network.delayReplies(Duration.ofMillis(60));
            long before = Time.system().nanos();
            assertThat(client.ask("one")).isEqualTo("one");
            long took = Time.system().nanos() - before;
            assertThat(took).isGreaterThanOrEqualTo(Duration.ofMillis(120).toNanos());
        }
    }

    @Test
    void delayedBytesGoOnAtOnceWhenTheNetworkHeals() throws Exception {
        try (Client client = new Client()) {
            network.delayReplies(LONG);
            client.say("one");
            assertThat(server.heard().take()).isEqualTo("one");
            client.hearsNothing();
            network.heal();
            assertThat(client.hear()).isEqualTo("one");
        }
    }

    @Test
    void delayedBytesAreLostWhenTheConnectionIsCut() throws Exception {
        try (Client client = new Client()) {
            network.delayRequests(LONG);
            client.say("one");
            awaitConnections(1);
            network.cut();
            assertThatExceptionOfType(SocketException.class).isThrownBy(client::hear);
            network.heal();
            assertThat(server.heard()).doesNotContain("one");
        }
    }

    @Test
    void aConnectionToAServerThatIsNotThereIsReset() throws Exception {
        server.close();
        try (Client client = new Client()) {
            assertThatExceptionOfType(SocketException.class).isThrownBy(client::hear);
        }
        awaitConnections(0);
    }

    @Test
    void aClosedNetworkIsNotHealed() {
        network.close();
        assertThatExceptionOfType(ConnectException.class).isThrownBy(Client::new);
        assertThatIllegalStateException().isThrownBy(network::heal).withMessageContaining("closed");
    }

    @Test
    void aDelayBelowZeroIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> network.delayReplies(Duration.ofMillis(-1)));
    }

    private void awaitConnections(int count) {
        Poll.until(
                Duration.ofSeconds(10),
                () -> network.connections() == count,
                () -> network.connections() + " connections");
    }

    /** A client that speaks in lines. */
    private final class Client implements AutoCloseable {

        private final Socket socket = new Socket(InetAddress.getLoopbackAddress(), network.port());
        private final BufferedReader in = new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));

        Client() throws IOException {
            socket.setSoTimeout(10_000);
        }

        void say(String line) {
            try {
                socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        @Nullable
        String hear() throws IOException {
            return in.readLine();
        }

        @Nullable
        String ask(String line) throws IOException {
            say(line);
            return hear();
        }

        void hearsNothing() throws IOException {
            socket.setSoTimeout(100);
            assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(this::hear);
            socket.setSoTimeout(10_000);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
