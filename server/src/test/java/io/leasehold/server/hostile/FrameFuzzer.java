// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.hostile;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/** Sends HTTP/2 frames of any kind and content, and bytes that are no frames at all. */
final class FrameFuzzer {

    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII);
    private static final int ON_A_CONNECTION = 50;
    private static final int HEADER = 9;

    private final Wild wild;

    FrameFuzzer(SplittableRandom random) {
        this.wild = new Wild(random);
    }

    /** How many connections it took. */
    int run(int port, int frames) {
        int connections = 0;
        for (int sent = 0; sent < frames; sent += ON_A_CONNECTION) {
            connections++;
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                send(socket.getOutputStream());
            } catch (IOException e) {
                throw new UncheckedIOException("the server takes no more connections", e);
            }
        }
        return connections;
    }

    private void send(OutputStream out) {
        try {
            if (!wild.chance(10)) {
                out.write(PREFACE);
                out.write(frame(4, 0, 0, new byte[0]));
            }
            for (int i = 0; i < ON_A_CONNECTION; i++) {
                out.write(
                        wild.chance(20)
                                ? wild.bytes(100)
                                : frame(
                                        wild.below(12),
                                        wild.below(256),
                                        wild.below(8),
                                        wild.bytes(64)));
            }
        } catch (IOException cutOff) {
            // as it should be
        }
    }

    private static byte[] frame(int type, int flags, int stream, byte[] payload) {
        return ByteBuffer.allocate(HEADER + payload.length)
                .put((byte) (payload.length >> 16))
                .putShort((short) payload.length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }
}
