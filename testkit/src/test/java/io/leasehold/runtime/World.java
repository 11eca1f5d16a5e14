// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.FencingToken;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Time;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.logging.Level;
import java.util.logging.Logger;

/** One memory store under one virtual time, with as many clients as a test wants. */
final class World {

    /** What the deadline of a lease of 30 s is: 2 % and 5 ms before the store's. */
    static final Duration TRUSTED = Duration.ofMillis(29_395);

    static final Duration TTL = Duration.ofSeconds(30);
    static final Duration PATIENCE = Duration.ofSeconds(5);

    // Leases are lost here by the thousand, each with a warning. Kept, for loggers are held weakly.
    private static final Logger WARNINGS = Logger.getLogger("io.leasehold");

    static {
        WARNINGS.setLevel(Level.OFF);
    }

    final VirtualTime time;
    final MemoryLeaseStore store;

    private World(VirtualTime time, Time storeTime) {
        this.time = time;
        this.store = MemoryLeaseStore.create(TableOptions.defaults(), storeTime);
    }

    static World create() {
        return on(VirtualTime.create());
    }

    static World on(VirtualTime time) {
        return new World(time, time);
    }

    static World on(VirtualTime time, Time storeTime) {
        return new World(time, storeTime);
    }

    /** The rate of a clock at the very edge of what is allowed, or within. */
    static double rate(SplittableRandom random) {
        return List.of(0.99, 1.01, 1.0, 0.99 + random.nextDouble() / 50).get(random.nextInt(4));
    }

    /** A client whose clocks are the world's. */
    Node client(String name) {
        return Node.of(this, name, time);
    }

    void pass(Duration span) {
        time.advance(span);
    }

    void passMillis(long millis) {
        time.advance(Duration.ofMillis(millis));
    }

    /** What the store holds, as it says itself. */
    List<LeaseView> leases() {
        return store.list(LeaseQuery.all()).toCompletableFuture().join().leases();
    }

    FencingToken tokenInStore() {
        assertThat(leases()).hasSize(1);
        return leases().get(0).holding().token();
    }

    /** How long the store's only lease still lives, in the store's own time. */
    Duration remainingInStore() {
        assertThat(leases()).hasSize(1);
        return leases().get(0).remaining();
    }
}
