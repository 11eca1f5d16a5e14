// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.internal.TimerHeap;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Validity;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A lease in the table, from its grant until nothing of it stands in anyone's way: through its
 * time, then through its lock-delay if it expired and has one.
 *
 * <p>Its place in the timer heap is for {@link #dueAt}, which renewal leaves behind: a renewal
 * moves {@link #expiry} and costs nothing more; when the old time comes, the table finds the lease
 * renewed and moves it.
 */
final class LiveLease implements TimerHeap.Timed {

    final LeaseId id;
    final Claim claim;
    private final Holder holder;
    private final @Nullable Extras extras;
    private final long grantedAt;

    long token;
    private Duration ttl;
    private long expiry;
    private long version = 1;
    private long rotatedFrom;
    private long dueAt;
    private int slot = TimerHeap.NOWHERE;
    private boolean lingering;

    /** What few leases have. */
    private record Extras(long lockDelay, Optional<LeaseRecord> record) {}

    LiveLease(LeaseRequest request, long token, long now) {
        LeaseRequest.Terms terms = request.terms();
        this.id = request.id();
        this.claim = request.claim();
        this.holder = request.holder();
        this.extras = terms.lockDelay().isZero() && terms.record().isEmpty()
                ? null
                : new Extras(terms.lockDelay().toNanos(), terms.record());
        this.token = token;
        this.ttl = terms.ttl();
        this.grantedAt = now;
        this.expiry = now + ttl.toNanos();
        this.dueAt = expiry;
    }

    boolean isHeld(long now) {
        return now < expiry;
    }

    /** When it stops standing in the way, unless renewed or released. */
    long clearAt() {
        return expiry + lockDelay();
    }

    private long lockDelay() {
        return extras == null ? 0 : extras.lockDelay;
    }

    void renew(Duration newTtl, long now) {
        ttl = newTtl;
        expiry = Math.max(
                expiry, now + newTtl.toNanos()); // never shorter: an earlier renewal's deadline is
        // relied upon
        version++;
    }

    void rotate(long newToken) {
        rotatedFrom = token;
        token = newToken;
        version++;
    }

    boolean wasRotatedFrom(long oldToken) {
        return rotatedFrom == oldToken;
    }

    /** Notes that the lease ran out; true the first time. What is left of it is its lock-delay. */
    boolean expire() {
        boolean first = !lingering;
        lingering = true;
        return first;
    }

    /** Brings the due time up to date; false when it was, so that the lease is really due. */
    boolean defer() {
        long due = lingering ? clearAt() : expiry;
        boolean moved = due != dueAt;
        dueAt = due;
        return moved;
    }

    Holder holder() {
        return holder;
    }

    long version() {
        return version;
    }

    long grantedAt() {
        return grantedAt;
    }

    Optional<LeaseRecord> record() {
        return extras == null ? Optional.empty() : extras.record;
    }

    Holding holding() {
        return new Holding(claim, holder, new FencingToken(token));
    }

    Grant grant() {
        return new Grant(holding(), id, ttl);
    }

    /**
     * How long it still stands in the way: to the end of its lease, or of the lock-delay behind it.
     */
    Duration remaining(long now) {
        return Duration.ofNanos(Math.max(0, (isHeld(now) ? expiry : clearAt()) - now));
    }

    Validity validity(long arrivedAt, long now) {
        Duration inStore = arrivedAt == now ? Duration.ZERO : Duration.ofNanos(now - arrivedAt);
        long left = expiry - now;
        return new Validity(inStore, left == ttl.toNanos() ? ttl : Duration.ofNanos(left));
    }

    @Override
    public long dueAt() {
        return dueAt;
    }

    @Override
    public int slot() {
        return slot;
    }

    @Override
    public void slot(int slot) {
        this.slot = slot;
    }
}
