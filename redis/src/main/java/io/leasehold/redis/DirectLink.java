// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Time;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A link whose calls take {@link DirectLine}s: one that all calls share, and some more for threads
 * that wait, each for one call at a time. While there is none, calls go through the client library,
 * as does all else. Lines are opened in the background: another one when none is free, and a new one
 * for what broke as soon as a call has succeeded through the library.
 */
final class DirectLink implements Link {

    private static final System.Logger LOG = System.getLogger(DirectLink.class.getName());
    private static final int MAX_LANES = 8;
    // where the arguments of the script have the highest token
    private static final int HIGHEST = 1;
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(500);

    private final Link library;
    private final RedisURI uri;
    private final Duration patience;
    private final Time time;
    private final boolean bound;
    private final AtomicBoolean opening = new AtomicBoolean();
    // all that are open but the shared one; and those of them that are free
    private final Set<DirectLine> lanes = ConcurrentHashMap.newKeySet();
    private final ConcurrentLinkedDeque<DirectLine> free = new ConcurrentLinkedDeque<>();
    private volatile @Nullable DirectLine shared;
    private volatile boolean closed;

    private DirectLink(Link library, RedisURI uri, Duration patience, Time time, boolean bound) {
        this.library = library;
        this.uri = uri;
        this.patience = patience;
        this.time = time;
        this.bound = bound;
    }

    /** The same link, with lines if there can be any. */
    static Link over(Link library, RedisURI uri, Duration patience, Time time) {
        return library.isCluster() || !DirectLine.isPossible(uri)
                ? library
                : new DirectLink(library, uri, patience, time, false);
    }

    /**
     * A link with lines alone, whose calls say which run of the server they are meant for: it is in
     * the place of the highest token.
     */
    static Link bound(Link library, RedisURI uri, Duration patience, Time time) {
        DirectLink link = new DirectLink(library, uri, patience, time, true);
        try {
            link.share();
            return link;
        } catch (IOException | RuntimeException e) {
            library.close();
            throw Failures.unreachable(e);
        }
    }

    // ---- calls

    @Override
    public CompletionStage<List<Object>> run(Script script, byte[] key, byte[][] arguments) {
        DirectLine line = shared;
        if (line != null) {
            bind(arguments, line);
            CompletableFuture<@Nullable Object> reply = line.call(script.call(key), arguments);
            if (reply != null) {
                return answers(reply, line, script, key, arguments);
            }
        }
        if (bound) {
            open(this::share);
            return CompletableFuture.failedFuture(
                    new StoreUnavailableException("there is no connection to Redis"));
        }
        return library.run(script, key, arguments).whenComplete((answers, error) -> {
            if (error == null) {
                open(this::share);
            }
        });
    }

    private void bind(byte[][] arguments, DirectLine line) {
        if (bound) {
            arguments[HIGHEST] = Wire.text("N" + line.run());
        }
    }

    @Override
    public @Nullable Lane lane() {
        for (DirectLine line = free.pollFirst(); line != null; line = free.pollFirst()) {
            if (!line.isBroken()) {
                return new OwnLane(line);
            }
            lanes.remove(line);
        }
        // the shared one has shown that the server can be reached
        DirectLine proof = shared;
        if (lanes.size() < MAX_LANES && proof != null && !proof.isBroken()) {
            open(this::addLane);
        }
        return null;
    }

    /** A line of which nobody else makes use until the answer is there. */
    private final class OwnLane implements Lane {

        private final DirectLine line;

        OwnLane(DirectLine line) {
            this.line = line;
        }

        @Override
        public CompletionStage<List<Object>> run(Script script, byte[] key, byte[][] arguments) {
            bind(arguments, line);
            CompletableFuture<@Nullable Object> reply = line.send(script.call(key), arguments);
            if (reply == null) {
                return DirectLink.this.run(script, key, arguments);
            }
            CompletableFuture<List<Object>> answers = answers(reply, line, script, key, arguments);
            reply.whenComplete((answer, error) -> {
                if (line.isBroken()) {
                    lanes.remove(line);
                } else {
                    free.addFirst(line);
                }
            });
            return answers;
        }

        @Override
        public void read() {
            line.read();
        }
    }

    private static CompletableFuture<List<Object>> answers(
            CompletableFuture<@Nullable Object> reply,
            DirectLine line,
            Script script,
            byte[] key,
            byte[][] arguments) {
        CompletableFuture<List<Object>> answers = new CompletableFuture<>();
        reply.whenComplete((answer, error) -> {
            CompletableFuture<@Nullable Object> again = error instanceof RedisNoScriptException
                    ? line.call(script.firstCall(key), arguments)
                    : null;
            if (again == null) {
                settle(answers, answer, error);
            } else {
                again.whenComplete((other, failure) -> settle(answers, other, failure));
            }
        });
        return answers;
    }

    @SuppressWarnings("unchecked") // the script returns an array, or the only answer
    private static void settle(
            CompletableFuture<List<Object>> answers,
            @Nullable Object answer,
            @Nullable Throwable error) {
        if (error != null) {
            answers.completeExceptionally(error);
        } else if (answer instanceof List<?> list) {
            answers.complete((List<Object>) list);
        } else if (answer instanceof byte[]) {
            answers.complete(List.of(answer));
        } else {
            answers.completeExceptionally(new IOException("Redis answered what can't be read"));
        }
    }

    // ---- lines

    @Override
    public void doubt() {
        drop();
    }

    @Override
    public void lookForPrimary() {
        drop();
        library.lookForPrimary();
    }

    private void drop() {
        DirectLine line = shared;
        if (line != null) {
            line.close();
        }
        lanes.forEach(DirectLine::close);
    }

    private interface Opening {
        void run() throws IOException;
    }

    /** Opens a line in a thread of its own, unless one is being opened. */
    private void open(Opening what) {
        if (!closed && opening.compareAndSet(false, true)) {
            Thread thread = new Thread(() -> tryTo(what), "leasehold-redis-line");
            thread.setDaemon(true);
            try {
                thread.start();
            } catch (OutOfMemoryError e) { // unable to create native thread
                tryLater(e);
            }
        }
    }

    private void tryTo(Opening what) {
        try {
            what.run();
            opening.set(false);
            if (closed) {
                drop();
            }
        } catch (IOException | RuntimeException | Error e) {
            tryLater(e);
        }
    }

    private void tryLater(Throwable failure) {
        LOG.log(System.Logger.Level.DEBUG, "no line could be opened; it goes on without", failure);
        time.schedule(PAUSE_AFTER_FAILURE, () -> opening.set(false));
    }

    private void share() throws IOException {
        DirectLine line = shared;
        if (line == null || line.isBroken()) {
            shared = DirectLine.to(uri, patience, bound);
        }
    }

    private void addLane() throws IOException {
        if (lanes.size() < MAX_LANES) {
            DirectLine line = DirectLine.to(uri, patience, bound);
            lanes.add(line);
            free.addFirst(line);
        }
    }

    // ---- the library's

    @Override
    public CompletionStage<Long> awaitReplicas(int replicas, Duration atMost) {
        return library.awaitReplicas(replicas, atMost);
    }

    @Override
    public CompletionStage<Void> subscribe(String channel) {
        return library.subscribe(channel);
    }

    @Override
    public void unsubscribe(String channel) {
        library.unsubscribe(channel);
    }

    @Override
    public CompletionStage<String> info(String section) {
        return library.info(section);
    }

    @Override
    public CompletionStage<Map<String, String>> settings(String pattern) {
        return library.settings(pattern);
    }

    @Override
    public boolean isCluster() {
        return library.isCluster();
    }

    @Override
    public void close() {
        closed = true;
        drop();
        library.close();
    }
}
