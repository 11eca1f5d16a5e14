// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static io.leasehold.model.RefusalReason.TOKEN_MISMATCH;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.Scope;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tokens rise with every change of ownership, and with nothing else. */
@Tag("essential")
abstract class TokenRules extends ContractRules {

    @Test
    void tokensIncreaseOverDifferentNames() {
        assertNewer(alice.holds("a"), bob.holds("b"));
    }

    @Test
    void tokensIncreaseOverDifferentKindsOfScopes() {
        Grant name = alice.holds("a");
        Grant path = alice.holds(Claim.exclusive(Scope.path("/a")));
        Grant inode = alice.holds(Claim.exclusive(Scope.inode(1)));
        Grant both = alice.holds(Claim.exclusive(Scope.name("b"), Scope.subtree("/b")));
        assertNewer(name, path);
        assertNewer(path, inode);
        assertNewer(inode, both);
    }

    @Test
    void tokensIncreaseAfterARelease() {
        Grant first = alice.holds("a");
        alice.releases(first);
        assertNewer(first, alice.holds("a"));
    }

    @Test
    void tokensIncreaseAfterACompletion() {
        Grant first = alice.holds("a");
        alice.completes(first, "done", ttl());
        assertNewer(first, alice.holds("a"));
    }

    @Test
    void tokensIncreaseAfterAnExpiry() {
        Grant first = alice.holds("a");
        passAllOf(ttl());
        assertNewer(first, bob.holds("a"));
    }

    @Test
    void tokensIncreaseWhenNothingWasLeftInTheStore() {
        Grant first = alice.holds("a");
        alice.releases(first);
        pass(ttl().multipliedBy(2));
        assertNewer(first, bob.holds("b"));
    }

    @Test
    void aWaiterGetsANewerTokenThanTheHolderBeforeIt() {
        Grant first = alice.holds("a");
        Pending second = bob.waits("a");
        alice.releases(first);
        assertNewer(first, second.grant());
    }

    @Test
    void sharersHaveTokensOfTheirOwn() {
        assertNewer(alice.holds(alice.shared("a")), bob.holds(bob.shared("a")));
    }

    @Test
    void renewalKeepsTheToken() {
        Grant grant = alice.holds("a");
        assertThat(alice.renews(grant)).isInstanceOf(Renewal.Renewed.class);
        assertThat(listed())
                .singleElement()
                .satisfies(row -> assertThat(row.holding()).isEqualTo(grant.holding()));
        assertThat(alice.releases(grant)).isEqualTo(ENDED);
    }

    @Test
    void rotationDrawsANewerTokenForTheSameHolder() {
        Grant before = alice.holds("a");
        Grant after = alice.rotated(before);
        assertNewer(before, after);
        assertThat(after.holding().holder()).isEqualTo(before.holding().holder());
        assertThat(after.holding().claim()).isEqualTo(before.holding().claim());
        assertThat(after.id()).isEqualTo(before.id());
    }

    @Test
    void rotationTakesThePlaceOfTheOldToken() {
        Grant before = alice.holds("a");
        Grant after = alice.rotated(before);
        assertThat(alice.renews(before)).isEqualTo(refused(TOKEN_MISMATCH));
        assertThat(alice.releases(before)).isEqualTo(refused(TOKEN_MISMATCH));
        assertThat(alice.renews(after)).isInstanceOf(Renewal.Renewed.class);
    }

    @Test
    void aFailedTryDrawsNoToken() {
        alice.holds("a");
        assertDrawsNoToken(() -> assertHeld(bob.tries("a")));
    }

    @Test
    void aWaiterThatGivesUpDrawsNoToken() {
        alice.holds("a");
        Duration half = ttl().dividedBy(2);
        assertDrawsNoToken(() -> {
            Pending waiter = bob.waits(bob.request("a").waitingAtMost(half));
            passAllOf(half);
            assertHeld(waiter.answer());
        });
    }

    @Test
    void aWithdrawnWaiterDrawsNoToken() {
        alice.holds("a");
        LeaseRequest request = bob.patient(bob.request("a"));
        assertDrawsNoToken(() -> {
            bob.waits(request);
            bob.withdraws(request);
        });
    }

    @Test
    void aRenewalDrawsNoToken() {
        Grant grant = alice.holds("a");
        assertDrawsNoToken(() -> alice.renews(grant));
    }

    @Test
    void aRefusedRenewalDrawsNoToken() {
        Grant grant = alice.holds("a");
        assertDrawsNoToken(() -> alice.renews(RenewalRequest.of(grant, ttl()).ifVersion(7)));
    }

    @Test
    void aRepeatedAcquireDrawsNoToken() {
        LeaseRequest request = alice.request("a");
        alice.holds(request);
        assertDrawsNoToken(() -> alice.holds(request));
    }

    @Test
    void anAcquireThatIsGoneDrawsNoToken() {
        LeaseRequest request = alice.request("a");
        alice.releases(alice.holds(request));
        assertDrawsNoToken(() -> alice.tries(request));
    }

    @Test
    void aRepeatedRotationDrawsNoToken() {
        Grant before = alice.holds("a");
        alice.rotated(before);
        assertDrawsNoToken(() -> alice.rotated(before));
    }

    @Test
    void aRefusedRotationDrawsNoToken() {
        Grant grant = alice.holds("a");
        alice.releases(grant);
        assertDrawsNoToken(() -> alice.rotates(grant));
    }

    @Test
    void releaseAndCompletionDrawNoToken() {
        Grant first = alice.holds("a");
        Grant second = alice.holds("b");
        assertDrawsNoToken(() -> {
            alice.releases(first);
            alice.completes(second, "done", ttl());
        });
    }

    private void assertDrawsNoToken(Runnable action) {
        Grant before = carol.holds("before");
        action.run();
        Grant after = carol.holds("after");
        assertNewer(before, after);
        if (contract().countsTokens()) {
            assertThat(after.token().value()).isEqualTo(before.token().value() + 1);
        }
    }

    private static void assertNewer(Grant before, Grant after) {
        assertThat(before.token()).isLessThan(after.token());
    }
}
