// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.model.StoreId;
import io.leasehold.testkit.SimulatedDisk;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The id of a journal: made when it is, in its files from then on. */
final class JournalStoreIdTest {

    private static final Duration TICK = Duration.ofMillis(1_100);

    private final VirtualTime time = VirtualTime.create();

    @Test
    void theIdIsTheSameAtEveryOpening() {
        World world = World.on(Images.disk(4, 1));
        StoreId first = World.answer(world.store.storeId());
        for (int i = 0; i < 20; i++) {
            world.killAndReopen();
            world.pass(TICK); // with a snapshot in between
            assertThat(World.answer(world.store.storeId())).isEqualTo(first);
        }
        assertThat(Images.of(world.disk).keySet().toString()).contains("snapshot");
    }

    @Test
    void aJournalInAnotherDirectoryHasAnotherId() {
        assertThat(idOf(Stores.disk(1), Stores.SMALL))
                .isNotEqualTo(idOf(Stores.disk(2), Stores.SMALL));
    }

    @Test
    void aJournalThatWasRestoredIsTheSameStore() {
        SimulatedDisk disk = Stores.disk(1);
        StoreId before = idOf(disk, Stores.SMALL);
        assertThat(idOf(disk, Stores.SMALL.restored(Duration.ofMinutes(1)))).isEqualTo(before);
    }

    @Test
    void aJournalFromBeforeThereWereIdsGetsOneAtItsNextOpening() {
        SimulatedDisk disk = JournalFormatTest.format1();
        StoreId given = idOf(disk, Stores.SMALL);
        assertThat(idOf(disk, Stores.SMALL)).isEqualTo(given);
    }

    @Test
    void filesOfTwoStoresAreNotTakenForOneJournal() {
        Standing one = new Standing(1, 0, 0, Optional.of(new StoreId(1, 1)));
        Standing other = new Standing(2, 0, 0, Optional.of(new StoreId(2, 2)));
        assertThatThrownBy(() -> one.and(other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("it is of store 00000000000000020000000000000002");
    }

    private StoreId idOf(SimulatedDisk disk, JournalOptions options) {
        try (JournalLeaseStore store = Stores.open(time, disk, options)) {
            return World.answer(store.storeId());
        }
    }
}
