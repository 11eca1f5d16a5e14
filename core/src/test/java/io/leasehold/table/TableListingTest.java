// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseView;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a listing says of leases and records. */
final class TableListingTest {

    private static final Duration WHILE = Duration.ofMillis(300);

    @Test
    void leasesAndRecordsAreAsOldAsTheirGrantAndTheirCompletion() {
        TableDriver driver = new TableDriver(1);
        driver.pass(Duration.ofHours(1));
        Grant completed = driver.acquire(Claim.exclusive(Scope.name("a"))).grant();
        assertThat(driver.acquire(Claim.exclusive(Scope.name("b")))).isDone();
        driver.pass(WHILE);
        driver.table.complete(completed, LeaseRecord.of("r"), Duration.ofHours(1), driver.now());
        driver.pass(WHILE);
        assertThat(driver.list())
                .extracting(LeaseView::age)
                .containsExactly(WHILE, WHILE.multipliedBy(2));
    }
}
