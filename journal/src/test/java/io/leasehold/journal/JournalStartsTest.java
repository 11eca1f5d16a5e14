// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.LeaseRecord;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseView;
import io.leasehold.testkit.DiskFault;
import io.leasehold.testkit.TestLength;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Crashes while a journal tidies up, and then while it starts. */
final class JournalStartsTest {

    private static final int STEP = TestLength.of(5, 1);
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration TICK = Duration.ofMillis(1_100);
    private static final int OLD = 4; // so many segments that a snapshot is due

    private static World old(long seed) {
        World world = World.on(Images.disk(OLD, seed));
        Grant unused = world.acquire("a", LONG);
        return world;
    }

    @Test
    void aKillWithinASnapshotAndAPowerLossWithinTheNextStartLoseNothing() {
        World counted = old(0);
        long before = counted.disk.operations();
        counted.pass(TICK);
        long operations = counted.disk.operations() - before;
        assertThat(Images.of(counted.disk).keySet().toString()).contains("snapshot");
        int points = 0;
        for (int at = 1; at <= operations; at += STEP) {
            boolean started = false;
            for (int then = 1; !started; then += STEP) {
                started = startAfter(at, then);
                points++;
            }
        }
        System.out.println("crash points in starts after snapshots: " + points);
    }

    /** Whether the start was over before the power went. */
    private static boolean startAfter(int at, int then) {
        World world = old(at * 1_000L + then);
        List<LeaseView> leases = world.list();
        world.disk.failAt(at, DiskFault.KILL);
        world.pass(TICK);
        assertThat(world.disk.isDown()).isTrue();
        world.disk.restart();
        world.disk.failAt(then, DiskFault.POWER_LOSS);
        boolean started = true;
        try {
            world.start();
        } catch (StoreUnavailableException e) {
            started = false;
        }
        world.crashAndReopen();
        assertThat(world.list())
                .as("killed at %d, power lost at %d", at, then)
                .extracting(LeaseView::holding)
                .isEqualTo(leases.stream().map(LeaseView::holding).toList());
        return started;
    }

    @Test
    void aSegmentWhoseNameWasNotForcedIsNotReliedOn() {
        for (long seed = 0; seed < 40; seed++) {
            World world = World.create(seed);
            world.store.close();
            // the segment behind the one that the next start begins is laid out, up to its name
            long operations = operationsOfStart(seed);
            world.disk.failAt(operations - 1, DiskFault.KILL);
            try {
                world.start();
            } catch (StoreUnavailableException e) {
                assertThat(world.disk.isDown()).isTrue();
            }
            world.disk.restart();
            world.startWithTheHousekeeperHeld();
            Grant grant = world.acquire("a", LONG);
            world.crashAndReopen();
            assertThat(world.list())
                    .extracting(LeaseView::holding)
                    .containsExactly(grant.holding());
        }
    }

    @Test
    void aSegmentThatCouldNotBeForcedIsLaidOutAnew() {
        int stopped = 0;
        for (int at = 1; at <= 8; at++) {
            for (long seed = 0; seed < 10; seed++) {
                World world = World.closed(Stores.disk(seed));
                world.startWithTheHousekeeperHeld();
                world.disk.failAt(at, DiskFault.INPUT_OUTPUT_ERROR);
                boolean unused = world.threads.housekeeper.runOne();
                world.disk.heal();
                Grant first = world.acquire("first", LONG);
                world.pass(TICK);
                world.threads.housekeeper.letGo();
                world.threads.housekeeper.hold();
                if (hasStopped(world)) { // because a force failed, which is final
                    stopped++;
                    world.killAndReopen();
                }
                List<World.Fact> facts = fillTheFirst(world);
                assertThat(facts.get(0).holding()).isEqualTo(first.holding());
                world.crashAndReopen();
                assertThat(world.facts()).as("a fault at %d", at).isEqualTo(facts);
            }
        }
        assertThat(stopped).isBetween(10, 70);
    }

    private static boolean hasStopped(World world) {
        return world.store.list(LeaseQuery.all()).toCompletableFuture().isCompletedExceptionally();
    }

    /** Fills the segment that was begun, and begins the next. */
    private static List<World.Fact> fillTheFirst(World world) {
        for (int i = 0; i < 10; i++) {
            Grant unused = World.granted(world.store.acquire(World.request(i, "lease-" + i, LONG)
                    .withRecord(LeaseRecord.of(new byte[60_000]))));
        }
        return world.facts();
    }

    private static long operationsOfStart(long seed) {
        World world = World.create(seed);
        world.store.close();
        long before = world.disk.operations();
        world.start();
        return world.disk.operations() - before;
    }
}
