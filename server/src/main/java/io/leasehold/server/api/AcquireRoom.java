// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.LeaseRecord;
import io.leasehold.server.access.Principal;
import io.leasehold.spi.LeaseRequest;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Bounds the memory that acquires take until they are over, here and in the stores. Each principal
 * has half of it, so that one whose callers wait by the thousand keeps out nobody else; whoever is
 * "anyone" has all of it. Thread-safe.
 */
final class AcquireRoom {

    /** Without its scopes and its record. */
    private static final long ACQUIRE = 4 << 10;

    /** Of a request that is one call, in the library that serves it. */
    private static final long REQUEST = 16 << 10;

    private static final long SCOPE = 1 << 10;

    private final long most;
    private final Map<String, Long> takenBy = new HashMap<>(); // guarded by this
    private long taken; // guarded by this

    AcquireRoom(long most) {
        this.most = most;
    }

    /** What one acquire takes. */
    final class Place {

        private final String principal;
        private final long bytes;
        private final AtomicBoolean free = new AtomicBoolean();

        private Place(String principal, long bytes) {
            this.principal = principal;
            this.bytes = bytes;
        }

        /** Gives the room back, once. */
        void free() {
            if (free.compareAndSet(false, true)) {
                change(principal, -bytes);
            }
        }
    }

    /**
     * Takes room for an acquire.
     *
     * @throws CallFailedException LIMIT_EXCEEDED if there is none
     */
    Place take(Caller caller, LeaseRequest request) {
        Principal who = caller.principal();
        long bytes = bytes(caller, request);
        synchronized (this) {
            long share = who.isAnyone() ? most : most / 2;
            if (taken + bytes > most || takenBy.getOrDefault(who.name(), 0L) + bytes > share) {
                throw Failures.limit(
                        "bytes of acquires under way",
                        share,
                        "the acquires under way"
                                + (taken + bytes > most ? "" : " of " + who.name())
                                + " take as much of the server's memory as they may; wait for some of"
                                + " them, or try again later");
            }
            change(who.name(), bytes);
        }
        return new Place(who.name(), bytes);
    }

    private static long bytes(Caller caller, LeaseRequest request) {
        return ACQUIRE
                + (caller.call().isOfSession() ? 0 : REQUEST)
                + SCOPE * request.claim().scopes().size()
                + request.terms().record().map(LeaseRecord::size).orElse(0);
    }

    private synchronized void change(String principal, long by) {
        taken += by;
        takenBy.merge(principal, by, (before, more) -> before + more == 0 ? null : before + more);
    }

    /** How many bytes are taken. */
    synchronized long taken() {
        return taken;
    }
}
