// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.memory.MemoryLeaseStore;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ExamplesTest {

    @Test
    void theFirstLockWritesUnderItsToken() {
        assertThat(new FirstLock().run("rent")).containsExactly("rent");
    }

    @Test
    void theLockGuideRunsAllItsForms() {
        try (Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create())) {
            List<String> done = new Locks(leasehold).run();

            assertThat(done)
                    .contains(
                            "tryUse ran: true",
                            "render name:nightly-import",
                            "render subtree:/data")
                    .filteredOn(line -> line.equals("render name:reports/july"))
                    .hasSize(3);
        }
    }

    @Test
    void theGuardGuideRefusesTheLateWriter() {
        try (Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create())) {
            Guards guards = new Guards();
            Lease stale = leasehold.lock("stock").tryAcquire().orElseThrow();
            stale.close();

            assertThat(guards.sell(leasehold)).isEqualTo(2);
            assertThat(guards.writeSector(leasehold, new byte[] {7})).isEqualTo((byte) 7);
            assertThat(guards.deposit(leasehold, "alice", 100)).isEqualTo(100);
            assertThat(guards.deposit(leasehold, "alice", 50)).isEqualTo(150);
            assertThat(guards.lateWriter(stale)).isEqualTo("token 1 came after token 2");
        }
    }
}
