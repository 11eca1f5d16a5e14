// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.LeaseRecord;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** A disk that fills up stops grants, and nothing else. */
final class JournalFullDiskTest {

    private static final Duration LONG = Duration.ofHours(10);
    private static final Duration SHORT = Duration.ofSeconds(30);
    private static final Duration TICK = Duration.ofMillis(1_100);
    private static final int RECORD = 20_000;

    private final World world = World.create(1);
    private final List<Grant> grants = new ArrayList<>();
    private long number;

    /** Acquires until nothing is granted any more, and returns the refusal. */
    private StoreUnavailableException fill(Duration ttl, int record) {
        while (true) {
            LeaseRequest request = World.request(++number, "lease-" + number, ttl);
            CompletionStage<Acquisition> stage = world.store.acquire(
                    record == 0 ? request : request.withRecord(LeaseRecord.of(new byte[record])));
            if (stage.toCompletableFuture().isCompletedExceptionally()) {

                assertThat(World.failure(stage)).isInstanceOf(StoreUnavailableException.class);
                return (StoreUnavailableException) World.failure(stage);
            }
            grants.add(World.granted(stage));
        }
    }

    private void freeze() {
        world.disk.limit(world.disk.used());
    }

    @Test
    void grantsAreRefusedWithWhatToDoAndEverythingElseGoesOn() {
        freeze();
        StoreUnavailableException refusal = fill(LONG, RECORD);
        assertThat(refusal)
                .hasMessageContaining("no room to grow")
                .hasMessageContaining("No space left on device")
                .hasMessageContaining("make room on the disk, and it goes on by itself");
        assertThat(world.renew(grants.get(0), LONG.plusHours(1)))
                .isInstanceOf(Renewal.Renewed.class);
        assertThat(World.answer(world.store.complete(grants.get(1), LeaseRecord.of("r"), LONG)))
                .isInstanceOf(Ending.Ended.class);
        assertThat(World.answer(world.store.release(grants.get(2))))
                .isInstanceOf(Ending.Ended.class);
        List<World.Fact> facts = world.facts();
        assertThat(facts).hasSize(grants.size() - 1);
        world.pass(TICK);
        world.killAndReopenWithRoom();
        assertThat(world.facts()).isEqualTo(facts);
    }

    @Test
    void thousandsOfLeasesCanBeReleased() {
        freeze();
        StoreUnavailableException unused = fill(LONG, 0);
        int released = 0;
        for (Grant grant : grants) {
            assertThat(World.answer(world.store.release(grant))).isInstanceOf(Ending.Ended.class);
            if (++released == 1_000) {
                break;
            }
        }
        assertThat(released).isEqualTo(1_000);
        assertThat(world.list()).hasSize(grants.size() - released);
    }

    @Test
    void itGoesOnByItselfWhenThereIsRoom() {
        freeze();
        StoreUnavailableException unused = fill(LONG, RECORD);
        world.pass(Duration.ofSeconds(20));
        assertThat(World.failure(world.store.acquire(World.request("more", LONG))))
                .isInstanceOf(StoreUnavailableException.class);
        world.disk.limit(Long.MAX_VALUE);
        world.pass(Duration.ofSeconds(2));
        assertThat(world.acquire("yet more", LONG)).isNotNull();
        world.crashAndReopen();
        assertThat(world.list()).hasSize(grants.size() + 1);
    }

    @Test
    void whoeverWaitsIsTold() {
        freeze();
        LeaseRequest waiting =
                World.request(-1, "lease-1", LONG).waitingAtMost(Duration.ofMinutes(5));
        Grant unused = World.granted(world.store.acquire(World.request(-2, "lease-1", LONG)));
        CompletionStage<Acquisition> stage = world.store.acquire(waiting);
        number = 1;
        StoreUnavailableException refusal = fill(LONG, RECORD);
        world.pass(TICK);
        assertThat(World.failure(stage)).hasMessage(refusal.getMessage());
    }

    @Test
    void aSnapshotThatIsDueWaitsForRoom() {
        World old = World.on(Images.disk(3, 1));
        old.disk.limit(old.disk.used() + 1);
        // the last of the segments that are laid out, and as many as make a snapshot due
        Grant grant = old.acquire("a", LONG);
        LeaseRecord record = LeaseRecord.of(new byte[60_000]);
        CompletionStage<Acquisition> last;
        int n = 0;
        do {
            n++;
            last = old.store.acquire(World.request(n, "lease-" + n, LONG).withRecord(record));
        } while (!last.toCompletableFuture().isCompletedExceptionally());
        old.pass(Duration.ofSeconds(40));
        assertThat(old.renew(grant, LONG)).isInstanceOf(Renewal.Renewed.class);
        assertThat(old.list()).hasSize(n);
        old.disk.limit(Long.MAX_VALUE);
        old.pass(Duration.ofSeconds(40));
        assertThat(Images.of(old.disk).keySet().toString()).contains("snapshot");
        assertThat(old.acquire("more", LONG)).isNotNull();
    }

    @Test
    void leasesThatRunOutAllAtOnceDoNotStopIt() {
        manyAtOnce();
        freeze();
        StoreUnavailableException unused = fill(LONG, RECORD);
        Grant first = grants.get(0);
        world.pass(SHORT.plus(TICK));
        CompletionStage<Renewal> renewal =
                world.store.renew(RenewalRequest.of(first, LONG.plusHours(1)));
        assertThat(World.failure(renewal)).hasMessageContaining("make room on the disk");
        world.disk.limit(Long.MAX_VALUE);
        world.pass(Duration.ofSeconds(3));
        assertThat(world.list()).hasSameSizeAs(grants);
        assertThat(world.renew(first, LONG)).isInstanceOf(Renewal.Renewed.class);
        List<World.Fact> facts = world.facts();
        world.crashAndReopen();
        assertThat(world.facts()).isEqualTo(facts);
    }

    /** More leases than there is room for their ends, and all end at once. */
    private void manyAtOnce() {
        world.threads.writer.hold();
        for (int i = 0; i < 15_000; i++) {
            CompletionStage<?> unused =
                    world.store.acquire(World.request(-1 - i, "many-" + i, SHORT));
            if (i % 500 == 0) {
                world.threads.writer.letGo();
                world.threads.writer.hold();
            }
        }
        world.threads.writer.letGo();
    }

    @Test
    void aFullDiskMayLastForHours() {
        freeze();
        StoreUnavailableException unused = fill(LONG, RECORD);
        Grant first = grants.get(0);
        // as long as it takes to fill a segment with the time alone, a batch a second
        for (int i = 0; i < 8; i++) {
            world.pass(Duration.ofMinutes(15));
            assertThat(world.renew(first, LONG)).isInstanceOf(Renewal.Renewed.class);
        }
        world.disk.limit(Long.MAX_VALUE);
        world.pass(Duration.ofSeconds(3));
        assertThat(world.list()).extracting(LeaseView::holding).contains(first.holding());
        assertThat(world.acquire("a", LONG)).isNotNull();
    }

    @Test
    void closingOnAFullDiskEnds() {
        manyAtOnce();
        freeze();
        StoreUnavailableException unused = fill(LONG, RECORD);
        world.pass(SHORT.plus(TICK));
        world.store.close();
        assertThat(World.failure(world.store.acquire(World.request("late", LONG))))
                .hasMessageContaining("is closed");
        world.disk.limit(Long.MAX_VALUE);
        world.reopen();
        assertThat(world.acquire("a", LONG)).isNotNull();
        world.pass(SHORT.plus(TICK));
        assertThat(world.list()).hasSize(grants.size() + 1);
    }

    @Test
    void aCrashOnAFullDiskLosesNothing() {
        for (long seed = 0; seed < 30; seed++) {
            World full = World.create(seed);
            full.disk.limit(full.disk.used());
            List<Grant> held = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                CompletionStage<Acquisition> stage =
                        full.store.acquire(World.request(i, "lease-" + i, LONG)
                                .withRecord(LeaseRecord.of(new byte[50_000])));
                if (!stage.toCompletableFuture().isCompletedExceptionally()) {
                    held.add(World.granted(stage));
                }
                full.pass(Duration.ofMillis(100));
            }
            assertThat(held).hasSizeBetween(1, 39);
            List<World.Fact> facts = full.facts();
            full.disk.crash();
            full.disk.restart();
            // a new start needs a segment of its own
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(full::start)
                    .withMessageContaining("No space left on device");
            full.disk.limit(Long.MAX_VALUE);
            full.start();
            assertThat(full.facts()).isEqualTo(facts);
        }
    }
}
