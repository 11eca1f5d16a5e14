// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** A server that answers each command with whatever bytes a test wants. */
final class StubServer implements AutoCloseable {

    private final ServerSocket socket;
    private final Set<Socket> clients = ConcurrentHashMap.newKeySet();
    private final Function<List<String>, String> answers;

    /** Answers by the function, which gets the words of the command; nothing is sent for "". */
    StubServer(Function<List<String>, String> answers) {
        this.answers = answers;
        try {
            socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    /** One that behaves like a Redis of this version, but for the commands of the function. */
    static StubServer redis(String version, Function<String, String> others) {
        return new StubServer(words -> switch (words.get(0)) {
            case "HELLO" -> "-ERR unknown command 'HELLO'\r\n";
            case "PING" -> "+PONG\r\n";
            case "CLIENT" -> "+OK\r\n";
            case "CONFIG" -> "*0\r\n";
            case "INFO" -> bulk("redis_version:" + version + "\r\n");
            case "SUBSCRIBE" -> "*3\r\n" + bulk("subscribe") + bulk(words.get(1)) + ":1\r\n";
            default -> others.apply(words.get(0));
        });
    }

    static String bulk(String text) {
        return "$" + text.length() + "\r\n" + text + "\r\n";
    }

    String uri() {
        return "redis://127.0.0.1:" + socket.getLocalPort();
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "stub-server");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = socket.accept();
                clients.add(client);
                start(() -> serve(client));
            }
        } catch (IOException e) {
            // it is closed
        }
    }

    private void serve(Socket client) {
        try (client) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(client.getInputStream(), ISO_8859_1));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                List<String> words = new ArrayList<>();
                for (int left = Integer.parseInt(line.substring(1)); left > 0; left--) {
                    in.readLine();
                    words.add(in.readLine());
                }
                client.getOutputStream().write(answers.apply(words).getBytes(ISO_8859_1));
                client.getOutputStream().flush();
            }
        } catch (IOException e) {
            // the client is gone
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
            for (Socket client : clients) {
                client.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
