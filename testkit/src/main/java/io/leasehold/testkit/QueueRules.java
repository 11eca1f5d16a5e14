// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static io.leasehold.model.RefusalReason.NOT_FOUND;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Conflicting requests that wait are served first come first served, while they are alive and in time. */
abstract class QueueRules extends ContractRules {

    @Test
    void waitersAreServedFirstComeFirstServed() {
        Grant first = alice.holds("a");
        Pending second = bob.waits("a");
        Pending third = carol.waits("a");
        alice.releases(first);
        Grant granted = second.grant();
        third.assertQueued();
        bob.releases(granted);
        third.grant();
    }

    @Test
    void aRequestThatWouldWaitIsGrantedAtOnceWhenNobodyIsInTheWay() {
        assertClose(bob.waits("a").granted().validity().inStore(), Duration.ZERO);
    }

    @Test
    void aTryDoesNotOvertakeAWaiter() {
        Grant first = alice.holds(alice.shared("a"));
        Pending waiter = bob.waits("a");
        assertHeldBy(first, carol.tries(carol.shared("a")));
        alice.releases(first);
        waiter.grant();
    }

    @Test
    void aSharedWaiterDoesNotOvertakeAnEarlierExclusiveOne() {
        Grant first = alice.holds(alice.shared("a"));
        Pending exclusive = bob.waits("a");
        Pending shared = carol.waits(carol.patient(carol.shared("a")));
        shared.assertQueued();
        alice.releases(first);
        Grant granted = exclusive.grant();
        shared.assertQueued();
        bob.releases(granted);
        shared.grant();
    }

    @Test
    void severalSharedWaitersAreGrantedTogether() {
        Grant first = alice.holds("a");
        Pending one = bob.waits(bob.patient(bob.shared("a")));
        Pending two = carol.waits(carol.patient(carol.shared("a")));
        alice.releases(first);
        one.grant();
        two.grant();
    }

    @Test
    void sharedWaitersAreGrantedTogetherUpToTheNextExclusiveOne() {
        Grant first = alice.holds("a");
        Pending one = bob.waits(bob.patient(bob.shared("a")));
        Pending two = carol.waits(carol.patient(carol.shared("a")));
        Pending exclusive = alice.waits("a");
        Pending behind = bob.waits(bob.patient(bob.shared("a")));
        alice.releases(first);
        bob.releases(one.grant());
        exclusive.assertQueued();
        carol.releases(two.grant());
        exclusive.grant();
        behind.assertQueued();
    }

    @Test
    void aWaiterGetsTheLeaseAtTheBlockersExpiryWithoutAnyCall() {
        alice.holds("a");
        Pending waiter = bob.waits("a");
        passJustNot(ttl());
        waiter.assertQueued();
        passTheRest();
        assertClose(waiter.granted().validity().inStore(), ttl());
        assertClose(waiter.granted().validity().remaining(), ttl());
    }

    @Test
    void aWaiterWaitsOnWhileTheBlockerRenews() {
        Grant first = alice.holds("a");
        Pending waiter = bob.waits("a");
        pass(ttl().dividedBy(2));
        alice.renews(first);
        passJustNot(ttl());
        waiter.assertQueued();
        passTheRest();
        waiter.grant();
    }

    @Test
    void aQueueDrainsByExpiryAlone() {
        alice.holds("a");
        Pending second = bob.waits("a");
        Pending third = carol.waits("a");
        passAllOf(ttl());
        second.grant();
        third.assertQueued();
        passAllOf(ttl());
        third.grant();
    }

    @Test
    void aWaiterWhoseTimeIsUpIsAnsweredHeldAndSkipped() {
        Grant first = alice.holds("a");
        Duration half = ttl().dividedBy(2);
        Pending hasty = bob.waits(bob.request("a").waitingAtMost(half));
        Pending patient = carol.waits("a");
        passJustNot(half);
        hasty.assertQueued();
        passTheRest();
        assertHeldBy(first, hasty.answer());
        alice.releases(first);
        patient.grant();
    }

    @Test
    void aHeldAnswerAfterWaitingSaysHowLongTheBlockerStillRuns() {
        alice.holds("a");
        Duration half = ttl().dividedBy(2);
        Pending waiter = bob.waits(bob.request("a").waitingAtMost(half));
        passAllOf(half);
        assertThat(waiter.answer())
                .isInstanceOfSatisfying(
                        Acquisition.Held.class,
                        held -> assertClose(held.remaining(), ttl().minus(half)));
    }

    @Test
    void aWithdrawnWaiterIsSkippedAndItsAttemptIsGone() {
        Grant first = alice.holds("a");
        LeaseRequest request = bob.patient(bob.request("a"));
        Pending withdrawn = bob.waits(request);
        Pending next = carol.waits("a");
        assertThat(bob.withdraws(request)).isEqualTo(ENDED);
        assertThat(withdrawn.answer()).isEqualTo(gone(NOT_FOUND));
        alice.releases(first);
        next.grant();
        assertThat(bob.tries(request)).isEqualTo(gone(NOT_FOUND));
    }

    @Test
    void theWithdrawalOfAnExclusiveWaiterLetsSharersThrough() {
        alice.holds(alice.shared("a"));
        LeaseRequest request = bob.patient(bob.request("a"));
        bob.waits(request);
        Pending shared = carol.waits(carol.patient(carol.shared("a")));
        bob.withdraws(request);
        shared.grant();
    }

    @Test
    void theTimeOutOfAnExclusiveWaiterLetsSharersThrough() {
        alice.holds(alice.shared("a"));
        Duration half = ttl().dividedBy(2);
        bob.waits(bob.request("a").waitingAtMost(half));
        Pending shared = carol.waits(carol.patient(carol.shared("a")));
        passAllOf(half);
        shared.grant();
    }

    @Test
    void waitersOfOverlappingScopesAreServedInOrder() {
        Grant first = alice.holds(Claim.exclusive(Scope.subtree("/a")));
        Pending below = bob.waits(Claim.exclusive(Scope.path("/a/b")));
        Pending above = carol.waits(Claim.exclusive(Scope.subtree("/")));
        Pending beside = bob.waits(Claim.exclusive(Scope.path("/a/c")));
        alice.releases(first);
        Grant granted = below.grant();
        above.assertQueued();
        beside.assertQueued();
        bob.releases(granted);
        carol.releases(above.grant());
        beside.grant();
    }

    @Test
    void waitersThatDoNotConflictAreGrantedTogether() {
        Grant first = alice.holds(Claim.exclusive(Scope.inode(1)));
        Pending low = bob.waits(Claim.exclusive(Scope.range(1, 0, 10)));
        Pending high = carol.waits(Claim.exclusive(Scope.range(1, 10, 20)));
        alice.releases(first);
        low.grant();
        high.grant();
    }

    @Test
    void aWaiterDoesNotHoldUpRequestsThatDoNotConflict() {
        alice.holds("a");
        bob.waits("a");
        carol.holds("b");
    }

    @Test
    void aWaiterKeepsItsPlaceWhileTheBlockerRotates() {
        Grant first = alice.holds("a");
        Pending waiter = bob.waits("a");
        Grant rotated = alice.rotated(first);
        waiter.assertQueued();
        alice.releases(rotated);
        waiter.grant();
    }

    @Test
    void aWaiterIsServedAfterAWithdrawnHolder() {
        LeaseRequest request = alice.request("a");
        alice.holds(request);
        Pending waiter = bob.waits("a");
        alice.withdraws(request);
        waiter.grant();
    }
}
