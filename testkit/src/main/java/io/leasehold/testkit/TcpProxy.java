// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A network between a client and a server that fails on demand, whatever they speak: it cuts connections, refuses new
 * ones, loses bytes of one direction, delays them, breaks off in the middle of them, or makes connections twice, until
 * it is healed.
 *
 * <pre>{@code
 * try (TcpProxy network = TcpProxy.to(redis.port())) {
 *     client.connect("redis://127.0.0.1:" + network.port());
 *     network.loseReplies();                   // what is asked now is done, and nobody hears of it
 *     …
 *     network.heal();
 * }
 * }</pre>
 *
 * <p>A daemon thread listens and two serve each connection; all end when it is closed. Thread-safe.
 */
public final class TcpProxy implements AutoCloseable {

    private static final int BACKLOG = 200;
    private static final int PORTS_TO_TRY = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private volatile InetSocketAddress target;
    private final ProxyWeather requests = new ProxyWeather();
    private final ProxyWeather replies = new ProxyWeather();
    private final AtomicInteger accepted = new AtomicInteger();
    private final int port;
    // guards the fields below
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<ProxyLink> links = new HashSet<>();
    private boolean twice;
    // null while connections are refused
    private @Nullable ServerSocket listener;
    private @Nullable Thread acceptor;
    private boolean closed;

    private TcpProxy(InetSocketAddress target, int port) {
        this.target = target;
        this.port = port;
    }

    /** A healthy network to a port of this machine. */
    public static TcpProxy to(int port) {
        return to(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    /** A healthy network to an address. */
    public static TcpProxy to(InetSocketAddress target) {
        for (int attempt = 0; attempt < PORTS_TO_TRY; attempt++) {
            try {
                ServerSocket listener = listen(RedisProcess.freePort());
                TcpProxy proxy = new TcpProxy(target, listener.getLocalPort());
                proxy.startAccepting(listener);
                return proxy;
            } catch (IOException e) {
                // Another took the port meanwhile: try the next.
            }
        }
        throw new IllegalStateException("every port it tried was taken meanwhile");
    }

    private static ServerSocket listen(int port) throws IOException {
        return new ServerSocket(port, BACKLOG, InetAddress.getLoopbackAddress());
    }

    /** The port of 127.0.0.1 that clients connect to. It stays the same. */
    public int port() {
        return port;
    }

    /** How many connections there are. */
    public int connections() {
        lock.lock();
        try {
            return links.size();
        } finally {
            lock.unlock();
        }
    }

    /** How many connections there were so far. */
    public int accepted() {
        return accepted.get();
    }

    /** Resets all connections, on both sides; what is on its way is lost. New ones are welcome. */
    public void cut() {
        cut(link -> true);
    }

    private void cut(Predicate<ProxyLink> which) {
        List<ProxyLink> chosen;
        lock.lock();
        try {
            chosen = links.stream().filter(which).toList();
        } finally {
            lock.unlock();
        }
        chosen.forEach(ProxyLink::cut);
    }

    /** From now on nobody listens: who connects is refused. Connections that are there stay. */
    public void refuse() {
        stopListening(false);
    }

    /** From now on what the server says, and that it hangs up, does not reach the client. */
    public void loseReplies() {
        replies.lose();
    }

    /** From now on what the client says, and that it hangs up, does not reach the server. */
    public void loseRequests() {
        requests.lose();
    }

    /**
     * From now on what the client says waits so long before it goes on. What comes while something waits waits behind
     * it, and then its own time.
     */
    public void delayRequests(Duration delay) {
        requests.delay(delay);
    }

    /** As {@link #delayRequests}, for what the server says. */
    public void delayReplies(Duration delay) {
        replies.delay(delay);
    }

    /**
     * From now on whatever is sent arrives by half, and its connection is reset, in either direction: as when a machine
     * dies in the middle of a frame.
     */
    public void breakInMidFrame() {
        requests.tear();
        replies.tear();
    }

    /**
     * From now on a new connection reaches the server twice: all that the client says is said on both, and what the
     * server answers on the second is lost. Both end together.
     */
    public void duplicateConnections() {
        setTwice(true);
    }

    private void setTwice(boolean changed) {
        lock.lock();
        try {
            twice = changed;
        } finally {
            lock.unlock();
        }
    }

    /** Connections from now on lead to another port of this machine; {@link #cut} ends those there are. */
    public void leadTo(int changed) {
        target = new InetSocketAddress(InetAddress.getLoopbackAddress(), changed);
    }

    /**
     * Ends all failures: what waits goes on at once, and connections are taken again. Connections that have lost bytes
     * are cut, since TCP delivers no stream with a gap.
     */
    public void heal() {
        requests.heal();
        replies.heal();
        setTwice(false);
        cut(ProxyLink::isTorn);
        Poll.until(PATIENCE, this::listenAgain, () -> "port " + port + " is taken");
    }

    private boolean listenAgain() {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("the proxy is closed");
            }
            if (listener == null) {
                startAccepting(listen(port));
            }
            return true;
        } catch (IOException e) {
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Ends all connections and stops listening. */
    @Override
    public void close() {
        stopListening(true);
        cut();
    }

    /** Returns when the acceptor is gone: as long as it is in the system's call, the system takes connections. */
    private void stopListening(boolean forGood) {
        ServerSocket socket;
        Thread thread;
        lock.lock();
        try {
            closed |= forGood;
            socket = listener;
            thread = acceptor;
            listener = null;
        } finally {
            lock.unlock();
        }
        try {
            if (socket != null) {
                socket.close();
            }
            if (thread != null) {
                thread.join(PATIENCE.toMillis());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void startAccepting(ServerSocket socket) {
        Thread thread = new Thread(() -> accept(socket), "leasehold-proxy-accept-" + port);
        thread.setDaemon(true);
        lock.lock();
        try {
            listener = socket;
            acceptor = thread;
        } finally {
            lock.unlock();
        }
        thread.start();
    }

    private void accept(ServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                admit(socket.accept(), socket);
            } catch (IOException e) {
                // Closed, or no more files: then later again.
                LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
            }
        }
    }

    private void admit(Socket client, ServerSocket through) {
        ProxyLink link = new ProxyLink(client, target, requests, replies, this::forget);
        boolean welcome;
        lock.lock();
        try {
            welcome = listener == through;
            if (welcome) {
                link.reachTwice(twice);
                links.add(link);
            }
        } finally {
            lock.unlock();
        }
        if (welcome) {
            accepted.incrementAndGet();
            link.start();
        } else {
            link.cut();
        }
    }

    private void forget(ProxyLink link) {
        lock.lock();
        try {
            links.remove(link);
        } finally {
            lock.unlock();
        }
    }
}
