// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A client's connection through a {@link TcpProxy}: two sockets, and a thread for each direction. Thread-safe. */
final class ProxyLink {

    private static final int CONNECT_MILLIS = 5_000;
    private static final int BUFFER = 16 * 1024;

    private final Socket client;
    private final Socket server = new Socket();
    private final InetSocketAddress target;
    private final ProxyWeather requests;
    private final ProxyWeather replies;
    private final Consumer<ProxyLink> ended;
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicInteger openDirections = new AtomicInteger(2);
    private volatile boolean torn;
    private volatile @Nullable Socket second;

    ProxyLink(
            Socket client,
            InetSocketAddress target,
            ProxyWeather requests,
            ProxyWeather replies,
            Consumer<ProxyLink> ended) {
        this.client = client;
        this.target = target;
        this.requests = requests;
        this.replies = replies;
        this.ended = ended;
    }

    /** Before it starts: whether what the client says is said to the server on a second connection too. */
    void reachTwice(boolean twice) {
        second = twice ? new Socket() : null;
    }

    void start() {
        startThread("requests", this::connect);
    }

    private void startThread(String direction, Runnable task) {
        Thread thread = new Thread(task, "leasehold-proxy-" + direction + "-" + client.getPort());
        thread.setDaemon(true);
        thread.start();
    }

    private void connect() {
        try {
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            server.connect(target, CONNECT_MILLIS);
            connectSecond();
        } catch (IOException e) {
            cut();
            return;
        }
        startThread("replies", () -> pump(server, client, replies));
        pump(client, server, requests);
    }

    private void connectSecond() throws IOException {
        Socket other = second;
        if (other != null) {
            other.setTcpNoDelay(true);
            other.connect(target, CONNECT_MILLIS);
            startThread("lost-replies", () -> drain(other));
        }
    }

    private static void drain(Socket socket) {
        try {
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // It is over.
        }
    }

    private void pump(Socket from, Socket to, ProxyWeather weather) {
        byte[] buffer = new byte[BUFFER];
        try {
            while (true) {
                int count = from.getInputStream().read(buffer);
                switch (weather.await(() -> !over.get())) {
                    case TOO_LATE -> {
                        return;
                    }
                    case LOST -> torn = true;
                    case TORN -> {
                        pass(buffer, count / 2, to);
                        cut();
                        return;
                    }
                    case ARRIVES -> {
                        pass(buffer, count, to);
                        passTwice(buffer, count, to);
                    }
                }
                if (count < 0) {
                    break;
                }
            }
            // a connection that has lost something stays until it is cut, as after a lost FIN
            if (!torn && openDirections.decrementAndGet() == 0) {
                end(false);
            }
        } catch (IOException e) {
            cut();
        } catch (InterruptedException e) {
            cut();
            Thread.currentThread().interrupt();
        }
    }

    private void passTwice(byte[] buffer, int count, Socket to) {
        Socket other = second;
        if (other != null && to == server) {
            try {
                pass(buffer, count, other);
            } catch (IOException e) {
                // The second one is over: the first goes on alone.
            }
        }
    }

    private static void pass(byte[] buffer, int count, Socket to) throws IOException {
        if (count < 0) {
            to.shutdownOutput();
        } else {
            to.getOutputStream().write(buffer, 0, count);
        }
    }

    /** Whether some of its bytes were lost, so that what came after would make no sense. */
    boolean isTorn() {
        return torn;
    }

    /** Resets both sides. */
    void cut() {
        end(true);
    }

    private void end(boolean reset) {
        if (over.compareAndSet(false, true)) {
            close(client, reset);
            close(server, reset);
            Socket other = second;
            if (other != null) {
                close(other, reset);
            }
            requests.wake();
            replies.wake();
            ended.accept(this);
        }
    }

    static void close(Socket socket, boolean reset) {
        try (socket) {
            if (reset) {
                socket.setSoLinger(true, 0);
            }
        } catch (IOException e) {
            // The other side closed it first.
        }
    }
}
