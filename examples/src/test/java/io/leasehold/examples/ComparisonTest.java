// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Leasehold;
import io.leasehold.memory.MemoryLeaseStore;
import org.junit.jupiter.api.Test;

final class ComparisonTest {

    @Test
    void bothJobsWriteUnderTheirTokens() {
        try (Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create())) {
            Comparison comparison = new Comparison();
            comparison.nightlyReport(leasehold);
            comparison.ledgerEntry(leasehold, "rent");

            assertThat(comparison.ledger()).containsExactly("report", "rent");
        }
    }
}
