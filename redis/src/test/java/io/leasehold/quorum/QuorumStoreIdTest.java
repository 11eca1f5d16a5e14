// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.memory.MemoryQuorumNode;
import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.QuorumNode;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** The store id of a quorum: one for all clients, for as long as a majority remembers. */
final class QuorumStoreIdTest {

    private static final Duration MILLISECOND = Duration.ofMillis(1);
    private static final Duration TTL = Duration.ofSeconds(1);
    private static final QuorumOptions OPTIONS =
            QuorumOptions.defaults().withLongestTtl(TTL).withPatience(TTL);

    private final VirtualTime time = VirtualTime.create();
    private final List<MemoryQuorumNode> nodes =
            new ArrayList<>(List.of(node(1), node(2), node(3)));
    private long seeds;

    @Test
    void clientsThatAskAtOnceAgreeAndTheRecordIsNotListed() {
        QuorumLeaseStore one = open(OPTIONS.asNew());
        QuorumLeaseStore two = open(OPTIONS.asNew());
        CompletionStage<StoreId> first = one.storeId();
        CompletionStage<StoreId> second = two.storeId();
        assertThat(await(first)).isEqualTo(await(second)).isEqualTo(idOf(open(OPTIONS)));
        assertThat(await(one.list(LeaseQuery.all())).leases()).isEmpty();
    }

    @Test
    void aSmallPageShowsTheLeasesBehindTheRecord() {
        QuorumLeaseStore store = open(OPTIONS.asNew());
        StoreId unused = idOf(store);
        LeaseRequest request = LeaseRequest.of(
                new LeaseId(1, 1), Claim.exclusive(Scope.name("orders")), new Holder("me"), TTL);
        assertThat(await(store.acquire(request))).isInstanceOf(Acquisition.Granted.class);
        LeaseQuery one = new LeaseQuery(Optional.empty(), Optional.empty(), 1);
        assertThat(await(store.list(one)).leases())
                .extracting(view -> view.holding().claim())
                .containsExactly(request.claim());
    }

    @Test
    void nodesThatForgetOneAfterTheOtherAreGivenTheIdBack() {
        QuorumLeaseStore store = open(OPTIONS.asNew());
        StoreId id = idOf(store);
        for (int i = 0; i < 3; i++) {
            nodes.set(i, node(10 + i));
            for (int k = 0; k < 5; k++) { // it is noticed, kept out, of age, and admitted
                await(store.list(LeaseQuery.all()));
                time.advance(TTL.multipliedBy(2));
            }
            assertThat(store.guarantees().caveats()).isEmpty();
        }
        assertThat(idOf(open(OPTIONS))).isEqualTo(id);
        time.advance(Duration.ofMinutes(2)); // it is looked up again
        assertThat(idOf(store)).isEqualTo(id);
        assertThat(idOf(store)).isEqualTo(id);
    }

    @Test
    void whenAllNodesHaveForgottenAnotherIdIsMade() {
        QuorumLeaseStore store = open(OPTIONS.asNew());
        StoreId before = idOf(store);
        for (int i = 0; i < 3; i++) {
            nodes.set(i, node(20 + i));
        }
        time.advance(Duration.ofMinutes(2));
        StoreId after = idOf(open(OPTIONS.asNew()));
        assertThat(after).isNotEqualTo(before);
        StoreId unused = idOf(store); // has it looked up
        time.advance(TTL);
        assertThat(idOf(store)).isEqualTo(after);
    }

    private StoreId idOf(QuorumLeaseStore store) {
        return await(store.storeId());
    }

    private MemoryQuorumNode node(long generation) {
        return MemoryQuorumNode.create(TableOptions.defaults(), time, generation);
    }

    private QuorumLeaseStore open(QuorumOptions options) {
        List<QuorumNode> used = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int index = i;
            used.add(new DelayedNode(time, () -> nodes.get(index), MILLISECOND).way());
        }
        return QuorumLeaseStore.over(options, time, new SplittableRandom(++seeds), used);
    }

    private <T> T await(CompletionStage<T> stage) {
        CompletableFuture<T> answer = stage.toCompletableFuture();
        for (int i = 0; i < 20_000 && !answer.isDone(); i++) {
            time.advance(MILLISECOND);
        }
        assertThat(answer).isDone();
        return answer.join();
    }
}
