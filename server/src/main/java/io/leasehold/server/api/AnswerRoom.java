// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.LeaseRecord;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.server.access.Principal;
import java.util.LinkedHashMap;
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
 * Bounds the bytes of large answers that are on their way from the stores to the network, whichever
 * way they were asked for: of listings, and of replies to acquires that tell of a record. A listing
 * takes room before the store is asked, and keeps what its answer needs; a reply takes room before
 * it is written. Both give it back when they were sent or can't be sent any more. Those that find
 * no room wait; each principal has half of the room and a bounded number of places to wait at, so
 * that one who does not read its answers keeps out nobody else. Whoever is "anyone" has all of it.
 * Stores are asked on threads for readers. Thread-safe.
 */
final class AnswerRoom {

    /** What a listing may need until its size is known: a page, its message and its JSON. */
    static final long RESERVED = 4L * Pages.MOST_BYTES;

    /** What the store gave, its message, and its JSON or its bytes on the wire. */
    private static final int COPIES = 3;

    /** In the order of their turns, only those who use some of the room. Guarded by this. */
    private final Map<String, Usage> usages = new LinkedHashMap<>();

    private final long most;
    private final int mostReads;
    private final Executor readers;
    private long taken; // guarded by this

    private static final class Usage {
        private final Set<Place<?>> waiting = new LinkedHashSet<>();
        private long taken;
    }

    /**
     * What is to be done when there is room for it.
     *
     * @param reserved bytes that it takes
     * @param read gives the answer
     * @param size of the answer as a message, in bytes
     * @param executor where it is done
     */
    private record Read<T>(
            long reserved,
            Supplier<CompletionStage<T>> read,
            ToLongFunction<T> size,
            Executor executor) {}

    AnswerRoom(OperationsOptions.Reads bounds, Executor readers) {
        this.most = Math.max(bounds.bytes(), 3 * RESERVED);
        this.mostReads = Math.max(1, bounds.underWay() / 4);
        this.readers = readers;
    }

    /**
     * Carries out a read when there is room for its answer.
     *
     * @param size of an answer as a message, in bytes
     * @throws CallFailedException LIMIT_EXCEEDED if too many answers of the principal wait for that
     */
    <T> CompletionStage<T> answer(
            Caller caller, Supplier<CompletionStage<T>> read, ToLongFunction<T> size) {
        Place<T> place = new Place<>(caller, new Read<>(RESERVED, read, size, readers));
        return enter(place, place.principal.isAnyone() ? Integer.MAX_VALUE : mostReads);
    }

    /**
     * Gives back a reply when there is room for it.
     *
     * @param bytes of the reply as a message
     * @throws CallFailedException LIMIT_EXCEEDED if too many answers of the principal wait for that
     */
    <T> CompletionStage<T> keep(Caller caller, T reply, long bytes) {
        Read<T> kept = new Read<>(
                COPIES * bytes,
                () -> CompletableFuture.completedStage(reply),
                known -> bytes,
                Runnable::run);
        Place<T> place = new Place<>(caller, kept);
        return enter(place, place.share() / LeaseRecord.MAX_BYTES);
    }

    private <T> CompletionStage<T> enter(Place<T> place, long mostWaiting) {
        synchronized (this) {
            Set<Place<?>> waiting = place.usage().waiting;
            if (waiting.size() >= mostWaiting) {
                throw Failures.limit(
                        "answers that wait",
                        mostWaiting,
                        place.principal.name() + " does not read its answers: " + mostWaiting
                                + " more wait for that, which is the most; try again later");
            }
            waiting.add(place);
        }
        CompletionStage<Void> unused =
                place.caller.gone().whenComplete((gone, delivered) -> place.leave());
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

    /** The first of the principal whose turn it is, of those who have some of their share left. */
    private synchronized @Nullable Place<?> next() {
        for (Map.Entry<String, Usage> turn : usages.entrySet()) {
            Usage usage = turn.getValue();
            Place<?> place =
                    usage.waiting.isEmpty() ? null : usage.waiting.iterator().next();
            if (place != null && place.share() - usage.taken >= place.read.reserved()) {
                if (most - taken < place.read.reserved()) {
                    return null; // nobody overtakes it
                }
                usage.waiting.remove(place);
                place.keep(place.read.reserved());
                usages.remove(turn.getKey());
                usages.put(turn.getKey(), usage);
                return place;
            }
        }
        return null;
    }

    /** An answer. Its fields are guarded by the room. */
    private final class Place<T> {

        private final Caller caller;
        private final Principal principal;
        private final Read<T> read;
        private final CompletableFuture<T> reply = new CompletableFuture<>();
        private long bytes;
        private boolean answered;
        private boolean left;

        Place(Caller caller, Read<T> read) {
            this.caller = caller;
            this.principal = caller.principal();
            this.read = read;
        }

        long share() {
            return principal.isAnyone() ? most : most / 2;
        }

        void begin() {
            try {
                read.executor().execute(this::read);
            } catch (RuntimeException | Error e) { // the server has stopped, or has no thread
                answered(null, Failures.before(caller.call(), e));
            }
        }

        private void read() {
            try {
                CompletionStage<T> unused = read.read().get().whenComplete(this::answered);
            } catch (RuntimeException | Error e) {
                answered(null, Failures.before(caller.call(), e));
            }
        }

        private void answered(@Nullable T answer, @Nullable Throwable failure) {
            long needed = answer == null ? 0 : COPIES * read.size().applyAsLong(answer);
            boolean freed;
            synchronized (AnswerRoom.this) {
                answered = true;
                long before = bytes;
                keep(left ? 0 : Math.min(bytes, needed));
                freed = bytes < before;
            }
            if (answer != null) {
                reply.complete(answer);
            } else {
                reply.completeExceptionally(failure == null ? gone() : failure);
            }
            if (freed) {
                admit();
            }
        }

        /** The answer was sent, or nobody waits for it. */
        void leave() {
            boolean waited;
            synchronized (AnswerRoom.this) {
                left = true;
                waited = usage().waiting.remove(this);
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
            if (usage.taken == 0 && usage.waiting.isEmpty()) {
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
