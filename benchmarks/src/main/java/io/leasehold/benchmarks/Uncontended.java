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
import io.leasehold.spi.Time;
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
 * Each thread acquires and releases a lock of its own: through the engine's SPI, through the user's
 * API, and by what the JDK has to offer, under the same names.
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

    /** A thread with its own lock of each kind. */
    @State(Scope.Thread)
    public static class Caller {

        private final ReentrantLock ownLock = new ReentrantLock();
        private String name;
        private Claim claim;
        private Requests requests;
        private FencedLock fencedLock;
        private long owner;

        @Setup
        public void setUp(ThreadParams thread, Uncontended shared) {
            name = Requests.name(thread.getThreadIndex());
            claim = Requests.named(thread.getThreadIndex());
            requests = Requests.of(thread.getThreadIndex(), Requests.TTL);
            fencedLock = shared.leasehold.lock(name);
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
        Grant grant = Answers.granted(store.acquire(caller.requests.next(caller.claim)));
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
        String name = caller.name;
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
        String name = caller.name;
        long owner = ++caller.owner;
        long now = Time.system().nanos();
        LeaseEntry entry = leaseMap.compute(
                name,
                (key, present) -> present == null || present.expiry <= now
                        ? new LeaseEntry(owner, lastToken.incrementAndGet(), now + TTL_NANOS)
                        : present);
        if (entry.owner != owner) {
            throw new IllegalStateException("held by " + entry.owner);
        }
        long later = Time.system().nanos();
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
