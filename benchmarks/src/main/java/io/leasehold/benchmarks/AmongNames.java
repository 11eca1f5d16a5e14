// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Claim;
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

/**
 * An acquire and release among many live leases on other names. The live ones end later than the new one does, which
 * is the worst order for a heap of due times: the new one rises to the top and leaves from there.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class AmongNames {

    private static final int FREE_NAMES = 1024; // a power of two; enough to reach every stripe

    @Param("1000")
    public int live;

    private final MemoryLeaseStore store = MemoryLeaseStore.create();
    private final Requests requests = Requests.of(1, Requests.TTL);
    private final Claim[] free = new Claim[FREE_NAMES];
    private int turn;

    @Setup
    public void fill() {
        Requests lasting = Requests.of(2, Requests.LONG_TTL);
        for (int i = 0; i < live; i++) {
            Answers.granted(store.acquire(lasting.next(Requests.named(i))));
        }
        for (int i = 0; i < FREE_NAMES; i++) {
            free[i] = Requests.named(live + i);
        }
    }

    @TearDown
    public void close() {
        store.close();
    }

    @Benchmark
    public Ending pair() {
        Claim claim = free[turn++ & FREE_NAMES - 1];
        Grant grant = Answers.granted(store.acquire(requests.next(claim)));
        return Answers.ended(store.release(grant));
    }
}
