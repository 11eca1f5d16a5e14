// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A server that sends every line back, and remembers it; at "bye" it hangs up. */
final class EchoServer implements AutoCloseable {

    private final ServerSocket listener;
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    private final Thread acceptor;

    EchoServer() throws IOException {
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        acceptor = start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** The lines of all connections, as they came. */
    BlockingQueue<String> heard() {
        return heard;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                Thread unused = start(() -> serve(client));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void serve(Socket socket) {
        try (socket;
                BufferedReader in = new BufferedReader(new InputStreamReader(
                        socket.getInputStream(), StandardCharsets.US_ASCII))) {
            String line = in.readLine();
            while (line != null && !line.equals("bye")) {
                heard.add(line);
                socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
                line = in.readLine();
            }
            heard.add("end");
        } catch (IOException e) {
            heard.add("reset");
        }
    }

    private static Thread start(Runnable task) {
        Thread thread = new Thread(task, "leasehold-echo");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** As long as its thread is in the system's call, the system takes connections. */
    @Override
    public void close() throws IOException {
        listener.close();
        try {
            acceptor.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
