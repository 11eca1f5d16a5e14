// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static io.leasehold.model.RefusalReason.EXPIRED;
import static io.leasehold.model.RefusalReason.NOT_FOUND;
import static io.leasehold.model.RefusalReason.SCOPE_MISMATCH;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal.Renewed;
import io.leasehold.spi.RenewalRequest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever is sent twice has the effect of once, however late the second time. */
@Tag("essential")
abstract class RepeatRules extends ContractRules {

    @Test
    void aRepeatedAcquireGetsTheSameGrantWhileItLives() {
        LeaseRequest request = alice.request("a");
        Grant grant = alice.holds(request);
        assertThat(alice.holds(request)).isEqualTo(grant);
        assertThat(listed()).hasSize(1);
    }

    @Test
    void aRepeatedAcquireDoesNotExtendTheLease() {
        LeaseRequest request = alice.request("a");
        alice.holds(request);
        pass(ttl().dividedBy(2));
        alice.holds(request);
        passAllOf(ttl().dividedBy(2));
        bob.holds("a");
    }

    @Test
    void aRepeatedAcquireGetsTheNewTokenAfterARotation() {
        LeaseRequest request = alice.request("a");
        Grant after = alice.rotated(alice.holds(request));
        assertThat(alice.holds(request)).isEqualTo(after);
    }

    @Test
    void aRepeatedAcquireIsGoneAfterTheRelease() {
        LeaseRequest request = alice.request("a");
        alice.releases(alice.holds(request));
        assertThat(alice.tries(request)).isEqualTo(gone(NOT_FOUND));
        assertFree("a");
    }

    @Test
    void aRepeatedAcquireIsGoneAfterTheCompletion() {
        LeaseRequest request = alice.request("a");
        alice.completes(alice.holds(request), "done", ttl());
        assertThat(alice.tries(request)).isEqualTo(gone(NOT_FOUND));
        assertFree("a");
    }

    @Test
    void aRepeatedAcquireIsGoneAfterTheExpiry() {
        LeaseRequest request = alice.request("a");
        alice.holds(request);
        passAllOf(ttl());
        assertThat(alice.tries(request)).isEqualTo(gone(EXPIRED));
        assertFree("a");
    }

    @Test
    void aRepeatedAcquireIsGoneWhileAnotherHoldsTheScope() {
        LeaseRequest request = alice.patient(alice.request("a"));
        alice.releases(alice.holds(request));
        Grant successor = bob.holds("a");
        assertThat(alice.tries(request)).isEqualTo(gone(NOT_FOUND));
        assertThat(bob.renews(successor)).isInstanceOf(Renewed.class);
    }

    @Test
    void aRepeatWhileQueuedKeepsItsPlaceAndBothAttemptsAreAnswered() {
        Grant first = alice.holds("a");
        LeaseRequest request = bob.patient(bob.request("a"));
        Pending attempt = bob.waits(request);
        Pending behind = carol.waits("a");
        Pending repeat = bob.waits(request);
        alice.releases(first);
        assertThat(attempt.grant()).isEqualTo(repeat.grant());
        behind.assertQueued();
        bob.releases(attempt.grant());
        behind.grant();
    }

    @Test
    void aRepeatWhileQueuedProlongsTheWait() {
        Grant held = alice.holds("a");
        Duration wait = ttl().dividedBy(2);
        LeaseRequest request = bob.request("a").waitingAtMost(wait);
        bob.waits(request);
        pass(wait.dividedBy(2));
        assertThat(alice.renews(held)).isInstanceOf(Renewed.class);
        Pending repeat = bob.waits(request);
        passJustNot(wait);
        repeat.assertQueued();
        passTheRest();
        assertHeld(repeat.answer());
    }

    @Test
    void aRequestThatTimedOutMayBeSentAgain() {
        Grant first = alice.holds("a");
        Duration wait = ttl().dividedBy(2);
        LeaseRequest request = bob.request("a").waitingAtMost(wait);
        Pending attempt = bob.waits(request);
        passAllOf(wait);
        assertHeld(attempt.answer());
        alice.releases(first);
        bob.holds(request);
    }

    @Test
    void aRepeatedReleaseSucceedsAgain() {
        Grant grant = alice.holds("a");
        assertThat(alice.releases(grant)).isEqualTo(ENDED);
        assertThat(alice.releases(grant)).isEqualTo(ENDED);
    }

    @Test
    void aRepeatedCompletionSucceedsAgain() {
        Grant grant = alice.holds("a");
        assertThat(alice.completes(grant, "done", ttl())).isEqualTo(ENDED);
        assertThat(alice.completes(grant, "done", ttl())).isEqualTo(ENDED);
    }

    @Test
    void aRepeatedCompletionDoesNotTouchTheRecordOfAnother() {
        Grant old = alice.holds("a");
        alice.completes(old, "old", ttl());
        Grant newer = bob.holds("a");
        bob.completes(newer, "newer", ttl());
        alice.completes(old, "old", ttl());
        assertThat(carol.tries(carol.request("a").unlessCompleted()))
                .isInstanceOfSatisfying(
                        Acquisition.Completed.class,
                        completed -> assertThat(completed.token()).isEqualTo(newer.token()));
    }

    @Test
    void aReleaseIsNoRepeatOfACompletion() {
        Grant released = alice.holds("a");
        alice.releases(released);
        assertThat(alice.completes(released, "late", ttl())).isInstanceOf(Refused.class);
        Grant completed = alice.holds("b");
        alice.completes(completed, "done", ttl());
        assertThat(alice.releases(completed)).isInstanceOf(Refused.class);
    }

    @Test
    void aRepeatedRotationAnswersWithTheSameNewGrant() {
        Grant before = alice.holds("a");
        assertThat(alice.rotated(before)).isEqualTo(alice.rotated(before));
    }

    @Test
    void aRotationTwoTokensOldIsNoRepeat() {
        Grant first = alice.holds("a");
        alice.rotated(alice.rotated(first));
        assertThat(alice.rotates(first)).isInstanceOf(Refused.class);
    }

    @Test
    void aRepeatedRenewalSucceeds() {
        Grant grant = alice.holds("a");
        assertThat(alice.renews(grant)).isInstanceOf(Renewed.class);
        assertThat(alice.renews(grant)).isInstanceOf(Renewed.class);
    }

    @Test
    void aDelayedDuplicateReleaseHasNoEffectOnANewLeaseOfTheSameHolder() {
        Grant old = alice.holds("a");
        alice.releases(old);
        Grant newer = alice.holds("a");
        alice.releases(old);
        assertHeldBy(newer, bob.tries("a"));
        assertThat(alice.renews(newer)).isInstanceOf(Renewed.class);
    }

    @Test
    void withdrawalReleasesALeaseThatWasGranted() {
        LeaseRequest request = alice.request("a");
        Grant grant = alice.holds(request);
        assertThat(alice.withdraws(request)).isEqualTo(ENDED);
        assertThat(alice.renews(grant)).isEqualTo(refused(NOT_FOUND));
        assertFree("a");
    }

    @Test
    void withdrawalReleasesALeaseWhoseTokenWasRotated() {
        LeaseRequest request = alice.request("a");
        alice.rotated(alice.holds(request));
        alice.withdraws(request);
        assertFree("a");
    }

    @Test
    void aWithdrawnRequestIsGoneAlsoWhenTheWithdrawalCameFirst() {
        LeaseRequest request = alice.request("a");
        assertThat(alice.withdraws(request)).isEqualTo(ENDED);
        assertThat(alice.tries(request)).isEqualTo(gone(NOT_FOUND));
        assertFree("a");
    }

    @Test
    void aRepeatedWithdrawalSucceedsAndHasNoEffectOnOthers() {
        LeaseRequest request = alice.request("a");
        alice.holds(request);
        alice.withdraws(request);
        Grant successor = bob.holds("a");
        assertThat(alice.withdraws(request)).isEqualTo(ENDED);
        assertThat(bob.renews(successor)).isInstanceOf(Renewed.class);
    }

    @Test
    void withdrawalOfALeaseThatIsOverSucceeds() {
        LeaseRequest request = alice.request("a");
        alice.holds(request);
        passAllOf(ttl());
        assertThat(alice.withdraws(request)).isEqualTo(ENDED);
        assertThat(alice.tries(request)).isEqualTo(gone(EXPIRED));
    }

    @Test
    void anIdThatALeaseHasIsRefusedToARequestForOtherScopes() {
        LeaseRequest first = alice.request("a");
        Grant grant = alice.holds(first);
        Claim elsewhere = Claim.exclusive(Scope.name("b"));
        assertAnotherRequest(alter(first, elsewhere));
        assertAnotherRequest(patient(alter(first, elsewhere)));
        assertAnotherRequest(alter(first, Claim.exclusive(Scope.name("a"), Scope.name("b"))));
        assertAnotherRequest(alter(first, Claim.shared(Scope.name("a"))));
        assertFree("b");
        assertThat(alice.holds(first)).isEqualTo(grant);
    }

    @Test
    void anIdThatALeaseHasIsRefusedToARequestOfAnotherHolderOrWithAnotherTtl() {
        LeaseRequest first = alice.request("a");
        Grant grant = alice.holds(first);
        assertAnotherRequest(
                new LeaseRequest(first.id(), first.claim(), bob.holder(), first.terms()));
        assertAnotherRequest(
                LeaseRequest.of(first.id(), first.claim(), first.holder(), ttl().multipliedBy(2)));
        assertThat(alice.holds(first)).isEqualTo(grant);
    }

    @Test
    void anIdThatAWaiterHasIsRefusedToAnotherRequest() {
        Grant holder = bob.holds("a");
        LeaseRequest first = patient(alice.request("a"));
        Pending waiter = alice.waits(first);
        assertAnotherRequest(alter(first, Claim.exclusive(Scope.name("b"))));
        assertAnotherRequest(
                new LeaseRequest(first.id(), first.claim(), carol.holder(), first.terms()));
        assertAnotherRequest(
                LeaseRequest.of(first.id(), first.claim(), first.holder(), ttl().multipliedBy(2)));
        waiter.assertQueued();
        bob.releases(holder);
        assertThat(waiter.grant().holding().claim()).isEqualTo(first.claim());
        assertFree("b");
    }

    @Test
    void aRepeatIsKnownAsSuchAfterARenewalForAnotherTtlAndARotation() {
        LeaseRequest request = alice.request("a");
        Grant grant = alice.holds(request);
        alice.renews(RenewalRequest.of(grant, ttl().multipliedBy(2)));
        assertThat(alice.holds(patient(request)).token()).isEqualTo(grant.token());
        Grant rotated = alice.rotated(grant);
        assertThat(alice.holds(request).token()).isEqualTo(rotated.token());
    }

    @Test
    void anIdWhoseLeaseIsOverIsGoneForOtherScopesToo() {
        LeaseRequest released = alice.request("a");
        alice.releases(alice.holds(released));
        LeaseRequest expired = alice.request("b");
        alice.holds(expired);
        passAllOf(ttl());
        Claim elsewhere = Claim.exclusive(Scope.name("c"));
        assertThat(alice.tries(alter(released, elsewhere))).isEqualTo(gone(NOT_FOUND));
        assertThat(alice.tries(alter(expired, elsewhere))).isEqualTo(gone(EXPIRED));
        assertFree("c");
    }

    @Test
    void aWithdrawalUnderAnotherClaimLeavesTheLeaseOfTheIdAlone() {
        LeaseRequest first = alice.request("a");
        Grant grant = alice.holds(first);
        for (LeaseRequest other : underOtherClaims(first)) {
            assertThat(alice.withdraws(other)).isEqualTo(ENDED);
            assertThat(alice.withdrawsUnlessUsed(other)).isInstanceOf(Refused.class);
        }
        assertThat(alice.renews(grant)).isInstanceOf(Renewed.class);
        assertThat(alice.holds(first)).isEqualTo(grant);
        assertThat(alice.withdraws(first)).isEqualTo(ENDED);
        assertFree("a");
    }

    @Test
    void aWithdrawalUnderAnotherClaimLeavesTheWaiterOfTheIdAloneAndIsNotRemembered() {
        Grant holder = bob.holds("a");
        Duration wait = ttl().dividedBy(2);
        LeaseRequest first = alice.request("a").waitingAtMost(wait);
        Pending waiter = alice.waits(first);
        for (LeaseRequest other : underOtherClaims(first)) {
            assertThat(alice.withdraws(other)).isEqualTo(ENDED);
            assertThat(alice.withdrawsUnlessUsed(other)).isInstanceOf(Refused.class);
        }
        waiter.assertQueued();
        passAllOf(wait);
        assertHeld(waiter.answer());
        bob.releases(holder);
        alice.holds(first);
    }

    private static List<LeaseRequest> underOtherClaims(LeaseRequest request) {
        return List.of(
                alter(request, Claim.exclusive(Scope.name("b"))),
                alter(request, Claim.exclusive(Scope.name("a"), Scope.name("b"))),
                alter(request, Claim.shared(Scope.name("a"))));
    }

    private void assertAnotherRequest(LeaseRequest request) {
        assertThat(alice.tries(request)).isEqualTo(gone(SCOPE_MISMATCH));
    }

    private LeaseRequest patient(LeaseRequest request) {
        return alice.patient(request);
    }

    private static LeaseRequest alter(LeaseRequest request, Claim claim) {
        return new LeaseRequest(request.id(), claim, request.holder(), request.terms());
    }

    @Test
    void oneIdForTwoRequestsNeverBreaksExclusion() {
        LeaseRequest first = alice.request(Claim.shared(Scope.name("a"), Scope.name("b")));
        Claim other = Claim.shared(Scope.name("c"), Scope.name("b"));
        Grant grant = alice.holds(first);
        alice.tries(new LeaseRequest(first.id(), other, first.holder(), first.terms()));
        assertHeld(bob.tries("b"));
        alice.withdraws(new LeaseRequest(first.id(), other, first.holder(), first.terms()));
        assertThat(alice.releases(grant)).isNotNull();
        passAllOf(ttl());
        assertFree("a");
        assertFree("b");
        assertFree("c");
    }
}
