// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseId;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.QuorumNode;
import io.leasehold.spi.Round;
import io.leasehold.spi.Validity;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;

/** What the operations of a store share. */
final class Context {

    private static final int REMEMBERED = 8192;
    private static final long DRIFT_NANOS = 2_000_000;
    private static final int DRIFT_PARTS = 100;

    /** What tells a lease from others, also from what is asked for under the same id. */
    private record Identity(LeaseId id, Claim claim) {}

    private final Members members;
    private final RandomGenerator random;
    private final Settlement settlement;
    private final RecordCopies copies;
    private final AtomicLong rounds;
    private final Map<LeaseId, Pursuit> pursuits = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock(); // guards random and ended
    private final Map<Identity, Boolean> ended = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Identity, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    };

    Context(Members members, RandomGenerator random, Safeguards safeguards) {
        this.members = members;
        this.random = random;
        this.rounds = new AtomicLong(members.time().wallMillis() * 1000);
        this.settlement = new Settlement(members, safeguards);
        this.copies = new RecordCopies(members);
    }

    Members members() {
        return members;
    }

    Settlement settlement() {
        return settlement;
    }

    RecordCopies copies() {
        return copies;
    }

    /** Any number. */
    long randomNumber() {
        lock.lock();
        try {
            return random.nextLong();
        } finally {
            lock.unlock();
        }
    }

    /** A random number from 0 to below the bound. */
    long below(long bound) {
        lock.lock();
        try {
            return random.nextLong(bound);
        } finally {
            lock.unlock();
        }
    }

    // ---- requests under way

    CompletableFuture<Acquisition> pursue(LeaseRequest request) {
        return pursuits.computeIfAbsent(request.id(), id -> new Pursuit(this, request))
                .join(request);
    }

    /** A repeat that came when the request had just been answered. */
    void again(LeaseRequest request, CompletableFuture<Acquisition> reply) {
        CompletionStage<Acquisition> unused = pursue(request).whenComplete((answer, failure) -> {
            if (failure == null) {
                reply.complete(answer);
            } else {
                reply.completeExceptionally(failure);
            }
        });
    }

    void forget(LeaseId id, Pursuit pursuit) {
        pursuits.remove(id, pursuit);
    }

    void withdraw(LeaseId id) {
        Pursuit pursuit = pursuits.get(id);
        if (pursuit != null) {
            pursuit.withdraw();
        }
    }

    /** Whether the id is in use for another claim, by a request of this process that is under way. */
    boolean isOfAnother(LeaseRequest request) {
        Pursuit pursuit = pursuits.get(request.id());
        return pursuit != null && !pursuit.claim.equals(request.claim());
    }

    /** Ends the pursuit of a request; but not if it has another sender as well: false then. */
    CompletableFuture<Boolean> withdrawUnlessShared(LeaseRequest request) {
        Pursuit pursuit = pursuits.get(request.id());
        return pursuit == null
                ? CompletableFuture.completedFuture(true)
                : pursuit.withdrawUnlessShared(request.sender());
    }

    void close() {
        List.copyOf(pursuits.values()).forEach(Pursuit::close);
    }

    // ---- leases

    /** Notes that a lease was ended from here, so that nothing late revives it. */
    void noteEnd(LeaseId id, Claim claim) {
        lock.lock();
        try {
            ended.put(new Identity(id, claim), Boolean.TRUE);
        } finally {
            lock.unlock();
        }
    }

    /** A majority has granted it: what was taken back as a request that waited has come again. */
    void noteGrant(LeaseRequest request) {
        lock.lock();
        try {
            ended.remove(new Identity(request.id(), request.claim()));
        } finally {
            lock.unlock();
        }
    }

    private boolean hasEnded(LeaseRequest lease) {
        lock.lock();
        try {
            return ended.containsKey(new Identity(lease.id(), lease.claim()));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sees to it that a member has a lease that a majority has, under its token. Nobody waits for
     * it; if it fails, the next renewal tries again.
     */
    void restore(Member member, LeaseRequest lease, FencingToken token) {
        if (hasEnded(lease)) {
            clear(member, lease);
            return;
        }
        CompletableFuture<?> unused = member.ask((QuorumNode node) -> node.restore(lease, token))
                .thenAccept(answer -> {
                    if (answer instanceof Granted && hasEnded(lease)) {
                        clear(member, lease);
                    }
                });
    }

    /** The same for a member that has just granted it, under a token of its own or this one. */
    void align(Member member, LeaseRequest lease, Grant grant, FencingToken token) {
        if (hasEnded(lease)) {
            clear(member, lease);
        } else {
            CompletableFuture<?> unused = member.ask(node -> node.raise(grant, token, Round.FINAL));
        }
    }

    /** Takes back what a member may have granted to this attempt alone, in this round or before. */
    void retract(Member member, LeaseRequest request, Round round) {
        CompletableFuture<?> unused = member.ask(node -> node.retract(request, round));
    }

    /** Takes away a lease that is over, whenever it was granted. */
    void clear(Member member, LeaseRequest request) {
        CompletableFuture<?> unused = member.ask(node -> node.withdraw(request));
    }

    /** The number of a new attempt. */
    long newAttempt() {
        return 1 + below((1L << 53) - 1);
    }

    /** A round after all that this process has begun or seen. */
    Round nextRound(long attempt) {
        return new Round(rounds.incrementAndGet(), attempt);
    }

    /** Notes that a member was asked in a round, also by another process. */
    void saw(Round round) {
        rounds.accumulateAndGet(round.number(), Math::max);
    }

    // ---- time

    /** When a lease ends at a member at the earliest, by the clock of this process. */
    static long endOf(long sentAt, Validity validity) {
        return sentAt + validity.inStore().plus(validity.remaining()).toNanos();
    }

    /** What clocks may be apart in the course of a ttl. */
    static Duration drift(Duration ttl) {
        return ttl.dividedBy(DRIFT_PARTS).plusNanos(DRIFT_NANOS);
    }
}
