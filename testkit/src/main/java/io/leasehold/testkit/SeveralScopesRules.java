// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.Scope;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import org.junit.jupiter.api.Test;

/** A claim of several scopes is granted all or none, under one token. */
abstract class SeveralScopesRules extends ContractRules {

    private static final Scope A = Scope.name("a");
    private static final Scope B = Scope.name("b");
    private static final Scope C = Scope.name("c");

    @Test
    void allScopesAreHeldUnderOneToken() {
        Grant grant = alice.holds(Claim.exclusive(A, B, Scope.subtree("/c")));
        assertHeldBy(grant, bob.tries("a"));
        assertHeldBy(grant, bob.tries("b"));
        assertHeldBy(grant, bob.tries(Claim.shared(Scope.path("/c/d"))));
        assertThat(listed()).hasSize(1);
    }

    @Test
    void allScopesAreReleasedTogether() {
        alice.releases(alice.holds(Claim.exclusive(A, B)));
        assertFree("a");
        assertFree("b");
    }

    @Test
    void allScopesExpireTogether() {
        alice.holds(Claim.exclusive(A, B));
        passAllOf(ttl());
        bob.holds(Claim.exclusive(B, A));
    }

    @Test
    void aFailedTryHoldsNothing() {
        Grant first = alice.holds("b");
        assertHeldBy(first, bob.tries(Claim.exclusive(A, B, C)));
        assertFree("a");
        assertFree("c");
    }

    @Test
    void aWaiterHoldsNothingWhileItWaits() {
        Grant first = alice.holds("b");
        LeaseRequest request = bob.patient(bob.request(Claim.exclusive(A, B)));
        bob.waits(request);
        assertThat(listed()).extracting(row -> row.holding()).containsExactly(first.holding());
        bob.withdraws(request);
        assertFree("a");
    }

    @Test
    void aWaiterIsGrantedWhenTheLastOfItsScopesIsFree() {
        Grant first = alice.holds("a");
        Grant second = bob.holds("b");
        Pending waiter = carol.waits(Claim.exclusive(A, B));
        alice.releases(first);
        waiter.assertQueued();
        bob.releases(second);
        assertThat(waiter.grant().holding().claim()).isEqualTo(Claim.exclusive(A, B));
    }

    @Test
    void aWaiterIsGrantedWhenTheLastOfItsScopesExpires() {
        alice.holds("a");
        pass(ttl().dividedBy(2));
        bob.holds("b");
        Pending waiter = carol.waits(Claim.exclusive(A, B));
        passAllOf(ttl().dividedBy(2));
        waiter.assertQueued();
        passAllOf(ttl().dividedBy(2));
        waiter.grant();
    }

    @Test
    void oppositeOrdersDoNotDeadlock() {
        Grant first = carol.holds("a");
        Pending forward = alice.waits(Claim.exclusive(A, B));
        Pending backward = bob.waits(Claim.exclusive(B, A));
        carol.releases(first);
        alice.releases(forward.grant());
        bob.releases(backward.grant());
    }

    @Test
    void aRingOfWaitersDoesNotDeadlock() {
        Grant first = carol.holds(Claim.exclusive(A, B, C));
        Pending one = alice.waits(Claim.exclusive(A, B));
        Pending two = bob.waits(Claim.exclusive(B, C));
        Pending three = carol.waits(Claim.exclusive(C, A));
        carol.releases(first);
        alice.releases(one.grant());
        bob.releases(two.grant());
        carol.releases(three.grant());
    }

    @Test
    void whoeverWaitsBehindAWaiterIsGrantedWhenThatOneGivesUp() {
        alice.holds("a");
        Pending inFront =
                bob.waits(bob.request(Claim.exclusive(A, B)).waitingAtMost(ttl().dividedBy(2)));
        Pending behind = carol.waits("b");
        behind.assertQueued();
        passAllOf(ttl().dividedBy(2));
        assertHeld(inFront.answer());
        behind.grant();
    }

    @Test
    void twoWaitersOneBehindTheOtherMayGiveUpAtTheSameTime() {
        Grant first = alice.holds("a");
        Pending inFront =
                bob.waits(bob.request(Claim.exclusive(A, B)).waitingAtMost(ttl().dividedBy(2)));
        Pending behind = carol.waits(carol.request("b").waitingAtMost(ttl().dividedBy(2)));
        passAllOf(ttl().dividedBy(2));
        assertHeldBy(first, inFront.answer());
        behind.answer();
        alice.releases(first);
        alice.holds(Claim.exclusive(A, C));
    }

    @Test
    void whoeverWaitsBehindAWaiterIsGrantedWhenThatOneIsContentWithARecord() {
        Grant first = alice.holds("a");
        Pending inFront =
                bob.waits(bob.patient(bob.request(Claim.exclusive(A, B)).unlessCompleted()));
        Pending behind = carol.waits("b");
        alice.completes(first, "done", ttl());
        inFront.answer();
        behind.grant();
    }
}
