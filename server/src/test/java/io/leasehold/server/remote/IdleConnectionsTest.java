// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.client.RemoteLeaseStore;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.TestLength;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Ten thousand connections that were used once and are kept open, to a server with 192 MiB of heap.
 * Whoever wants a lock meanwhile gets it.
 */
@Isolated
final class IdleConnectionsTest {

    private static final int CONNECTIONS = TestLength.of(500, 10_000);
    private static final byte[] REQUEST =
            "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final String LENGTH = "content-length:";

    private final List<Socket> idle = new ArrayList<>();

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path temporary;

    @Test
    void idleConnectionsKeepNobodyFromALock() throws IOException {
        int port = ServerProcess.freePort();
        try (ServerProcess server = ServerProcess.start(temporary, port)) {
            server.awaitUp();
            server.serve();
            try (Leasehold leasehold =
                    Leasehold.on(RemoteLeaseStore.connect("leasehold://127.0.0.1:" + port))) {
                for (int i = 1; i <= CONNECTIONS; i++) {
                    idle.add(usedOnce(port));
                    if (i % 1_000 == 0) {
                        takeTheLock(leasehold);
                    }
                }
                // one that is still open, and a client that comes only now
                ask(idle.get(CONNECTIONS - 1));
                try (Leasehold late =
                        Leasehold.on(RemoteLeaseStore.connect("leasehold://127.0.0.1:" + port))) {
                    takeTheLock(late);
                }
            } finally {
                for (Socket socket : idle) {
                    socket.close();
                }
            }
        }
    }

    private static void takeTheLock(Leasehold leasehold) {
        try (Lease lease = leasehold.lock("wanted").acquire(RealTime.PATIENCE)) {
            lease.ensureValid();
        }
    }

    private static Socket usedOnce(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout((int) RealTime.PATIENCE.toMillis());
        ask(socket);
        return socket;
    }

    private static void ask(Socket socket) throws IOException {
        socket.getOutputStream().write(REQUEST);
        InputStream in = socket.getInputStream();
        assertThat(line(in)).isEqualTo("HTTP/1.1 200 OK");
        int length = 0;
        for (String header = line(in); !header.isEmpty(); header = line(in)) {
            if (header.startsWith(LENGTH)) {
                length = Integer.parseInt(header.substring(LENGTH.length()).strip());
            }
        }
        in.skipNBytes(length);
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            assertThat(next).as("a connection that was closed").isNotNegative();
            line.append((char) next);
        }
        return line.toString().strip();
    }
}
