// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.quorum.QuorumListener.NodeChange;
import io.leasehold.quorum.QuorumListener.NodeState;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Acquisition.Held;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Nodes that are down, that forget, that are replaced, and what becomes of the leases. */
final class QuorumFailuresTest {

    private static final Duration TTL = Duration.ofSeconds(2);
    private static final Duration A_WHILE = Cluster.PATIENCE.multipliedBy(3);

    private long ids;

    @Test
    void anyMinorityMayBeDown() {
        Cluster cluster = founded(5);
        QuorumLeaseStore store = cluster.open(cluster.wires(), cluster.time());
        Grant first = granted(cluster, store, "a");
        cluster.node(0).crash(false);
        cluster.node(3).crash(false);

        Grant second = granted(cluster, store, "b");

        assertThat(first.token()).isLessThan(second.token());
        assertThat(cluster.await(store.renew(RenewalRequest.of(first, TTL))))
                .isInstanceOf(Renewal.Renewed.class);
        assertThat(cluster.await(store.release(first))).isEqualTo(new Ending.Ended());
    }

    @Test
    void withoutAMajorityItRefusesInTimeAndRecovers() {
        Cluster cluster = founded(5);
        QuorumLeaseStore store = cluster.open(cluster.wires(), cluster.time());
        Grant before = granted(cluster, store, "a");
        for (int i = 0; i < 3; i++) {
            cluster.node(i).crash(false);
        }

        long began = cluster.time().nanos();
        assertUnavailable(() -> cluster.await(store.acquire(request("b"))));
        assertThat(cluster.time().nanos() - began).isLessThan(A_WHILE.toNanos());

        cluster.node(1).start();
        cluster.pass(A_WHILE);
        assertThat(before.token()).isLessThan(granted(cluster, store, "b").token());
    }

    @Test
    void aNodeThatForgotLetsNoThirdPartyIn() {
        Cluster cluster = founded(3);
        QuorumLeaseStore one = cluster.open(cluster.wires(), cluster.time());
        QuorumLeaseStore other = cluster.open(cluster.wires(), cluster.time());
        cluster.node(2).crash(false);
        Grant held = granted(cluster, one, "a");
        cluster.node(1).crash(true);
        cluster.node(1).start();
        cluster.node(2).start();
        cluster.pass(A_WHILE);

        long end = cluster.time().nanos() + TTL.minus(A_WHILE.multipliedBy(2)).toNanos();
        while (cluster.time().nanos() < end) {
            CompletableFuture<Acquisition> attempt =
                    other.acquire(request("a")).toCompletableFuture();
            cluster.pass(A_WHILE);
            assertThat(attempt).isDone();
            assertThat(attempt.isCompletedExceptionally() || attempt.join() instanceof Held)
                    .isTrue();
        }

        cluster.pass(Cluster.LONGEST_TTL.plus(A_WHILE));
        assertThat(held.token()).isLessThan(granted(cluster, other, "a").token());
    }

    @Test
    void aNodeThatForgotIsSeededBeforeItCountsAgainAndAllOfItIsTold() {
        Cluster cluster = founded(3);
        List<NodeChange> changes = new ArrayList<>();
        QuorumLeaseStore store = cluster.open(
                cluster.wires(), Cluster.OPTIONS.withListener(changes::add), cluster.time());
        Grant before = granted(cluster, store, "a");
        cluster.node(0).crash(true);
        cluster.node(0).start();
        granted(cluster, store, "b");
        cluster.pass(A_WHILE);
        granted(cluster, store, "c");
        cluster.pass(A_WHILE);
        assertThat(store.guarantees().caveats())
                .singleElement()
                .asString()
                .contains("node 0 is KEPT_OUT");

        cluster.pass(Cluster.LONGEST_TTL.plus(Duration.ofSeconds(1)));
        granted(cluster, store, "d");
        cluster.pass(A_WHILE);

        assertThat(store.guarantees().caveats()).isEmpty();
        long counter = cluster.await(cluster.node(0).node().standing()).counter();
        assertThat(counter).isGreaterThan(before.token().value());
        assertThat(changes.stream().filter(change -> change.node() == 0).map(NodeChange::state))
                .containsSubsequence(
                        NodeState.JOINED,
                        NodeState.UNREACHABLE,
                        NodeState.KEPT_OUT,
                        NodeState.JOINED);
    }

    @Test
    void nodesOfWhichNobodyKnowsWhetherTheyAreNewWaitForTheLongestTtl() {
        Cluster cluster = new Cluster(1, 3, 0, Weather.fair(), Safeguards.ALL);
        QuorumLeaseStore store = cluster.open(cluster.wires(), cluster.time());
        cluster.pass(A_WHILE);
        assertUnavailable(() -> cluster.await(store.acquire(request("a"))));

        cluster.pass(Cluster.LONGEST_TTL.plus(A_WHILE));

        granted(cluster, store, "a");
    }

    @Test
    void aQuorumThatLostAllGoesOnAboveItsTokens() {
        Cluster cluster = founded(3);
        QuorumLeaseStore store = cluster.open(cluster.wires(), cluster.time());
        FencingToken before = granted(cluster, store, "a").token();
        for (int i = 0; i < 3; i++) {
            cluster.node(i).crash(true);
            cluster.node(i).start();
        }
        assertUnavailable(() -> cluster.await(store.acquire(request("a"))));
        cluster.pass(Cluster.LONGEST_TTL.plus(Duration.ofSeconds(1)));

        assertThat(before).isLessThan(granted(cluster, store, "a").token());
    }

    @Test
    void aNodeOfAnotherQuorumIsRefused() {
        Cluster cluster = founded(3);
        QuorumLeaseStore stranger = cluster.open(
                cluster.wires(), Cluster.OPTIONS.withName("other").asNew(), cluster.time());
        assertThatThrownBy(() -> cluster.await(stranger.acquire(request("a"))))
                .hasCauseInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("FOREIGN");
    }

    @Test
    void renewalRepairsANodeThatWasDownWhenGranted() {
        Cluster cluster = founded(3);
        QuorumLeaseStore store = cluster.open(cluster.wires(), cluster.time());
        cluster.node(2).crash(false);
        Grant grant = granted(cluster, store, "a");
        cluster.node(2).start();
        cluster.pass(A_WHILE);
        granted(cluster, store, "other"); // brings the node back in
        cluster.pass(A_WHILE);

        cluster.await(store.renew(RenewalRequest.of(grant, TTL)));
        cluster.pass(A_WHILE);
        cluster.node(0).crash(false);

        assertThat(cluster.await(store.renew(RenewalRequest.of(grant, TTL))))
                .isInstanceOf(Renewal.Renewed.class);
        assertThat(cluster.await(store.release(grant))).isEqualTo(new Ending.Ended());
    }

    @Test
    void whatIsLeftOfACompletedLeaseAtOneNodeIsNothingToRelease() {
        Cluster cluster = founded(3);
        QuorumLeaseStore store = cluster.open(cluster.wires(), cluster.time());
        Grant grant = granted(cluster, store, "a");
        cluster.pass(A_WHILE);
        cluster.node(2).crash(false);
        assertThat(cluster.await(store.complete(grant, LeaseRecord.of("done"), TTL)))
                .isEqualTo(new Ending.Ended());
        cluster.pass(A_WHILE); // it is found to be down
        cluster.node(2).start();
        granted(cluster, store, "other"); // brings the node back in
        cluster.pass(A_WHILE);
        assertThat(listed(cluster, 2)).contains(grant.holding());

        assertThat(cluster.await(store.release(grant)))
                .isEqualTo(new Refused(RefusalReason.NOT_FOUND));

        cluster.pass(A_WHILE); // the other two decide before it has heard
        assertThat(listed(cluster, 2)).doesNotContain(grant.holding());
    }

    @Test
    void whoeverWaitsMovesOnWhenTheNodeOfTheQueueDies() {
        Cluster cluster = founded(3);
        QuorumLeaseStore one = cluster.open(cluster.wires(), cluster.time());
        QuorumLeaseStore other = cluster.open(cluster.wires(), cluster.time());
        Grant first = granted(cluster, one, "a");
        CompletableFuture<Acquisition> waiting = other.acquire(
                        request("a").waitingAtMost(Duration.ofSeconds(10)))
                .toCompletableFuture();
        cluster.pass(A_WHILE);
        cluster.node(0).crash(false);
        cluster.pass(A_WHILE);
        assertThat(waiting).isNotDone();

        cluster.await(one.release(first));
        cluster.pass(A_WHILE.multipliedBy(2));

        assertThat(waiting.join()).isInstanceOf(Granted.class);
    }

    /** A request that was overtaken by its own repeat is answered, too. */
    @Test
    void theLateAnswerToAnEarlierRoundTakesNothingFromTheLaterOne() {
        for (int seed = 1; seed <= 60; seed++) {
            Cluster cluster = founded(seed, 3);
            QuorumLeaseStore one = cluster.open(cluster.wires(), cluster.time());
            List<Wire> wires = cluster.wires();
            QuorumLeaseStore other = cluster.open(wires, cluster.time());
            Grant first = granted(cluster, one, "a");
            cluster.pass(A_WHILE);
            CompletableFuture<Acquisition> waiting = other.acquire(
                            request("a").waitingAtMost(Duration.ofSeconds(10)))
                    .toCompletableFuture();
            wires.get(0).slow(Duration.ofSeconds(1));
            cluster.pass(Duration.ofMillis(7)); // the request to wait is on its slow way
            wires.get(0).slow(Duration.ZERO);
            wires.get(0).losePings(true);
            cluster.pass(
                    Cluster.PATIENCE.multipliedBy(5).dividedBy(2)); // it seems dead for a moment
            wires.get(0).losePings(false);
            cluster.pass(Duration.ofMillis(1200)); // both requests to wait are there

            cluster.await(one.release(first));
            Grant second = ((Granted) cluster.await(waiting)).grant();
            cluster.pass(Duration.ofMillis(20));

            assertThat(cluster.await(cluster.node(0).node().list(LeaseQuery.all()))
                            .leases())
                    .as("seed " + seed)
                    .extracting(LeaseView::holding)
                    .containsExactly(second.holding());
        }
    }

    @Test
    void waitersOfSeveralProcessesAreServedFirstComeFirstServed() {
        Cluster cluster = founded(5);
        QuorumLeaseStore holder = cluster.open(cluster.wires(), cluster.time());
        Grant held = granted(cluster, holder, "a");
        List<QuorumLeaseStore> stores = new ArrayList<>();
        List<CompletableFuture<Acquisition>> waiting = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            QuorumLeaseStore store = cluster.open(cluster.wires(), cluster.time());
            stores.add(store);
            waiting.add(store.acquire(request("a").waitingAtMost(Duration.ofSeconds(10)))
                    .toCompletableFuture());
            cluster.pass(Duration.ofMillis(20));
        }
        LeaseStore holding = holder;
        for (int i = 0; i < waiting.size(); i++) {
            cluster.await(holding.release(held));
            held = ((Granted) cluster.await(waiting.get(i))).grant();
            holding = stores.get(i);
            assertThat(waiting.subList(i + 1, waiting.size())).noneMatch(CompletableFuture::isDone);
        }
    }

    @Test
    void tokensAreOrderedAlthoughTheNodesCountApart() {
        Cluster cluster = founded(3);
        QuorumLeaseStore store = cluster.open(cluster.wires(), cluster.time());
        cluster.node(2).crash(false);
        FencingToken last = granted(cluster, store, "warm-up").token();
        for (int i = 0; i < 20; i++) {
            for (int down = 0; down < 3; down++) {
                for (int node = 0; node < 3; node++) {
                    cluster.node(node).start();
                }
                cluster.node(down).crash(false);
                cluster.pass(A_WHILE);
                FencingToken next =
                        granted(cluster, store, "a" + i + "-" + down).token();
                assertThat(last).isLessThan(next);
                last = next;
            }
        }
    }

    @Test
    void aLeaseLongerThanANodeWouldBeKeptOutIsRefused() {
        Cluster cluster = founded(3);
        QuorumLeaseStore store = cluster.open(cluster.wires(), cluster.time());
        LeaseRequest request = LeaseRequest.of(
                new LeaseId(7, ++ids),
                Claim.exclusive(Scope.name("a")),
                new Holder("test"),
                Cluster.LONGEST_TTL.plusMillis(1));
        assertThatThrownBy(() -> cluster.await(store.acquire(request)))
                .hasCauseInstanceOf(LimitExceededException.class);
    }

    @Test
    void anEvenNumberOfNodesIsNoQuorum() {
        Cluster cluster = founded(3);
        assertThatThrownBy(() -> cluster.open(cluster.wires().subList(0, 2), cluster.time()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aGrantThatComesAfterTheReleaseIsTakenBack() {
        Cluster cluster = founded(3);
        List<Wire> wires = cluster.wires();
        QuorumLeaseStore store = cluster.open(wires, cluster.time());
        granted(cluster, store, "before"); // so that all are known
        wires.get(2).slow(Cluster.PATIENCE.dividedBy(2));
        Grant grant = granted(cluster, store, "a");
        wires.get(2).slow(Duration.ZERO);

        assertThat(cluster.await(store.release(grant))).isEqualTo(new Ending.Ended());
        cluster.pass(A_WHILE);

        assertThat(listed(cluster, 2))
                .extracting(Holding::claim)
                .doesNotContain(grant.holding().claim());
    }

    private static Cluster founded(int nodes) {
        return founded(1, nodes);
    }

    private static Cluster founded(long seed, int nodes) {
        Cluster cluster = new Cluster(seed, nodes, 0, Weather.fair(), Safeguards.ALL);
        cluster.found();
        return cluster;
    }

    private LeaseRequest request(String name) {
        return LeaseRequest.of(
                new LeaseId(7, ++ids), Claim.exclusive(Scope.name(name)), new Holder("test"), TTL);
    }

    /** Asks until it is granted: a node that is found dead costs an attempt. */
    private Grant granted(Cluster cluster, LeaseStore store, String name) {
        LeaseRequest request = request(name).waitingAtMost(Duration.ofSeconds(1));
        Acquisition answer = cluster.await(store.acquire(request));
        assertThat(answer).isInstanceOf(Granted.class);
        return ((Granted) answer).grant();
    }

    private static List<Holding> listed(Cluster cluster, int node) {
        return cluster.await(cluster.node(node).node().list(LeaseQuery.all())).leases().stream()
                .map(LeaseView::holding)
                .toList();
    }

    private static void assertUnavailable(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(StoreUnavailableException.class);
    }
}
