// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.memory.MemoryQuorumNode;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.RequestRefusedException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.NodeRecord;
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
        List<StoreId> told = new ArrayList<>();
        var subscription = store.onStoreChange(told::add);
        for (int i = 0; i < 3; i++) {
            nodes.set(i, node(20 + i));
        }
        time.advance(Duration.ofMinutes(2));
        StoreId after = idOf(open(OPTIONS.asNew()));
        assertThat(after).isNotEqualTo(before);
        StoreId unused = idOf(store); // has it looked up
        time.advance(TTL);
        assertThat(idOf(store)).isEqualTo(after);
        assertThat(told).containsExactly(after);
        time.advance(Duration.ofMinutes(2));
        StoreId again = idOf(store);
        time.advance(TTL);
        assertThat(again).isEqualTo(idOf(store)).isEqualTo(after);
        assertThat(told).containsExactly(after);
        subscription.close();
    }

    @Test
    void nobodyElseMayAcquireCompleteOrForceTheScopeOfTheStoreId() {
        QuorumLeaseStore store = open(OPTIONS.asNew());
        for (Claim claim : List.of(
                Claim.exclusive(QuorumIdentity.SCOPE),
                Claim.shared(QuorumIdentity.SCOPE),
                Claim.exclusive(Scope.name("orders"), QuorumIdentity.SCOPE))) {
            Grant forged = new Grant(
                    new Holding(claim, new Holder("me"), new FencingToken(1)),
                    new LeaseId(1, 1),
                    TTL);
            assertRefused(store.acquire(
                    LeaseRequest.of(new LeaseId(1, 1), claim, new Holder("me"), TTL)));
            assertRefused(store.complete(forged, LeaseRecord.of("forged"), Duration.ofDays(1)));
        }
        assertRefused(store.forceRelease(QuorumIdentity.SCOPE, new FencingToken(1)));
        assertThat(idOf(store)).isEqualTo(idOf(open(OPTIONS)));
    }

    private void assertRefused(CompletionStage<?> stage) {
        assertThatThrownBy(() -> await(stage))
                .hasCauseInstanceOf(RequestRefusedException.class)
                .hasMessageContaining("name:leasehold/store-id is reserved");
    }

    @Test
    void aRecordThatIsNoStoreIdIsToldAsDamageUntilItIsRepaired() {
        QuorumLeaseStore store = open(OPTIONS.asNew());
        assertThat(await(store.list(LeaseQuery.all())).leases()).isEmpty(); // nodes are admitted
        leaveRecord("not an id", 100);
        assertThatThrownBy(() -> idOf(store))
                .hasCauseInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("the record at name:leasehold/store-id is damaged");
        assertThat(store.storeId().toCompletableFuture())
                .as("is not looked up again at once")
                .isCompletedExceptionally();
        StoreId repaired = new StoreId(7, 7);
        leaveRecord(repaired.toString(), 200);
        time.advance(Duration.ofMinutes(2));
        assertThat(idOf(store)).isEqualTo(repaired);
    }

    private void leaveRecord(String text, long token) {
        NodeRecord record = new NodeRecord(
                QuorumIdentity.SCOPE,
                new Holding(
                        Claim.exclusive(QuorumIdentity.SCOPE),
                        new Holder("me"),
                        new FencingToken(token)),
                LeaseRecord.of(text),
                Duration.ZERO,
                Duration.ofDays(400));
        nodes.forEach(node -> await(node.keep(List.of(record))));
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
