// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Renewal;
import io.leasehold.testkit.DiskFault;
import io.leasehold.testkit.SimulatedDisk;
import io.leasehold.testkit.VirtualTime;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a journal asks of the directory that it is opened in, and what it leaves alone. */
final class JournalOpeningTest {

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration FREEZE = Duration.ofMinutes(2);
    private static final JournalDirectory NAMES =
            new JournalDirectory(Stores.DIRECTORY, SimulatedDisk.create(0));

    private final World world = World.create(1);

    private static Path file(String name) {
        return Stores.DIRECTORY.resolve(name);
    }

    @Test
    void onlyOneAtATimeMayHaveIt() {
        Grant grant = world.acquire("a", LONG);
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> Stores.open(VirtualTime.create(), world.disk, Stores.SMALL))
                .withMessageContaining(
                        "is open in process " + ProcessHandle.current().pid())
                .withMessageContaining("one process at a time");
        assertThat(world.renew(grant, LONG)).isInstanceOf(Renewal.Renewed.class);
        world.closeAndReopen();
        assertThat(world.list()).hasSize(1);
    }

    @Test
    void itIsFreeAfterAnOpeningThatFailed() {
        world.store.close();
        for (int at = 1; at < 20; at++) {
            world.disk.failAt(at, DiskFault.INPUT_OUTPUT_ERROR);
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(world::start)
                    .withMessageContaining(Stores.DIRECTORY.toString());
            world.disk.heal();
        }
        world.start();
    }

    @Test
    void aParentThatIsMissingIsNotMade() {
        SimulatedDisk disk = SimulatedDisk.create(1);
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> Stores.open(VirtualTime.create(), disk, Stores.SMALL))
                .withMessageContaining("there is no directory /data")
                .withMessageContaining("mount what should be there");
    }

    @Test
    void aDiskThatTakesNothingIsSaidSo() {
        SimulatedDisk disk = Stores.disk(1);
        disk.failFrom(1, DiskFault.NO_SPACE);
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> Stores.open(VirtualTime.create(), disk, Stores.SMALL))
                .withMessageContaining("can't be");
    }

    @Test
    void anotherVersionOfTheFormatIsRefusedByItsNumber() {
        world.store.close();
        Path first = NAMES.segment(1);
        world.disk.put(first, JournalToolsTest.withVersion(2, world.disk.bytes(first)));
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(world::start)
                .withMessageStartingWith(first + " can't be read: it has version 2 of the format");
    }

    @Test
    void filesOfOthersAreLeftAlone() {
        world.store.close();
        for (String name : new String[] {"notes.txt", "notes.tmp", "journal-7.log", "a.dat.tmp"}) {
            world.disk.put(file(name), new byte[] {1, 2, 3});
        }
        world.reopen();
        Grant unused = world.acquire("a", LONG);
        world.pass(Duration.ofSeconds(5));
        world.closeAndReopen();
        assertThat(world.list()).hasSize(1);
        for (String name : new String[] {"notes.txt", "notes.tmp", "journal-7.log", "a.dat.tmp"}) {
            assertThat(world.disk.bytes(file(name))).containsExactly(1, 2, 3);
        }
    }

    @Test
    void leftoversAreDeleted() {
        World old = World.on(Images.disk(4, 1));
        Grant grant = old.acquire("a", LONG);
        byte[] segment = old.disk.bytes(NAMES.segment(4));
        old.pass(Duration.ofSeconds(3));
        old.store.close();
        old.disk.put(NAMES.segment(2), segment);
        old.disk.put(NAMES.snapshot(2), new byte[7]);
        old.disk.put(JournalDirectory.temporary(NAMES.segment(99)), new byte[7]);
        old.disk.put(JournalDirectory.temporary(NAMES.snapshot(9)), new byte[7]);
        old.reopen();
        assertThat(old.list()).extracting(LeaseView::holding).containsExactly(grant.holding());
        assertThat(Images.of(old.disk))
                .doesNotContainKeys(
                        NAMES.segment(2),
                        NAMES.snapshot(2),
                        JournalDirectory.temporary(NAMES.segment(99)),
                        JournalDirectory.temporary(NAMES.snapshot(9)));
    }

    @Test
    void aRestoredJournalRaisesItsTokensAndGrantsNothingForAWhile() {
        Grant known = world.acquire("known", LONG);
        world.store.close();
        world.options = Stores.SMALL.restored(FREEZE);
        world.reopen();
        // the longest ttl that it has seen is longer than what was asked for
        assertThat(World.failure(world.store.acquire(World.request("a", LONG))))
                .hasMessageContaining("was restored")
                .hasMessageContaining("another " + LONG.toSeconds() + " s");
        world.options = Stores.SMALL;
        world.pass(Duration.ofMinutes(4));
        world.crashAndReopen();
        assertThat(World.failure(world.store.acquire(World.request("a", LONG))))
                .hasMessageContaining("was restored");
        assertThat(world.renew(known, LONG)).isInstanceOf(Renewal.Renewed.class);
        assertThat(World.answer(world.store.release(known))).isInstanceOf(Ending.Ended.class);
        world.pass(Duration.ofMinutes(6).plusSeconds(2));
        Grant first = world.acquire("a", LONG);
        assertThat(first.token().value()).isEqualTo(known.token().value() + Opening.RAISE + 1);
        world.crashAndReopen();
        assertThat(world.acquire("b", LONG).token().value())
                .isEqualTo(first.token().value() + 1);
    }

    @Test
    void aFreezeEndsAlsoAcrossRestarts() {
        world.store.close();
        JournalOptions usual = world.options;
        world.options = usual.restored(Duration.ofSeconds(10));
        world.reopen();
        world.options = usual;
        for (int i = 0;
                i < 5;
                i++) { // each of which counts for 2 s, the last time that was written
            assertThat(World.failure(world.store.acquire(World.request("a", LONG))))
                    .hasMessageContaining("was restored");
            world.pass(Duration.ofMillis(2_900));
            world.killAndReopen();
        }
        Grant unused = world.acquire("a", LONG);
    }
}
