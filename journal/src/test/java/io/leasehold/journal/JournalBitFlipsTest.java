// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.DamagedFileException;
import io.leasehold.model.LeaseRecord;
import io.leasehold.spi.Grant;
import io.leasehold.testkit.TestLength;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Bits of a journal, flipped: each seventh in every build, every single one in the long form. */
final class JournalBitFlipsTest {

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final int STEP = TestLength.of(31, 1);
    private static final int ENOUGH = 200_000 / STEP;

    /** With all kinds of entries in a snapshot and several segments. */
    private static World filled() {
        World world = World.on(Images.disk(4, 1));
        use(world, 0);
        world.pass(Duration.ofSeconds(2)); // a snapshot
        use(world, 1);
        world.killAndReopen();
        use(world, 2);
        world.closeAndReopen();
        use(world, 3);
        return world;
    }

    private static void use(World world, int round) {
        List<Grant> grants = new ArrayList<>();
        for (int i = 0; i < 14; i++) {
            int number = 100 * round + i;
            grants.add(World.granted(world.store.acquire(
                    World.request(number, "lease-" + number, LONG.plusSeconds(i))
                            .withRecord(LeaseRecord.of("r".repeat(20 * i))))));
        }
        World.answer(world.store.release(grants.get(0)));
        World.answer(world.store.complete(grants.get(1), LeaseRecord.of("x".repeat(900)), LONG));
        World.answer(world.store.rotate(grants.get(2)));
        World.answer(world.store.withdraw(World.request(100 * round + 50, "never", LONG)));
        Object unused = world.renew(grants.get(3), LONG.multipliedBy(2));
    }

    @Test
    void aBitThatFlipsInAJournalThatWasClosedIsFoundOrDoesNoHarm() {
        World world = filled();
        world.store.close();
        Damage journal = new Damage(Images.of(world.disk));
        Damage.State whole = journal.read();
        long flips = 0;
        long harmless = 0;
        for (Path file : journal.names()) {
            byte[] bytes = journal.bytes(file);
            int used = Math.min(bytes.length, used(bytes) + 2 * BatchHead.LENGTH);
            for (int bit = 0; bit < 8 * used; bit += STEP) {
                flip(bytes, bit);
                try {
                    Damage.State state = journal.read();
                    harmless++;
                    if (!isAsGood(state, whole)) {
                        throw new AssertionError(file + ", bit " + bit);
                    }
                } catch (DamagedFileException refusal) {
                    if (!refusal.file().equals(file)) {
                        throw new AssertionError(file + ", bit " + bit, refusal);
                    }
                }
                flip(bytes, bit);
                flips++;
            }
        }
        System.out.println("bits flipped: " + flips + ", harmless: " + harmless);
        assertThat(flips).isGreaterThanOrEqualTo(ENOUGH);
    }

    /** The last batch of a closed journal says that it was closed, and when: that may be lost. */
    private static boolean isAsGood(Damage.State state, Damage.State whole) {
        return state.entries().equals(whole.entries())
                && state.standing().equals(whole.standing())
                && state.start() == whole.start();
    }

    @Test
    void aBitThatFlipsInTheLastBatchOfAJournalThatWasKilledIsFoundToo() {
        World world = filled();
        Grant last = World.granted(world.store.acquire(
                World.request("last", LONG).withRecord(LeaseRecord.of("y".repeat(600)))));
        Damage journal = new Damage(Images.of(world.disk));
        Damage.State whole = journal.read();
        assertThat(whole.entries().toString()).contains(last.holding().toString());
        Path file = journal.names().stream()
                .filter(name -> used(journal.bytes(name)) > 0)
                .filter(name -> name.toString().endsWith(".log"))
                .max(Path::compareTo)
                .orElseThrow();
        byte[] bytes = journal.bytes(file);
        TreeSet<Integer> dropped = new TreeSet<>();
        int used = used(bytes);
        for (int bit = 8 * (used - 800); bit < 8 * used; bit += TestLength.of(7, 1)) {
            flip(bytes, bit);
            try {
                if (!isAsGood(journal.read(), whole)) {
                    dropped.add(bit / 8 - used);
                }
            } catch (DamagedFileException refusal) {
                assertThat(refusal.file()).isEqualTo(file);
            }
            flip(bytes, bit);
        }
        assertThat(dropped).as("bytes, from the end, whose loss goes unseen").isEmpty();
    }

    private static void flip(byte[] bytes, int bit) {
        bytes[bit / 8] ^= (byte) (1 << bit % 8);
    }

    private static int used(byte[] bytes) {
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] == 0) {
            end--;
        }
        return end;
    }
}
