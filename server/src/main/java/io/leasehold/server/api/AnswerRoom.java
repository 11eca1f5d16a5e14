// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.protocol.v1.Failure;
import io.leasehold.server.access.Principal;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the bytes of the listings that are on their way from the stores to the network, whichever
 * way they were asked for. A listing takes room before the store is asked, keeps what its answer
 * needs, and gives it back when the answer was sent or can't be sent any more. Those that find no
 * room wait; each principal has half of the room and a quarter of the places to wait at, so that
 * one who does not read its answers keeps out nobody else. Whoever is "anyone" has all of it.
 * Stores are asked on threads for readers. Thread-safe.
 */
final class AnswerRoom {

    /** What a listing may need until its size is known: a page, its message and its JSON. */
    static final long RESERVED = 4L * Pages.MOST_BYTES;

    /** The message and its JSON or its bytes on the wire. */
    private static final int COPIES = 3;

    /** Principals that use none of the room are not in it. All below is guarded by this. */
    private final Map<String, Usage> usages = new HashMap<>();

    private final Set<Place<?>> waiting = new LinkedHashSet<>();
    private final long most;
    private final int mostWaiting;
    private final Executor readers;
    private long taken;

    private static final class Usage {
        private long taken;
        private int waiting;
    }

    AnswerRoom(OperationsOptions.Reads bounds, Executor readers) {
        this.most = Math.max(bounds.bytes(), 3 * RESERVED);
        this.mostWaiting = Math.max(1, bounds.underWay() / 4);
        this.readers = readers;
    }

    /**
     * Carries out a read when there is room for its answer.
     *
     * @param size of an answer as a message, in bytes
     * @throws CallFailedException LIMIT_EXCEEDED if too many reads of the principal wait for that
     */
    <T> CompletionStage<T> answer(
            Caller caller, Supplier<CompletionStage<T>> read, ToLongFunction<T> size) {
        Place<T> place = new Place<>(caller, read, size);
        synchronized (this) {
            Usage usage = usages.computeIfAbsent(place.principal.name(), none -> new Usage());
            if (!place.principal.isAnyone() && usage.waiting >= mostWaiting) {
                throw Failures.limit(
                        "reads that wait",
                        mostWaiting,
                        place.principal.name() + " does not read its answers: " + mostWaiting
                                + " more reads wait for that, which is the most; try again later");
            }
            usage.waiting++;
            waiting.add(place);
        }
        CompletionStage<Void> unused =
                caller.gone().whenComplete((gone, delivered) -> place.leave());
        admit();
        return place.reply;
    }

    /** How many bytes are taken. */
    synchronized long taken() {
        return taken;
    }

    private void admit() {
        for (Place<?> next = next(); next != null; next = next()) {
            next.begin();
        }
    }

    private synchronized @Nullable Place<?> next() {
        if (most - taken < RESERVED) {
            return null;
        }
        for (Iterator<Place<?>> places = waiting.iterator(); places.hasNext(); ) {
            Place<?> place = places.next();
            Usage usage = place.usage();
            if (place.principal.isAnyone() || most / 2 - usage.taken >= RESERVED) {
                places.remove();
                usage.waiting--;
                usage.taken += RESERVED;
                taken += RESERVED;
                place.bytes = RESERVED;
                return place;
            }
        }
        return null;
    }

    /** A listing. Its fields are guarded by the room. */
    private final class Place<T> {

        private final Principal principal;
        private final CallId call;
        private final Supplier<CompletionStage<T>> read;
        private final ToLongFunction<T> size;
        private final CompletableFuture<T> reply = new CompletableFuture<>();
        private long bytes;
        private boolean answered;
        private boolean left;

        Place(Caller caller, Supplier<CompletionStage<T>> read, ToLongFunction<T> size) {
            this.principal = caller.principal();
            this.call = caller.call();
            this.read = read;
            this.size = size;
        }

        void begin() {
            try {
                readers.execute(this::read);
            } catch (RuntimeException | Error e) { // the server has stopped, or has no thread
                answered(null, Failures.before(call, e));
            }
        }

        private void read() {
            try {
                CompletionStage<T> unused = read.get().whenComplete(this::answered);
            } catch (RuntimeException | Error e) {
                answered(null, Failures.before(call, e));
            }
        }

        private void answered(@Nullable T answer, @Nullable Throwable failure) {
            long needed = answer == null ? 0 : COPIES * size.applyAsLong(answer);
            synchronized (AnswerRoom.this) {
                answered = true;
                keep(left ? 0 : Math.min(bytes, needed));
            }
            if (answer != null) {
                reply.complete(answer);
            } else {
                reply.completeExceptionally(failure == null ? gone() : failure);
            }
            admit();
        }

        /** The answer was sent, or nobody waits for it. */
        void leave() {
            boolean waited;
            synchronized (AnswerRoom.this) {
                left = true;
                waited = waiting.remove(this);
                if (waited) {
                    usage().waiting--;
                }
                keep(answered || waited ? 0 : bytes);
            }
            if (waited) {
                reply.completeExceptionally(gone());
            }
            admit();
        }

        private void keep(long needed) {
            Usage usage = usage();
            usage.taken -= bytes - needed;
            taken -= bytes - needed;
            bytes = needed;
            if (usage.taken == 0 && usage.waiting == 0) {
                usages.remove(principal.name());
            }
        }

        private Usage usage() {
            return usages.computeIfAbsent(principal.name(), none -> new Usage());
        }

        private static CallFailedException gone() {
            return Failures.of(Failure.Kind.UNAVAILABLE, "nobody waits for the answer");
        }
    }
}
