// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

final class CountedStoreTest {

    private static final Duration TTL = Duration.ofSeconds(30);

    private final VirtualTime time = VirtualTime.create();
    private final LeaseStore memory = MemoryLeaseStore.create(TableOptions.defaults(), time);
    private final CountedStore store = new CountedStore(
            memory, time, use -> CompletableFuture.failedStage(new AssertionError("retired")));

    private static LeaseRequest request(long id) {
        return LeaseRequest.of(
                new LeaseId(0, id), Claim.exclusive(Scope.name("a")), new Holder("api"), TTL);
    }

    private static Grant granted(CompletionStage<Acquisition> answer) {
        return ((Acquisition.Granted) answer.toCompletableFuture().join()).grant();
    }

    /** What is seen of the store while a call is under way may change before the call has ended. */
    @Test
    void aStoreThatIsInUseIsNotLookedAt() {
        Grant grant = granted(store.acquire(request(1)));
        CompletableFuture<Acquisition> waiting =
                store.acquire(request(2).waitingAtMost(TTL)).toCompletableFuture();
        assertThat(store.look()).isEmpty();

        store.release(grant).toCompletableFuture().join();
        assertThat(waiting).isCompleted();
        long look = store.look().orElseThrow();
        assertThat(store.retire(look - 1)).as("used since").isFalse();
        assertThat(store.retire(look)).isTrue();
        assertThat(store.look()).as("retired").isEmpty();
    }

    @Test
    void aLeaseThatKeepsOthersOutByItsLockDelayCountsAsHeld() {
        Duration delay = Duration.ofSeconds(20);
        granted(memory.acquire(request(1).withLockDelay(delay)));
        assertThat(noneHeld()).isFalse();
        time.advance(TTL);
        assertThat(noneHeld()).as("in its lock-delay").isFalse();
        time.advance(delay);
        assertThat(noneHeld()).isTrue();
    }

    private boolean noneHeld() {
        return HeldLeases.noneIn(memory).toCompletableFuture().join();
    }
}
