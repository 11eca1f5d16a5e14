// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.server.access.Security;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** By which names a server without principals answers. */
final class HostNamesTest {

    private static String status(TestServer server, String host) throws IOException {
        int port = server.server().port();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream()
                    .write(("GET /v1/info HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
        }
    }

    private static ServerOptions insecure(String bind) {
        return TestServer.options("memory")
                .withListen(new ServerOptions.Listen(bind, 0))
                .withSecurity(
                        new Security(Optional.empty(), Optional.empty(), Optional.empty(), true));
    }

    @Test
    void insecureOnLoopbackDoesNotSwitchTheCheckOfNamesOff() throws IOException {
        try (TestServer server = TestServer.start(insecure("127.0.0.1"))) {
            assertThat(status(server, "evil.example")).isEqualTo("HTTP/1.1 421");
            assertThat(status(server, "localhost")).isEqualTo("HTTP/1.1 200");
        }
    }

    @Test
    void insecureForOtherMachinesTakesTheNamesThatTheyHaveForThisOne() throws IOException {
        try (TestServer server = TestServer.start(insecure("0.0.0.0"))) {
            assertThat(status(server, "locks.example")).isEqualTo("HTTP/1.1 200");
        }
    }
}
