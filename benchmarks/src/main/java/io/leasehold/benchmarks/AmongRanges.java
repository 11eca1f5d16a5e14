// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Claim;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** An acquire and release, and a try that is refused, among many live byte ranges of the same inode. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class AmongRanges {

    private static final long INODE = 4711;
    private static final long STEP = 200; // of which the first half is leased
    private static final int PLACES = 1024; // a power of two

    @Param("10")
    public int live;

    private final MemoryLeaseStore store = MemoryLeaseStore.create();
    private final Requests requests = Requests.of(1, Requests.TTL);
    private final Claim[] free = new Claim[PLACES];
    private final Claim[] taken = new Claim[PLACES];
    private int turn;

    @Setup
    public void fill() {
        Requests lasting = Requests.of(2, Requests.LONG_TTL);
        for (int i = 0; i < live; i++) {
            Answers.granted(store.acquire(lasting.next(range(i * STEP, i * STEP + STEP / 2))));
        }
        for (int i = 0; i < PLACES; i++) {
            long start = (long) i * live / PLACES * STEP;
            free[i] = range(start + STEP / 2, start + STEP);
            taken[i] = range(start + STEP / 4, start + STEP);
        }
    }

    private static Claim range(long start, long end) {
        return Claim.exclusive(io.leasehold.model.Scope.range(INODE, start, end));
    }

    @TearDown
    public void close() {
        store.close();
    }

    @Benchmark
    public Ending pair() {
        Claim claim = free[turn++ & PLACES - 1];
        Grant grant = Answers.granted(store.acquire(requests.next(claim)));
        return Answers.ended(store.release(grant));
    }

    @Benchmark
    public Acquisition refusedTry() {
        Claim claim = taken[turn++ & PLACES - 1];
        return Answers.held(store.acquire(requests.next(claim)));
    }
}
