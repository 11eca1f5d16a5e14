// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.LeaseRecord;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Disk;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseView;
import io.leasehold.testkit.VirtualTime;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Snapshots that are written while the store goes on. */
final class JournalSnapshotsTest {

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration TICK = Duration.ofMillis(1_100);
    private static final int OLD = 4; // so many segments that a snapshot is due
    private static final int LEASES = 1_800; // four slices

    private final World world = World.on(Images.disk(OLD, 1));
    private final List<Grant> grants = new ArrayList<>();

    /** With many leases, and a snapshot whose next slice is for the housekeeper to write. */
    private void beginSnapshot() {
        for (int i = 0; i < LEASES; i++) {
            grants.add(world.acquire("lease-" + i, LONG));
        }
        world.threads.housekeeper.hold();
        world.pass(TICK);
    }

    private boolean hasSnapshot() {
        return Images.of(world.disk).keySet().stream()
                .anyMatch(file -> file.toString().endsWith(".dat"));
    }

    @Test
    void commandsBetweenItsSlicesAreNotLostAndNotUndone() {
        beginSnapshot();
        int round = 0;
        while (!hasSnapshot()) {
            Grant first = grants.get(10 * round);
            Grant last = grants.get(LEASES - 1 - 10 * round);
            for (Grant grant : List.of(first, last)) {
                World.answer(world.store.release(grant));
                Grant again = World.granted(world.store.acquire(
                        World.request(grant.token().value(), name(grant), LONG)));
                World.answer(world.store.rotate(again));
            }
            change(grants.get(10 * round + 1), grants.get(10 * round + 2));
            change(grants.get(LEASES - 2 - 10 * round), grants.get(LEASES - 3 - 10 * round));
            assertThat(world.threads.housekeeper.runOne()).isTrue();
            round++;
        }
        assertThat(round).isGreaterThan(4);
        List<World.Fact> before = world.facts();
        world.killAndReopen();
        assertThat(world.facts()).isEqualTo(before);
        world.crashAndReopen();
        assertThat(world.facts()).isEqualTo(before);
    }

    private void change(Grant renewed, Grant completed) {
        Object unused = world.renew(renewed, LONG.multipliedBy(3));
        World.answer(world.store.complete(completed, LeaseRecord.of("done"), LONG));
        World.answer(world.store.withdraw(World.request(999, "nothing", LONG)));
    }

    private static String name(Grant grant) {
        return grant.holding().claim().label();
    }

    @Test
    void whatIsNotForcedYetIsNoPartOfASnapshotThatIs() {
        for (long seed = 0; seed < 20; seed++) {
            World world = World.on(Images.disk(OLD, seed));
            Grant grant = world.acquire("a", LONG);
            world.threads.housekeeper.hold();
            world.pass(TICK);
            world.threads.writer.hold();
            CompletionStage<?> completion =
                    world.store.complete(grant, LeaseRecord.of("result"), LONG);
            while (world.threads.housekeeper.runOne()) {
                assertThat(World.isAnswered(completion)).isFalse();
            }
            world.crashAndReopen();
            assertThat(world.list())
                    .as("the lease, whose completion was not answered, or its record")
                    .extracting(LeaseView::holding)
                    .containsExactly(grant.holding());
        }
    }

    @Test
    void recordsAndWhatIsRememberedAreInASnapshot() {
        Grant completed = world.acquire("completed", LONG);
        World.answer(world.store.complete(completed, LeaseRecord.of("result"), LONG));
        LeaseRequest delayed = World.request("delayed", Duration.ofMillis(200))
                .withLockDelay(Duration.ofMinutes(1))
                .withRecord(LeaseRecord.of("address"));
        Grant lingering = World.granted(world.store.acquire(delayed));
        Grant released = world.acquire("released", LONG);
        World.answer(world.store.release(released));
        world.pass(TICK);
        assertThat(hasSnapshot()).isTrue();
        world.crashAndReopen();
        assertThat(world.facts())
                .containsExactly(
                        new World.Fact(
                                completed.holding(),
                                LeaseView.State.COMPLETED,
                                Optional.of(LeaseRecord.of("result"))),
                        new World.Fact(
                                lingering.holding(),
                                LeaseView.State.LOCK_DELAY,
                                Optional.of(LeaseRecord.of("address"))));
        assertThat(World.answer(
                        world.store.acquire(World.request(5, "completed", LONG).unlessCompleted())))
                .isInstanceOf(Acquisition.Completed.class);
        assertThat(World.answer(world.store.release(released)))
                .as("a repeat")
                .isInstanceOf(Ending.Ended.class);
        assertThat(World.answer(world.store.acquire(World.request(6, "delayed", LONG))))
                .as("within the lock-delay")
                .isInstanceOf(Acquisition.Held.class);
    }

    @Test
    void aSnapshotTakesThePlaceOfTheSegmentsBeforeIt() {
        Grant grant = world.acquire("a", LONG);
        world.pass(TICK);
        assertThat(hasSnapshot()).isTrue();
        assertThat(Images.of(world.disk).keySet()).hasSizeLessThanOrEqualTo(3);
        world.crashAndReopen();
        assertThat(world.list()).extracting(LeaseView::holding).containsExactly(grant.holding());
    }

    @ParameterizedTest
    @ValueSource(strings = {"create", "replace"})
    void aSnapshotThatFailsWithAnErrorIsTriedAgain(String failing) {
        world.store.close();
        VirtualTime time = VirtualTime.create();
        InlineThreads threads = new InlineThreads();
        AtomicInteger errors = new AtomicInteger();
        Disk disk = failingOnce(failing, errors);
        try (JournalLeaseStore store = Stores.open(time, disk, Stores.SMALL, threads)) {
            assertThat(World.granted(store.acquire(World.request("a", LONG)))).isNotNull();
            threads.housekeeper.hold();
            time.advance(TICK);
            while (isRun(threads.housekeeper)) {
                assertThat(hasSnapshot()).isFalse();
            }
            assertThat(errors).hasValue(1);

            threads.housekeeper.letGo();
            time.advance(Duration.ofSeconds(40));
            assertThat(hasSnapshot()).isTrue();
        }
    }

    /** Runs a task as the thread of a pool does, which outlives what the task throws. */
    private static boolean isRun(InlineThreads.Queued housekeeper) {
        try {
            return housekeeper.runOne();
        } catch (Error e) {
            return true;
        }
    }

    /** The disk, of which one operation on a snapshot fails once. */
    private Disk failingOnce(String operation, AtomicInteger errors) {
        return (Disk) Proxy.newProxyInstance(
                Disk.class.getClassLoader(), new Class<?>[] {Disk.class}, (self, method, args) -> {
                    if (method.getName().equals(operation)
                            && args[0].toString().contains("snapshot")
                            && errors.compareAndSet(0, 1)) {
                        Error error = new OutOfMemoryError("on purpose");
                        error.setStackTrace(new StackTraceElement[0]); // which would fill the log
                        throw error;
                    }
                    try {
                        return method.invoke(world.disk, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
