// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One connection to a Redis server on this machine, in its protocol RESP2. For one thread. */
final class RespSocket implements AutoCloseable {

    private static final int LARGEST = 64 * 1024 * 1024;

    private final Socket socket;
    private final InputStream in;

    private RespSocket(Socket socket) throws IOException {
        this.socket = socket;
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** Connects; the patience bounds the connecting and every single read. */
    static RespSocket to(int port, Duration patience) throws IOException {
        Socket socket = new Socket();
        try {
            int millis = Math.max(1, Math.toIntExact(patience.toMillis()));
            socket.setSoTimeout(millis);
            socket.setTcpNoDelay(true);
            socket.connect(
                    new InetSocketAddress(
                            InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port),
                    millis);
            return new RespSocket(socket);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Sends one command and reads its reply: a String, a Long, a List of replies, or null for nil.
     *
     * @throws RedisErrorException if the server replies an error
     */
    @Nullable
    Object command(String... words) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(ascii("*" + words.length + "\r\n"));
        for (String word : words) {
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            out.writeBytes(ascii("$" + bytes.length + "\r\n"));
            out.writeBytes(bytes);
            out.writeBytes(ascii("\r\n"));
        }
        socket.getOutputStream().write(out.toByteArray());
        Object reply = reply();
        if (reply instanceof RedisErrorException error) {
            throw error;
        }
        return reply;
    }

    /** One reply; an error is returned, since it may be one of several inside a list. */
    private @Nullable Object reply() throws IOException {
        String line = line();
        if (line.isEmpty()) {
            throw new ProtocolException("an empty line instead of a reply");
        }
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+' -> rest;
            case '-' -> new RedisErrorException(rest);
            case ':' -> Long.valueOf(rest);
            case '$' -> bulk(Integer.parseInt(rest));
            case '*' -> list(Integer.parseInt(rest));
            default -> throw new ProtocolException("not a reply: " + line);
        };
    }

    private @Nullable String bulk(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        if (length > LARGEST) {
            throw new ProtocolException("a reply of " + length + " bytes");
        }
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length || in.read() != '\r' || in.read() != '\n') {
            throw new EOFException("the server closed the connection in the middle of a reply");
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private @Nullable List<@Nullable Object> list(int size) throws IOException {
        if (size < 0) {
            return null;
        }
        List<@Nullable Object> replies = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            replies.add(reply());
        }
        return replies;
    }

    private String line() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int next = in.read();
        while (next != '\r') {
            if (next < 0) {
                throw new EOFException("the server closed the connection");
            }
            bytes.write(next);
            next = in.read();
        }
        if (in.read() != '\n') {
            throw new ProtocolException("a line that does not end as one");
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // The connection is of no use any more either way.
        }
    }
}
