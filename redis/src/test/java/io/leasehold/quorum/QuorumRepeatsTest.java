// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Acquisition.Held;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** One lease that is asked for more than once, by one client or several. */
final class QuorumRepeatsTest {

    private static final Duration TTL = Cluster.LONGEST_TTL;
    private static final Duration A_WHILE = Cluster.PATIENCE.multipliedBy(3);
    private static final Duration TOO_LATE = Cluster.PATIENCE.multipliedBy(10);

    private long ids;

    @Test
    void aRepeatFindsTheTokenThatWasReturnedAlthoughANodeDrewAHigherOneSince() {
        Cluster cluster = founded(3);
        List<Wire> wires = cluster.wires();
        QuorumLeaseStore one = cluster.open(wires, cluster.time());
        QuorumLeaseStore other = cluster.open(cluster.wires(), cluster.time());
        warmUp(cluster, one, other);
        drawAhead(cluster, 2);
        LeaseRequest request = request("a");
        wires.get(2).slow(Cluster.PATIENCE.dividedBy(2));
        Grant first = granted(cluster, one, request);
        wires.get(2).slow(TOO_LATE); // so is the word about the token
        cluster.pass(Cluster.PATIENCE);

        assertThat(granted(cluster, other, request).token()).isEqualTo(first.token());
        assertThat(cluster.await(one.renew(RenewalRequest.of(first, TTL))))
                .isInstanceOf(Renewal.Renewed.class);
    }

    /** Whoever shares the blocker's result asks for one of this token or a later one. */
    @Test
    void aRefusalNamesTheTokenThatWasReturnedAlthoughANodeDrewAHigherOneSince() {
        Cluster cluster = founded(3);
        List<Wire> wires = cluster.wires();
        QuorumLeaseStore one = cluster.open(wires, cluster.time());
        List<Wire> othersWires = cluster.wires();
        QuorumLeaseStore other = cluster.open(othersWires, cluster.time());
        warmUp(cluster, one, other);
        drawAhead(cluster, 2);
        wires.get(2).slow(Cluster.PATIENCE.dividedBy(2));
        Grant first = granted(cluster, one, request("a"));
        wires.get(2).slow(TOO_LATE); // so is the word about the token
        cluster.pass(Cluster.PATIENCE);
        othersWires.get(1).slow(Cluster.PATIENCE.dividedBy(2)); // the higher one is heard first

        assertThat(cluster.await(other.acquire(request("a"))))
                .isInstanceOfSatisfying(
                        Held.class,
                        held -> assertThat(held.blocker().token()).isEqualTo(first.token()));
    }

    @Test
    void aRepeatedRotationWaitsForNodesThatCanTakeTheTokenThatWasReturned() {
        Cluster cluster = founded(3);
        List<Wire> wires = cluster.wires();
        QuorumLeaseStore one = cluster.open(wires, cluster.time());
        List<Wire> othersWires = cluster.wires();
        QuorumLeaseStore other = cluster.open(othersWires, cluster.time());
        warmUp(cluster, one, other);
        Grant held = granted(cluster, one, request("a"));
        cluster.pass(A_WHILE);
        drawAhead(cluster, 2);
        wires.get(2).slow(Cluster.PATIENCE.dividedBy(2));
        FencingToken token = rotated(cluster.await(one.rotate(held)));
        wires.get(2).slow(TOO_LATE); // so is the word about the token
        cluster.pass(Cluster.PATIENCE);
        othersWires.get(1).slow(Cluster.PATIENCE.dividedBy(2));

        assertThat(rotated(cluster.await(other.rotate(held)))).isEqualTo(token);
    }

    @Test
    void aRepeatedAcquireWaitsForNodesThatHaveHeardOfTheRotation() {
        Cluster cluster = founded(5);
        List<Wire> wires = cluster.wires();
        QuorumLeaseStore one = cluster.open(wires, cluster.time());
        List<Wire> othersWires = cluster.wires();
        QuorumLeaseStore other = cluster.open(othersWires, cluster.time());
        warmUp(cluster, one, other);
        LeaseRequest request = request("a");
        Grant held = granted(cluster, one, request);
        cluster.pass(A_WHILE);
        for (int late : List.of(3, 4)) {
            wires.get(late).slow(TOO_LATE);
        }
        FencingToken token = rotated(cluster.await(one.rotate(held)));
        for (int slow : List.of(1, 2)) { // the first three to answer are one that rotated and two
            othersWires.get(slow).slow(Cluster.PATIENCE.dividedBy(2)); // that have not yet
        }

        assertThat(granted(cluster, other, request).token()).isEqualTo(token);
    }

    /** A request that waited is taken back without a trace: it may come again, and be granted. */
    @Test
    void aLeaseWhoseRequestWasTakenBackBeforeIsBroughtToNodesThatMissIt() {
        Cluster cluster = founded(3);
        QuorumLeaseStore one = cluster.open(cluster.wires(), cluster.time());
        warmUp(cluster, one);
        Grant before = granted(cluster, one, request("a"));
        LeaseRequest request = request("a").waitingAtMost(TTL).sentBy(1);
        CompletableFuture<Acquisition> waiting = one.acquire(request).toCompletableFuture();
        cluster.pass(A_WHILE);
        assertThat(waiting).isNotDone();
        assertThat(cluster.await(one.withdrawUnlessUsed(request))).isEqualTo(new Ending.Ended());
        assertThat(cluster.await(one.release(before))).isEqualTo(new Ending.Ended());

        cluster.node(2).crash(false);
        Grant grant = granted(cluster, one, request);
        cluster.node(2).start();
        for (int down = 0; down < 2; down++) { // of the two that have granted it
            warmUp(cluster, one);
            assertThat(cluster.await(one.renew(RenewalRequest.of(grant, TTL))))
                    .isInstanceOf(Renewal.Renewed.class);
            cluster.pass(A_WHILE);
            if (down == 0) {
                cluster.node(1).crash(false);
            }
        }
    }

    private static FencingToken rotated(Rotation rotation) {
        return ((Rotation.Rotated) rotation).grant().token();
    }

    @Test
    void aTokenThatWasProposedAndMayBeFinalIsProposedAgain() {
        Cluster cluster = founded(3);
        List<Wire> wires = cluster.wires();
        QuorumLeaseStore one = cluster.open(wires, cluster.time());
        QuorumLeaseStore other = cluster.open(cluster.wires(), cluster.time());
        warmUp(cluster, one, other);
        cluster.node(2).crash(false);
        LeaseRequest request = request("a");
        Grant first = granted(cluster, one, request);
        drawAhead(cluster, 2);
        cluster.node(2).start();
        warmUp(cluster, one, other);

        for (int down = 0; down < 2; down++) { // one of two that know it, and one that does not
            cluster.node(down).crash(false);
            CompletableFuture<Acquisition> repeat = other.acquire(request).toCompletableFuture();
            cluster.pass(A_WHILE);
            assertThat(repeat).isDone();
            assertThat(repeat.isCompletedExceptionally() || tokenOf(repeat).equals(first.token()))
                    .isTrue();
            cluster.node(down).start();
            warmUp(cluster, one, other);
        }
        assertThat(granted(cluster, other, request).token()).isEqualTo(first.token());
    }

    @Test
    void aRepeatThatFindsNoMajorityLeavesTheLiveLeaseAlone() {
        Cluster cluster = founded(3);
        QuorumLeaseStore one = cluster.open(cluster.wires(), cluster.time());
        List<Wire> wires = cluster.wires();
        QuorumLeaseStore other = cluster.open(wires, cluster.time());
        QuorumLeaseStore third = cluster.open(cluster.wires(), cluster.time());
        warmUp(cluster, one, other, third);
        LeaseRequest request = request("a");
        Grant held = granted(cluster, one, request);
        wires.get(1).slow(TOO_LATE);
        wires.get(2).slow(TOO_LATE);

        CompletableFuture<Acquisition> repeat = other.acquire(request).toCompletableFuture();
        cluster.pass(TOO_LATE.plus(A_WHILE)); // all that was under way has arrived

        assertThat(cluster.await(third.acquire(request("a")))).isInstanceOf(Held.class);
        assertThat(cluster.await(one.renew(RenewalRequest.of(held, TTL))))
                .isInstanceOf(Renewal.Renewed.class);
        assertThatThrownBy(repeat::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void whatAnAttemptGotForItselfAloneIsStillGivenBack() {
        Cluster cluster = founded(3);
        List<Wire> wires = cluster.wires();
        QuorumLeaseStore one = cluster.open(wires, cluster.time());
        QuorumLeaseStore other = cluster.open(cluster.wires(), cluster.time());
        warmUp(cluster, one, other);
        wires.get(1).slow(TOO_LATE);
        wires.get(2).slow(TOO_LATE);
        CompletableFuture<Acquisition> failed = one.acquire(request("a")).toCompletableFuture();
        cluster.pass(TOO_LATE.plus(A_WHILE));
        assertThat(failed).isCompletedExceptionally();

        granted(cluster, other, request("a"));
    }

    @Test
    void whatATokenWasProposedForIsNotGivenBack() {
        Cluster cluster = founded(3);
        List<Wire> wires = cluster.wires();
        QuorumLeaseStore one = cluster.open(wires, cluster.time());
        QuorumLeaseStore other = cluster.open(cluster.wires(), cluster.time());
        warmUp(cluster, one, other);
        LeaseRequest request = request("a");
        CompletableFuture<Acquisition> failed = one.acquire(request).toCompletableFuture();
        wires.forEach(wire -> wire.slow(TOO_LATE)); // the requests are on their way
        cluster.pass(TOO_LATE.plus(A_WHILE));

        assertThatThrownBy(failed::join).hasCauseInstanceOf(OutcomeUnknownException.class);
        assertThat(cluster.await(other.acquire(request("a")))).isInstanceOf(Held.class);
        granted(cluster, other, request);
    }

    /** A process whose rounds are behind, because it was started before, is not kept from it. */
    @Test
    void aRepeatByAnOlderProcessGetsTheLeaseToo() {
        Cluster cluster = founded(3);
        QuorumLeaseStore older = cluster.open(cluster.wires(), cluster.time());
        cluster.pass(Duration.ofSeconds(1));
        QuorumLeaseStore newer = cluster.open(cluster.wires(), cluster.time());
        warmUp(cluster, older, newer);
        LeaseRequest request = request("a");
        Grant first = granted(cluster, newer, request);

        Acquisition repeat = cluster.await(older.acquire(request));

        assertThat(repeat).isInstanceOf(Granted.class);
        assertThat(((Granted) repeat).grant().token()).isEqualTo(first.token());
    }

    @Test
    void aRepeatIsNotToldThatAnotherHoldsWhatItsMajorityHas() {
        Cluster cluster = founded(3);
        QuorumLeaseStore one = cluster.open(cluster.wires(), cluster.time());
        QuorumLeaseStore other = cluster.open(cluster.wires(), cluster.time());
        warmUp(cluster, one, other);
        cluster.node(0).crash(false);
        LeaseRequest request = request("a");
        Grant first = granted(cluster, one, request);
        cluster.await(cluster.node(0).node().acquire(request("a"))); // somebody's remains
        cluster.node(0).start();
        warmUp(cluster, one, other);

        assertThat(granted(cluster, other, request).token()).isEqualTo(first.token());
    }

    @Test
    void nodesThatNeverHadALeaseDoNotSpeakForThoseWhereItRanOut() {
        Cluster cluster = founded(5);
        List<Wire> wires = cluster.wires();
        QuorumLeaseStore store = cluster.open(wires, cluster.time());
        warmUp(cluster, store);
        cluster.node(3).crash(false);
        cluster.node(4).crash(false);
        Grant grant = granted(cluster, store, request("a"));
        cluster.pass(TTL.plus(A_WHILE));
        cluster.node(3).start();
        cluster.node(4).start();
        warmUp(cluster, store);
        wires.get(0).slow(Cluster.PATIENCE.dividedBy(2));
        wires.get(1).slow(Cluster.PATIENCE.dividedBy(2));

        Refused expired = new Refused(RefusalReason.EXPIRED);
        assertThat(cluster.await(store.rotate(grant))).isEqualTo(expired);
        assertThat(cluster.await(store.renew(RenewalRequest.of(grant, TTL)))).isEqualTo(expired);
        assertThat(cluster.await(store.release(grant))).isEqualTo(expired);
    }

    // ---- small things

    /** Has the stores know all nodes. */
    private void warmUp(Cluster cluster, LeaseStore... stores) {
        for (LeaseStore store : stores) {
            for (int i = 0; i < 2; i++) {
                granted(cluster, store, request("warm-up-" + ids));
                cluster.pass(Cluster.PATIENCE);
            }
        }
    }

    /** Has the node draw the highest number for whatever comes next. */
    private void drawAhead(Cluster cluster, int node) {
        for (int i = 0; i < 3; i++) {
            cluster.await(cluster.node(node).node().acquire(request("ahead-" + ids)));
        }
    }

    private static FencingToken tokenOf(CompletableFuture<Acquisition> answer) {
        return ((Granted) answer.join()).grant().token();
    }

    private static Cluster founded(int nodes) {
        Cluster cluster = new Cluster(1, nodes, 0, Weather.fair(), Safeguards.ALL);
        cluster.found();
        return cluster;
    }

    private LeaseRequest request(String name) {
        return LeaseRequest.of(
                new LeaseId(7, ++ids), Claim.exclusive(Scope.name(name)), new Holder("test"), TTL);
    }

    private static Grant granted(Cluster cluster, LeaseStore store, LeaseRequest request) {
        Acquisition answer =
                cluster.await(store.acquire(request.waitingAtMost(Duration.ofSeconds(1))));
        assertThat(answer).isInstanceOf(Granted.class);
        return ((Granted) answer).grant();
    }
}
