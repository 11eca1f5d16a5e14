// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.testkit.DiskFault;
import io.leasehold.testkit.RealTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** A store that stops because of its disk. */
final class StoppedStoreTest {

    private static final Duration LONG = Duration.ofMinutes(10);

    @Test
    void whoeverIsToldThatTheNextSegmentCanNotBeForcedHoldsUpNobodyElse() {
        World world = World.closed(Stores.disk(1));
        world.startWithTheHousekeeperHeld();
        Grant unused = world.acquire("a", LONG);
        CompletionStage<Acquisition> waiter =
                world.store.acquire(World.request(2, "a", LONG).waitingAtMost(LONG));
        CompletableFuture<Boolean> othersAreAnswered = waiter.handle((none, stopped) -> {
                    CompletableFuture<CompletionStage<LeasePage>> other =
                            CompletableFuture.supplyAsync(() -> world.store.list(LeaseQuery.all()));
                    return World.failure(RealTime.answer(other))
                            instanceof StoreUnavailableException;
                })
                .toCompletableFuture();
        world.disk.duringForces(() -> {
            world.disk.duringForces(() -> {});
            world.disk.failAt(1, DiskFault.INPUT_OUTPUT_ERROR);
        });
        assertThat(world.threads.housekeeper.runOne()).isTrue();

        world.pass(Duration.ofSeconds(1));

        assertThat(World.failure(waiter)).hasMessageContaining("has stopped: forcing ");
        assertThat(RealTime.answer(othersAreAnswered)).isTrue();
    }
}
