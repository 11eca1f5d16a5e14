// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Environment;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LeaseholdOptions;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.DifferentialDriver;
import io.leasehold.testkit.DifferentialReport;
import io.leasehold.testkit.FaultyStore;
import io.leasehold.testkit.StoreUnderTest;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The snippets of docs/testing.md. */
final class TestKitTest {

    @Test
    void aHolderThatIsCutOffKnowsWhenItHasLost() {
        VirtualTime time = VirtualTime.create();
        MemoryLeaseStore store = MemoryLeaseStore.create(TableOptions.defaults(), time);
        Environment environment = new Environment(time, Runnable::run, new Random(1));
        LeaseholdOptions options = LeaseholdOptions.defaults().withEnvironment(environment);

        FaultyStore way = FaultyStore.to(store, time);
        try (Leasehold leasehold = Leasehold.on(way, options)) {
            Lease lease = leasehold.lock("ledger/42").tryAcquire().orElseThrow();

            way.cutOff(true); // renewals are lost in silence from here on
            time.advance(Duration.ofSeconds(30));

            assertThat(lease.isValid()).isFalse();
        }
    }

    @Test
    void theDriverComparesAnEngineWithTheTable() {
        VirtualTime time = VirtualTime.create();
        MemoryLeaseStore store = MemoryLeaseStore.create(TableOptions.defaults(), time);
        long seed = 42;
        try (StoreUnderTest opened = StoreUnderTest.on(time, store)) {
            DifferentialReport report = DifferentialDriver.of(seed).steps(1000).run(opened);
            assertThat(report.outcomes()).isNotEmpty();
        }
    }
}
