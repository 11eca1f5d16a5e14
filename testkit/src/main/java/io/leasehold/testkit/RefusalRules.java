// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static io.leasehold.model.RefusalReason.NOT_FOUND;
import static io.leasehold.model.RefusalReason.NOT_HOLDER;
import static io.leasehold.model.RefusalReason.SCOPE_MISMATCH;
import static io.leasehold.model.RefusalReason.TOKEN_MISMATCH;
import static io.leasehold.model.RefusalReason.VERSION_MISMATCH;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal.Renewed;
import io.leasehold.spi.RenewalRequest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Scopes, token and lease id must match an unexpired lease; a refusal says why, and changes nothing. */
@Tag("essential")
abstract class RefusalRules extends ContractRules {

    @Test
    void aReleasedLeaseIsNotFound() {
        Grant grant = alice.holds("a");
        alice.releases(grant);
        assertThat(alice.renews(grant)).isEqualTo(refused(NOT_FOUND));
        assertThat(alice.rotates(grant)).isEqualTo(refused(NOT_FOUND));
        assertThat(alice.completes(grant, "late", ttl())).isEqualTo(refused(NOT_FOUND));
    }

    @Test
    void aLeaseThatNeverWasIsNotFound() {
        Grant grant = alice.holds("a");
        Holding elsewhere = new Holding(
                Claim.exclusive(Scope.name("b")), grant.holding().holder(), grant.token());
        assertRefusesEverything(new Grant(elsewhere, new LeaseId(1, 2), ttl()), NOT_FOUND);
    }

    @Test
    void aSuccessorOfAReleasedLeaseMakesTheOldHolderNotTheHolder() {
        Grant old = alice.holds("a");
        alice.releases(old);
        Grant successor = bob.holds("a");
        assertThat(alice.renews(old)).isEqualTo(refused(NOT_HOLDER));
        assertThat(alice.rotates(old)).isEqualTo(refused(NOT_HOLDER));
        assertThat(alice.completes(old, "late", ttl())).isEqualTo(refused(NOT_HOLDER));
        assertStillHeld(successor);
    }

    @Test
    void aSuccessorOfAnExpiredLeaseMakesTheOldHolderNotTheHolder() {
        Grant old = alice.holds("a");
        passAllOf(ttl());
        Grant successor = bob.holds("a");
        assertRefusesEverything(old, NOT_HOLDER);
        assertStillHeld(successor);
    }

    @Test
    void aSuccessorOnAnOverlappingScopeMakesTheOldHolderNotTheHolder() {
        Grant old = alice.holds(Claim.exclusive(Scope.path("/a/b")));
        passAllOf(ttl());
        Grant successor = bob.holds(Claim.exclusive(Scope.subtree("/a")));
        assertRefusesEverything(old, NOT_HOLDER);
        assertStillHeld(successor);
    }

    @Test
    void aNewerGrantOfTheSameHolderIsATokenMismatch() {
        Grant old = alice.holds("a");
        passAllOf(ttl());
        Grant newer = alice.holds("a");
        assertRefusesEverything(old, TOKEN_MISMATCH);
        assertStillHeld(newer);
    }

    @Test
    void theRightLeaseIdWithAnotherTokenIsATokenMismatch() {
        Grant grant = alice.holds("a");
        Holding wrong = new Holding(
                grant.holding().claim(),
                grant.holding().holder(),
                new FencingToken(grant.token().value() + 1));
        assertRefusesEverything(new Grant(wrong, grant.id(), ttl()), TOKEN_MISMATCH);
        assertStillHeld(grant);
    }

    @Test
    void theRightTokenWithAnotherLeaseIdIsRefused() {
        Grant grant = alice.holds("a");
        Grant forged = new Grant(grant.holding(), new LeaseId(1, 2), ttl());
        assertThat(bob.renews(forged)).isInstanceOf(Refused.class);
        assertThat(bob.rotates(forged)).isInstanceOf(Refused.class);
        assertThat(bob.releases(forged)).isInstanceOf(Refused.class);
        assertThat(bob.completes(forged, "stolen", ttl())).isInstanceOf(Refused.class);
        assertStillHeld(grant);
    }

    @Test
    void theHoldersLabelProvesNothing() {
        Grant grant = alice.holds("a");
        Client impostor = anotherClient("alice");
        assertHeldBy(grant, impostor.tries("a"));
    }

    @Test
    void otherScopesThanTheLeaseHasAreAScopeMismatch() {
        Grant grant = alice.holds(Claim.exclusive(Scope.name("a"), Scope.name("b")));
        assertRefusesEverything(on(Claim.exclusive(Scope.name("a")), grant), SCOPE_MISMATCH);
        assertRefusesEverything(
                on(Claim.exclusive(Scope.name("a"), Scope.name("c")), grant), SCOPE_MISMATCH);
        assertStillHeld(grant);
    }

    @Test
    void anotherModeThanTheLeaseHasIsAScopeMismatch() {
        Grant grant = alice.holds(alice.shared("a"));
        assertRefusesEverything(on(Claim.exclusive(Scope.name("a")), grant), SCOPE_MISMATCH);
        assertStillHeld(grant);
    }

    @Test
    void anExpectedVersionMustBeTheLeasesVersion() {
        Grant grant = alice.holds("a");
        RenewalRequest first = RenewalRequest.of(grant, ttl()).ifVersion(1);
        assertThat(alice.renews(first)).isInstanceOf(Renewed.class);
        assertThat(alice.renews(first)).isEqualTo(refused(VERSION_MISMATCH));
        assertThat(alice.renews(RenewalRequest.of(grant, ttl()).ifVersion(2)))
                .isInstanceOf(Renewed.class);
    }

    @Test
    void aVersionMismatchDoesNotExtendTheLease() {
        Grant grant = alice.holds("a");
        pass(ttl().dividedBy(2));
        alice.renews(RenewalRequest.of(grant, ttl()).ifVersion(9));
        passAllOf(ttl().dividedBy(2));
        bob.holds("a");
    }

    @Test
    void aRefusalNeitherExtendsNorEndsTheLeaseOfAnother() {
        Grant grant = alice.holds("a");
        pass(ttl().dividedBy(2));
        bob.renews(new Grant(grant.holding(), new LeaseId(1, 2), ttl()));
        passJustNot(ttl().dividedBy(2));
        assertHeldBy(grant, carol.tries("a"));
        passTheRest();
        carol.holds("a");
    }

    private void assertRefusesEverything(Grant grant, RefusalReason reason) {
        assertThat(alice.renews(grant)).isEqualTo(refused(reason));
        assertThat(alice.rotates(grant)).isEqualTo(refused(reason));
        assertThat(alice.releases(grant)).isEqualTo(refused(reason));
        assertThat(alice.completes(grant, "late", ttl())).isEqualTo(refused(reason));
    }

    private void assertStillHeld(Grant grant) {
        assertThat(listed()).extracting(row -> row.holding()).contains(grant.holding());
        assertThat(alice.renews(grant)).isInstanceOf(Renewed.class);
    }

    private static Grant on(Claim claim, Grant grant) {
        return new Grant(
                new Holding(claim, grant.holding().holder(), grant.token()),
                grant.id(),
                grant.ttl());
    }
}
