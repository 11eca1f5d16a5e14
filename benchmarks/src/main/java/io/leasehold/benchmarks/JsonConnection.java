// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Locale;

/**
 * One connection that posts JSON and waits for the answer, with as little work of its own as can
 * be. For one thread at a time.
 */
final class JsonConnection implements AutoCloseable {

    private static final String LENGTH = "content-length:";
    private static final int OK = 200;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    private JsonConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
    }

    static JsonConnection open(int port) {
        try {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            return new JsonConnection(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The body of the answer, which has to be a good one. */
    String post(String path, String body) {
        byte[] content = body.getBytes(UTF_8);
        byte[] head = ("POST " + path + " HTTP/1.1\r\nHost: localhost\r\n"
                        + "Content-Type: application/json\r\nContent-Length: " + content.length
                        + "\r\n\r\n")
                .getBytes(US_ASCII);
        byte[] request = new byte[head.length + content.length];
        System.arraycopy(head, 0, request, 0, head.length);
        System.arraycopy(content, 0, request, head.length, content.length);
        try {
            out.write(request);
            return answer();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String answer() throws IOException {
        String status = line();
        int length = 0;
        for (String header = line(); !header.isEmpty(); header = line()) {
            String lower = header.toLowerCase(Locale.ROOT);
            if (lower.startsWith(LENGTH)) {
                length = Integer.parseInt(lower.substring(LENGTH.length()).strip());
            }
        }
        String body = new String(in.readNBytes(length), UTF_8);
        if (!status.startsWith("HTTP/1.1 " + OK)) {
            throw new IllegalStateException("the server answered " + status + ": " + body);
        }
        return body;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the server has closed the connection");
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
