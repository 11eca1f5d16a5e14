// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider.ImmediateRedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.CharBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A connection of our own, for calls: the thread that calls writes, and if it is going to wait for
 * the answer anyway, it also reads. The client library hands every call to a thread of its own and
 * that one hands the answer back; to wake threads takes longer than all the rest of a call.
 *
 * <p>At most one thread reads at a time: a caller that waits, and otherwise a thread of the line
 * that sleeps while nothing is under way. The line breaks once and for all; what was under way is
 * unknown then.
 */
final class DirectLine implements AutoCloseable {

    /** How long a caller reads before it leaves that to the line's own thread. */
    private static final Duration READ_AT_MOST = Duration.ofMillis(20);

    private static final byte[][] NOTHING = {};
    private static final Pattern RUN_ID = Pattern.compile("(?m)^run_id:([0-9a-f]{40})\\s*$");

    private final Socket socket;
    private final RespReader in;
    private final Queue<CompletableFuture<@Nullable Object>> underWay =
            new ConcurrentLinkedQueue<>();
    // whether a thread reads; what it reads with is its own
    private final AtomicBoolean reading = new AtomicBoolean();
    // guards what follows
    private final ReentrantLock writing = new ReentrantLock();
    private final RespWriter out;
    private volatile @Nullable Thread reader;
    private volatile boolean broken;
    private volatile String run = "";

    private DirectLine(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new RespReader(socket.getInputStream());
        this.out = new RespWriter(socket.getOutputStream());
    }

    /** Whether there can be one: to a single server, in the open, with a password that is known. */
    static boolean isPossible(RedisURI uri) {
        return uri.getHost() != null
                && uri.getSentinels().isEmpty()
                && uri.getSocket() == null
                && !uri.isSsl()
                && uri.getCredentialsProvider() instanceof ImmediateRedisCredentialsProvider;
    }

    /**
     * Connects and introduces itself.
     *
     * @param bound whether to learn the id of the server's run, which no connection outlives
     */
    static DirectLine to(RedisURI uri, Duration patience, boolean bound) throws IOException {
        Socket socket = new Socket();
        try {
            int millis = Math.toIntExact(patience.toMillis());
            socket.setTcpNoDelay(true);
            socket.setKeepAlive(true);
            socket.connect(new InetSocketAddress(uri.getHost(), uri.getPort()), millis);
            socket.setSoTimeout(millis);
            DirectLine line = new DirectLine(socket);
            line.introduce(uri);
            if (bound) {
                line.run = line.runId();
            }
            return line;
        } catch (IOException | RuntimeException | Error e) {
            socket.close();
            throw e;
        }
    }

    private void introduce(RedisURI uri) throws IOException {
        RedisCredentials credentials = ((ImmediateRedisCredentialsProvider)
                        uri.getCredentialsProvider())
                .resolveCredentialsNow();
        if (credentials.hasPassword()) {
            List<String> words = new ArrayList<>(List.of("AUTH"));
            if (credentials.hasUsername()) {
                words.add(credentials.getUsername());
            }
            words.add(CharBuffer.wrap(credentials.getPassword()).toString());
            ask(words);
        }
        if (uri.getDatabase() != 0) {
            ask(List.of("SELECT", Integer.toString(uri.getDatabase())));
        }
        if (uri.getClientName() != null) {
            ask(List.of("CLIENT", "SETNAME", uri.getClientName()));
        }
    }

    private @Nullable Object ask(List<String> words) throws IOException {
        out.write(words.stream().map(word -> word.getBytes(UTF_8)).toArray(byte[][]::new), NOTHING);
        Object answer = in.next();
        if (answer instanceof RuntimeException refusal) {
            throw refusal;
        }
        return answer;
    }

    private String runId() throws IOException {
        Matcher matcher =
                RUN_ID.matcher(Wire.string(Objects.requireNonNull(ask(List.of("INFO", "server")))));
        if (!matcher.find()) {
            throw new IOException("the server does not tell its run id");
        }
        return matcher.group(1);
    }

    boolean isBroken() {
        return broken;
    }

    /** The id of the server's run, if the line is bound to it; else nothing. */
    String run() {
        return run;
    }

    /** Sends a command that the line's own thread reads the reply to. Null if it is broken. */
    @Nullable
    CompletableFuture<@Nullable Object> call(byte[][] head, byte[][] rest) {
        CompletableFuture<@Nullable Object> reply = send(head, rest);
        if (reply != null && !reading.get()) {
            wakeReader();
        }
        return reply;
    }

    /** Sends a command that the caller is going to {@link #read} the reply to. Null if broken. */
    @Nullable
    CompletableFuture<@Nullable Object> send(byte[][] head, byte[][] rest) {
        CompletableFuture<@Nullable Object> reply = new CompletableFuture<>();
        IOException failure = null;
        writing.lock();
        try {
            if (broken) {
                return null;
            }
            underWay.add(reply);
            out.write(head, rest);
        } catch (IOException e) {
            broken = true;
            failure = e;
        } finally {
            writing.unlock();
        }
        if (broken) {
            // perhaps by another thread, before this call was known
            breakDown(failure == null ? new IOException("the connection broke") : failure);
        }
        return reply;
    }

    // ---- reading

    /** Reads all replies that are due, in this thread for a while, then in the line's own. */
    void read() {
        if (reading.compareAndSet(false, true)) {
            try {
                readAll((int) READ_AT_MOST.toMillis());
            } finally {
                reading.set(false);
            }
        }
        if (!underWay.isEmpty()) {
            wakeReader();
        }
    }

    private void readAll(int timeout) {
        try {
            socket.setSoTimeout(timeout);
            while (!underWay.isEmpty()) {
                readOne();
            }
        } catch (SocketTimeoutException e) {
            // what has arrived is kept
        } catch (IOException e) {
            breakDown(e);
        } catch (RuntimeException | Error e) { // nobody would read what is behind it
            breakDown(new IOException("a reply could not be read", e));
            throw e;
        }
    }

    private void readOne() throws IOException {
        Object reply = in.next();
        CompletableFuture<@Nullable Object> call = underWay.poll();
        if (call == null) {
            throw new IOException("a reply that nobody asked for");
        } else if (reply instanceof RuntimeException error) {
            call.completeExceptionally(error);
        } else {
            call.complete(reply);
        }
    }

    private void wakeReader() {
        Thread asleep = reader;
        LockSupport.unpark(asleep == null ? newReader() : asleep);
    }

    private Thread newReader() {
        writing.lock();
        try {
            Thread known = reader;
            if (known != null) {
                return known;
            }
            Thread fresh = new Thread(this::readAlways, "leasehold-redis-reader");
            fresh.setDaemon(true);
            fresh.start();
            reader = fresh;
            return fresh;
        } finally {
            writing.unlock();
        }
    }

    private void readAlways() {
        while (!broken) {
            if (underWay.isEmpty() || !reading.compareAndSet(false, true)) {
                LockSupport.park(this);
                continue;
            }
            try {
                readAll(0);
            } finally {
                reading.set(false);
            }
        }
    }

    // ---- the end

    @Override
    public void close() {
        breakDown(new IOException("the connection was closed"));
    }

    private void breakDown(IOException reason) {
        broken = true;
        try {
            socket.close();
        } catch (IOException e) {
            // it is of no use either way
        }
        for (CompletableFuture<@Nullable Object> call = underWay.poll();
                call != null;
                call = underWay.poll()) {
            call.completeExceptionally(reason);
        }
        // does not wait for the lock: a thread that writes may hold it for long
        LockSupport.unpark(reader);
    }
}
