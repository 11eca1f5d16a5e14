// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.table.TableOptions;
import io.leasehold.testkit.DifferentialDriver;
import io.leasehold.testkit.DifferentialReport;
import io.leasehold.testkit.StoreUnderTest;
import org.junit.jupiter.api.Test;

final class JournalDifferentialTest {

    @Test
    void theJournalAnswersAsTheRulesDo() {
        for (long seed = 0; seed < 100; seed++) {
            try (StoreUnderTest opened = Stores.underTest(TableOptions.defaults())) {
                DifferentialReport report =
                        DifferentialDriver.of(seed).steps(1_100).run(opened);
                assertThat(report.highestToken())
                        .as("tokens are 1, 2, 3…")
                        .isEqualTo(report.tokens());
            }
        }
    }
}
