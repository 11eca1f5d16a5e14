// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.FencedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Claim;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * Each thread acquires and releases locks of its own, one after another under many distinct names: through the
 * engine's SPI, through the user's API, and by what the JDK has to offer without leases and tokens.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class Uncontended {

    private static final long TTL_NANOS = Requests.TTL.toNanos();

    private final MemoryLeaseStore store = MemoryLeaseStore.create();
    private final Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create());
    private final ConcurrentHashMap<String, Entry> map = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, LeaseEntry> leaseMap = new ConcurrentHashMap<>();
    private final AtomicLong lastToken = new AtomicLong();

    @TearDown
    public void close() {
        leasehold.close();
        store.close();
    }

    /** The least that a lock in a map has to know: whose it is. */
    private record Entry(long owner) {}

    /** The least that a lease in a map has to know. */
    private record LeaseEntry(long owner, long token, long expiry) {}

    /** A thread with its own locks of each kind. */
    @State(Scope.Thread)
    public static class Caller {

        private static final int NAMES = 1 << 14;

        private final ReentrantLock ownLock = new ReentrantLock();
        private final String[] names = new String[NAMES];
        private final Claim[] claims = new Claim[NAMES];
        private Requests requests;
        private FencedLock fencedLock;
        private int next;
        private long owner;

        @Setup
        public void setUp(ThreadParams thread, Uncontended shared) {
            int first = thread.getThreadIndex() * NAMES;
            for (int i = 0; i < NAMES; i++) {
                names[i] = Requests.name(first + i);
                claims[i] = Requests.named(first + i);
            }
            requests = Requests.of(thread.getThreadIndex(), Requests.TTL);
            fencedLock = shared.leasehold.lock(names[0]);
        }

        String nextName() {
            return names[next++ & NAMES - 1];
        }

        Claim nextClaim() {
            return claims[next++ & NAMES - 1];
        }
    }

    /** A thread with a lease of its own. */
    @State(Scope.Thread)
    public static class Keeper {

        private Grant grant;

        @Setup
        public void setUp(ThreadParams thread, Uncontended shared) {
            Requests requests = Requests.of(thread.getThreadIndex(), Requests.TTL);
            Claim claim = Requests.named(thread.getThreadIndex());
            grant = Answers.granted(shared.store.acquire(requests.next(claim)));
        }
    }

    @Benchmark
    public Ending engine(Caller caller) {
        Grant grant = Answers.granted(store.acquire(caller.requests.next(caller.nextClaim())));
        return Answers.ended(store.release(grant));
    }

    @Benchmark
    public Renewal engineRenewal(Keeper keeper) {
        return Answers.renewed(store.renew(RenewalRequest.of(keeper.grant, Requests.TTL)));
    }

    @Benchmark
    public long fencedLock(Caller caller) {
        try (Lease lease = caller.fencedLock.tryAcquire().orElseThrow()) {
            return lease.token().value();
        }
    }

    @Benchmark
    public @Nullable Object mapCompute(Caller caller) {
        String name = caller.nextName();
        long owner = ++caller.owner;
        Entry entry =
                map.compute(name, (key, present) -> present == null ? new Entry(owner) : present);
        if (entry.owner != owner) {
            throw new IllegalStateException("held by " + entry.owner);
        }
        return map.compute(
                name, (key, present) -> present == null || present.owner == owner ? null : present);
    }

    /** A lease by hand: a token and an expiry, and nothing else that makes an engine. */
    @Benchmark
    public @Nullable Object mapLease(Caller caller) {
        String name = caller.nextName();
        long owner = ++caller.owner;
        long now = System.nanoTime();
        LeaseEntry entry = leaseMap.compute(
                name,
                (key, present) -> present == null || present.expiry <= now
                        ? new LeaseEntry(owner, lastToken.incrementAndGet(), now + TTL_NANOS)
                        : present);
        if (entry.owner != owner) {
            throw new IllegalStateException("held by " + entry.owner);
        }
        long later = System.nanoTime();
        return leaseMap.compute(
                name,
                (key, present) ->
                        present == null || (present.owner == owner && later < present.expiry)
                                ? null
                                : present);
    }

    @Benchmark
    public int reentrantLock(Caller caller) {
        caller.ownLock.lock();
        try {
            return caller.ownLock.getHoldCount();
        } finally {
            caller.ownLock.unlock();
        }
    }
}
