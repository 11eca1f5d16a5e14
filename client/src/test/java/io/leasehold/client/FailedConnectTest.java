// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.LeaseholdException;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.TcpProxy;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A connect that fails is told by its exception, and gRPC has nothing to complain of. */
final class FailedConnectTest {

    /** What went wrong was a race. */
    private static final int ATTEMPTS = 20;

    private static final Logger GRPC = Logger.getLogger("io.grpc");

    private final MemoryLeaseStore behind = MemoryLeaseStore.create();
    private final SessionServer server = SessionServer.on(behind);
    private final TcpProxy network = TcpProxy.to(server.port());
    private final Complaints complaints = new Complaints();

    @BeforeEach
    void listen() {
        GRPC.addHandler(complaints);
    }

    @AfterEach
    void close() {
        GRPC.removeHandler(complaints);
        network.close();
        server.close();
        behind.close();
    }

    @Test
    void aServerThatIsNotThereLeavesNoWarningInTheLog() {
        network.refuse();

        connectInVain(RemoteOptions.at(to(network.port())));

        assertThat(complaints.all).isEmpty();
    }

    @Test
    void twoServersThatAreNotThereLeaveNoWarningInTheLog() {
        network.refuse();

        connectInVain(RemoteOptions.at(to(network.port()) + ",localhost:" + network.port()));

        assertThat(complaints.all).isEmpty();
    }

    @Test
    void aServerWhoseNameIsUnknownLeavesNoWarningInTheLog() {
        // no name has a part this long, so nobody is asked for it
        connectInVain(RemoteOptions.at("leasehold://" + "x".repeat(70) + ".invalid:5327"));

        assertThat(complaints.all).isEmpty();
    }

    @Test
    void aServerThatSaysNothingLeavesNoWarningInTheLog() {
        network.loseReplies();

        connectInVain(RemoteOptions.at(to(network.port())).withPatience(Duration.ofMillis(10)));

        assertThat(complaints.all).isEmpty();
    }

    @Test
    void aConnectThatIsInterruptedLeavesNoWarningInTheLog() {
        for (int i = 0; i < ATTEMPTS; i++) {
            Thread.currentThread().interrupt();
            try {
                assertThatThrownBy(() -> RemoteLeaseStore.connect(to(network.port())))
                        .isInstanceOf(LeaseholdException.class);
            } finally {
                assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
            }
        }

        awaitLookUps();
        assertThat(complaints.all).isEmpty();
    }

    private static void connectInVain(RemoteOptions options) {
        for (int i = 0; i < ATTEMPTS; i++) {
            assertThatThrownBy(() -> RemoteLeaseStore.connect(options))
                    .isInstanceOf(LeaseholdException.class);
        }
        awaitLookUps();
    }

    /** A thread that looked a name up may go on with the connection after it was given up. */
    private static void awaitLookUps() {
        RealTime.until(
                "names are looked up",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().equals("leasehold-remote-names")));
    }

    private static String to(int port) {
        return "leasehold://127.0.0.1:" + port;
    }

    /**
     * Keeps warnings and errors, with where they came from, but for the warning that a name is
     * unknown.
     */
    private static final class Complaints extends Handler {

        final List<String> all = new CopyOnWriteArrayList<>();

        @Override
        public void publish(LogRecord message) {
            if (message.getLevel().intValue() >= Level.WARNING.intValue()
                    && !message.getMessage().contains("Failed to resolve name")) {
                StringWriter text = new StringWriter();
                text.append(message.getMessage()).append('\n');
                if (message.getThrown() != null) {
                    message.getThrown().printStackTrace(new PrintWriter(text, true));
                }
                all.add(text.toString());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
