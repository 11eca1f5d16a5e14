// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.LeaseRecord;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

final class JournalRoomTest {

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final LeaseRecord LARGE = LeaseRecord.of("x".repeat(LeaseRecord.MAX_BYTES));

    private final World world = World.create(1);

    private CompletionStage<Acquisition> acquire(int i) {
        return world.store.acquire(World.request("lease-" + i, LONG).withRecord(LARGE));
    }

    @Test
    void aSegmentThatIsNotLaidOutYetIsNoFullDisk() {
        world.threads.housekeeper.hold();
        for (int i = 0; i < 40; i++) {
            Grant unused = World.granted(acquire(i));
        }
        assertThat(Images.of(world.disk).keySet()).hasSizeGreaterThan(4);
    }

    @Test
    void onlySoMuchWaitsForASlowDiskAndReleasesGoFirst() {
        Grant held = world.acquire("held", LONG);
        world.threads.writer.hold();
        List<CompletionStage<Acquisition>> waiting = new ArrayList<>();
        CompletionStage<Acquisition> next = acquire(0);
        while (!next.toCompletableFuture().isCompletedExceptionally()) {
            waiting.add(next);
            next = acquire(waiting.size());
        }
        assertThat(waiting).hasSizeBetween(400, 600);
        assertThat(World.failure(next))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("bytes that wait for the disk: ask again later");
        CompletionStage<?> release = world.store.release(held);
        assertThat(release.toCompletableFuture()).isNotDone();
        world.threads.writer.letGo();
        assertThat(release.toCompletableFuture()).isCompleted();
        waiting.forEach(answer -> World.granted(answer));
        Grant unused = World.granted(acquire(waiting.size()));
    }
}
