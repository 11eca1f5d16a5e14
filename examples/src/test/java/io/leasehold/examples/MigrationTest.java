// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.memory.MemoryLeaseStore;
import java.time.LocalDate;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

final class MigrationTest {

    private static final LocalDate NIGHT = LocalDate.of(2026, 11, 15);

    @Test
    void aReleaseInBetweenHoldsBothLocksAndGivesBothBack() {
        try (Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create())) {
            ReentrantLock old = new ReentrantLock();
            Migration migration = new Migration(leasehold);
            migration.underBoth(old, "rent");

            assertThat(migration.done).containsExactly("rent");
            assertThat(old.isLocked()).isFalse();
            assertThat(leasehold.lock("ledger/42").tryAcquire()).isPresent();
        }
    }

    @Test
    void aScheduledTaskIsSkippedWhileItRunsElsewhereAndDoneOnceANight() {
        try (Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create())) {
            Migration migration = new Migration(leasehold);
            try (Lease elsewhere = leasehold.lock("nightly-report").tryAcquire().orElseThrow()) {
                assertThat(migration.report()).isFalse();
            }
            assertThat(migration.report()).isTrue();
            assertThat(migration.reportOf(NIGHT)).isEqualTo(migration.reportOf(NIGHT));
            assertThat(migration.done).containsExactly("report", "report of 2026-11-15");
        }
    }
}
