// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a copy of a table has, and in which pieces. */
final class TableCopyTest {

    private final TableDriver driver = new TableDriver(1);
    private final List<TableEntry> entries = new ArrayList<>();
    private Grant held;

    /** A lease, a record, and how two leases ended. */
    @BeforeEach
    void fillTable() {
        held = acquire("held");
        driver.table.complete(
                acquire("completed"), LeaseRecord.of("r"), Duration.ofHours(1), driver.now());
        release(acquire("released"));
    }

    private Grant acquire(String name) {
        return driver.acquire(Claim.exclusive(Scope.name(name))).grant();
    }

    private void release(Grant grant) {
        assertThat(driver.table.release(grant, driver.now())).isEqualTo(new Ending.Ended());
    }

    private void readAll(TableCopy copy) {
        boolean more = true;
        while (more) {
            more = copy.read(1, entries::add);
        }
    }

    @Test
    void aCopyHasTheLeasesTheRecordsAndHowLeasesEnded() {
        TableCopy copy = driver.table.copy();
        assertThat(copy.size()).isEqualTo(4);
        readAll(copy);
        assertThat(entries)
                .hasSize(4)
                .hasOnlyElementsOfTypes(
                        TableEntry.Leased.class, TableEntry.Kept.class, TableEntry.Ended.class)
                .filteredOn(entry -> !(entry instanceof TableEntry.Ended))
                .hasSize(2)
                .hasAtLeastOneElementOfType(TableEntry.Leased.class)
                .hasAtLeastOneElementOfType(TableEntry.Kept.class);
    }

    @Test
    void noMoreIsReadAtATimeThanWasAskedFor() {
        TableCopy copy = driver.table.copy();
        assertThat(copy.read(1, entries::add)).isTrue();
        assertThat(entries).hasSize(1);
        assertThat(copy.read(2, entries::add)).isTrue();
        assertThat(entries).hasSize(3);
    }

    @Test
    void whatEndedSinceTheCopyWasMadeIsLeftOut() {
        TableCopy copy = driver.table.copy();
        release(held);
        readAll(copy);
        assertThat(entries).hasSize(3).noneMatch(TableEntry.Leased.class::isInstance);
    }
}
