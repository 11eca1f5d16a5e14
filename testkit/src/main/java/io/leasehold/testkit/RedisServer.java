// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis server for a test: a process of its own on a free port of 127.0.0.1 and in a temporary directory, without
 * persistence unless told otherwise. It can be killed, started again, paused, and made a replica.
 *
 * <pre>{@code
 * try (RedisServer redis = RedisServer.start("appendonly yes", "appendfsync always")) {
 *     redis.command("SET", "key", "value");
 *     redis.kill();
 *     redis.restart();
 *     assertThat(redis.command("GET", "key")).isEqualTo("value");
 * }
 * }</pre>
 *
 * <p>It ends when it is closed, and otherwise with the JVM. Thread-safe.
 */
public final class RedisServer implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration ONE_TRY = Duration.ofMillis(500);
    // in the words of two C libraries
    private static final Pattern PORT_TAKEN = Pattern.compile("Address (already )?in use");
    private static final int PORTS_TO_TRY = 20;

    private final RedisSetup setup;
    private final Path directory = Directories.create("leasehold-redis-");
    private final Thread hook = new Thread(this::end, "leasehold-redis-end");
    // guards the changes of the fields below, also while a process starts or ends
    private final ReentrantLock lock = new ReentrantLock();
    private volatile int port;
    private volatile int tlsPort;
    private volatile @Nullable RedisProcess process;
    private boolean closed;

    private RedisServer(RedisSetup setup) {
        this.setup = setup;
    }

    /** Starts the {@linkplain RedisBinary#bundled() bundled} Redis with these lines of {@code redis.conf}. */
    public static RedisServer start(String... settings) {
        return start(RedisBinary.bundled(), settings);
    }

    /** Starts a server of the given program with these lines of {@code redis.conf}. */
    public static RedisServer start(RedisBinary binary, String... settings) {
        return start(RedisSetup.of(binary, List.of(settings)));
    }

    /**
     * Starts a server that takes connections with TLS on a second port and shows them this certificate. It asks clients
     * for none, unless the settings say so; then it trusts this one.
     */
    public static RedisServer start(
            RedisBinary binary, TlsCertificate certificate, String... settings) {
        return start(new RedisSetup(binary, false, certificate, List.of(settings)));
    }

    static RedisServer start(RedisSetup setup) {
        RedisServer server = new RedisServer(setup);
        Runtime.getRuntime().addShutdownHook(server.hook);
        try {
            server.startAnywhere();
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** The port, which it keeps over restarts. */
    public int port() {
        return port;
    }

    /** Where clients find it, without a password. */
    public String uri() {
        return "redis://127.0.0.1:" + port;
    }

    /** Where clients find it with TLS, if it has a certificate. */
    public String tlsUri() {
        if (setup.certificate() == null) {
            throw new IllegalStateException("the server was started without a certificate");
        }
        return "rediss://127.0.0.1:" + tlsPort;
    }

    /** The directory it works in, with its data, if it keeps them, and its log. */
    public Path directory() {
        return directory;
    }

    /** What it has logged since the first start. */
    public String log() {
        return RedisProcess.log(directory);
    }

    /** Whether its process is there, paused or not. */
    public boolean isRunning() {
        RedisProcess running = process;
        return running != null && running.isAlive();
    }

    /** Kills it with {@code SIGKILL}, paused or not, and returns when it is gone. Does nothing if it is. */
    public void kill() {
        lock.lock();
        try {
            endProcess();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Starts it again on the same port, in the same directory and with the same settings, after killing it if it still
     * runs. It then knows what its persistence has kept; it is no replica any more unless its configuration file says so.
     */
    public void restart() {
        lock.lock();
        try {
            endProcess();
            Poll.until(PATIENCE, this::startHere, () -> cannotStart("its port is taken"));
        } finally {
            lock.unlock();
        }
    }

    /** Stops its process with {@code SIGSTOP}: its sockets stay, its clock goes on, it answers nothing. */
    public void pause() {
        running().pause();
    }

    /** Lets a paused process go on. */
    public void resume() {
        running().resume();
    }

    /** Whether it answers within this time; an error is an answer. */
    public boolean answers(Duration within) {
        try (RespSocket socket = RespSocket.to(port, within)) {
            socket.command("PING");
            return true;
        } catch (RedisErrorException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Runs one command on a connection of its own and returns the reply: a String, a Long, a List of replies, or null
     * for nil. Uses the password of the setting {@code requirepass}.
     *
     * @throws RedisErrorException if the server replies an error
     * @throws UncheckedIOException if it does not reply within ten seconds
     */
    public @Nullable Object command(String... words) {
        return command(Duration.ofSeconds(10), words);
    }

    private @Nullable Object command(Duration patience, String... words) {
        try (RespSocket socket = RespSocket.to(port, patience)) {
            Optional<String> password = setup.password();
            if (password.isPresent()) {
                socket.command("AUTH", password.get());
            }
            return socket.command(words);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    words[0] + " to the server on port " + port + ": " + e.getMessage(), e);
        }
    }

    /** The fields of a section of {@code INFO}. */
    public Map<String, String> info(String section) {
        return Replies.fields(command("INFO", section));
    }

    /** Makes it a replica and returns when it has all that the primary has now, and will get the rest. */
    public void replicaOf(RedisServer primary) {
        primary.setup
                .password()
                .ifPresent(password -> command("CONFIG", "SET", "masterauth", password));
        command("REPLICAOF", "127.0.0.1", Integer.toString(primary.port));
        awaitReplication(primary);
    }

    /** Returns when this replica has all that the primary has now. */
    public void awaitReplication(RedisServer primary) {
        long goal = offset(primary.info("replication").get("master_repl_offset"));
        Poll.until(
                PATIENCE,
                () -> hasReached(goal) && isOnlineAt(primary),
                () -> "the replica lags behind " + goal + ": " + info("replication") + "\n"
                        + log());
    }

    private boolean hasReached(long goal) {
        Map<String, String> state = info("replication");
        return "up".equals(state.get("master_link_status"))
                && offset(state.get("slave_repl_offset")) >= goal;
    }

    /** For up to a second after the first copy the primary keeps further writes back from a new replica. */
    private boolean isOnlineAt(RedisServer primary) {
        return primary.info("replication").values().stream()
                .anyMatch(value -> value.contains("port=" + port + ",state=online"));
    }

    private static long offset(@Nullable String field) {
        return field == null ? -1 : Long.parseLong(field);
    }

    /** Makes it a primary, with the data it has ({@code REPLICAOF NO ONE}). */
    public void promote() {
        command("REPLICAOF", "NO", "ONE");
    }

    /** Kills the process and deletes the directory. */
    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM ends; the hook finds nothing left to do.
        }
    }

    private void end() {
        lock.lock();
        try {
            closed = true;
            endProcess();
            Directories.delete(directory);
        } finally {
            lock.unlock();
        }
    }

    private RedisProcess running() {
        RedisProcess running = process;
        if (running == null || !running.isAlive()) {
            throw new IllegalStateException("the server on port " + port + " does not run");
        }
        return running;
    }

    private void endProcess() {
        RedisProcess running = process;
        if (running != null) {
            running.kill();
            process = null;
        }
    }

    private void startAnywhere() {
        lock.lock();
        try {
            for (int attempt = 0; attempt < PORTS_TO_TRY; attempt++) {
                port = RedisProcess.freePort();
                tlsPort = setup.certificate() == null ? 0 : RedisProcess.freePort();
                RedisProcess.configure(directory, setup.configuration(port, tlsPort));
                if (startHere()) {
                    return;
                }
            }
            throw new IllegalStateException(cannotStart("every port it tried was taken meanwhile"));
        } finally {
            lock.unlock();
        }
    }

    /** Starts the process and waits until it answers; false if another holds the port. */
    private boolean startHere() {
        if (closed) {
            throw new IllegalStateException("the server is closed");
        }
        int logged = log().length();
        RedisProcess started = RedisProcess.start(setup, directory);
        process = started;
        Poll.until(
                PATIENCE,
                () -> !started.isAlive() || isUp(started),
                () -> cannotStart("it does not answer"));
        if (started.isAlive()) {
            return true;
        }
        endProcess();
        String log = log();
        if (PORT_TAKEN.matcher(log.substring(Math.min(logged, log.length()))).find()) {
            return false;
        }
        throw new IllegalStateException(cannotStart("it ended at once"));
    }

    /**
     * Asks for the process id, since another server may have taken the port before this one came to it; and with PING,
     * since that alone is refused while the data are loaded.
     */
    private boolean isUp(RedisProcess started) {
        try {
            Object info = command(ONE_TRY, "INFO", "server");
            return Long.toString(started.pid()).equals(Replies.fields(info).get("process_id"))
                    && command(ONE_TRY, "PING") != null;
        } catch (RedisErrorException e) {
            return !String.valueOf(e.getMessage()).startsWith("LOADING");
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    private String cannotStart(String reason) {
        return "cannot start " + setup.binary().path() + " on port " + port + ": " + reason + "\n"
                + log();
    }

    @Override
    public String toString() {
        return "Redis on port " + port;
    }
}
