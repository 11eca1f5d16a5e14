// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.model.Claim;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Limits;
import io.leasehold.spi.Renewal.Renewed;
import io.leasehold.table.TableOptions;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Whatever is kept is bounded, and a closed store says so. */
abstract class BoundsRules extends ContractRules {

    @Test
    void aFullStoreGrantsNothingMoreUntilThereIsRoom() {
        reopen(bounds(2, 10));
        Grant first = alice.holds("a");
        alice.holds("b");
        assertLimited(() -> alice.tries("c"));
        assertThat(alice.renews(first)).isInstanceOf(Renewed.class);
        alice.releases(first);
        alice.holds("c");
    }

    @Test
    void expiryMakesRoom() {
        reopen(bounds(1, 10));
        alice.holds("a");
        passAllOf(ttl());
        bob.holds("a");
        passAllOf(ttl());
        listed();
        bob.holds("b");
    }

    @Test
    void everyScopeOfALeaseCounts() {
        reopen(bounds(2, 10));
        assertLimited(() ->
                alice.tries(Claim.exclusive(Scope.name("a"), Scope.name("b"), Scope.name("c"))));
        alice.holds(Claim.exclusive(Scope.name("a"), Scope.name("b")));
    }

    @Test
    void recordsCountAsLongAsTheyAreKept() {
        reopen(bounds(1, 10));
        alice.completes(alice.holds("a"), "done", ttl());
        assertLimited(() -> bob.tries("b"));
        passAllOf(ttl());
        listed();
        bob.holds("b");
    }

    @Test
    void aFullQueueTurnsWaitersAway() {
        reopen(bounds(10, 2));
        Grant first = alice.holds("a");
        LeaseRequest request = bob.patient(bob.request("a"));
        Pending second = bob.waits(request);
        Pending third = carol.waits("a");
        assertLimited(() -> alice.waits("a").answer());
        Pending repeat = bob.waits(request);
        repeat.assertQueued();
        alice.releases(first);
        assertThat(second.grant()).isEqualTo(repeat.grant());
        third.assertQueued();
    }

    @Test
    void aRetentionAboveTheLimitIsRefusedAndTheLeaseLives() {
        Grant grant = alice.holds("a");
        assertLimited(() -> alice.completes(grant, "done", Limits.MAX_KEEP_FOR.plusSeconds(1)));
        assertThat(alice.renews(grant)).isInstanceOf(Renewed.class);
    }

    @Test
    void theLongestLegalLengthsAreAccepted() {
        LeaseRequest longest = LeaseRequest.of(
                        alice.request("a").id(),
                        Claim.exclusive(Scope.name("a")),
                        alice.holder(),
                        Limits.MAX_TTL)
                .waitingAtMost(Limits.MAX_WAIT)
                .withLockDelay(Limits.MAX_LOCK_DELAY);
        Grant grant = alice.holds(longest);
        assertThat(alice.completes(grant, "done", Limits.MAX_KEEP_FOR)).isEqualTo(ENDED);
    }

    @Test
    void theLongestLegalNamesAreAccepted() {
        alice.holds("n".repeat(Scope.MAX_BYTES));
        alice.holds("ü".repeat(Scope.MAX_BYTES / 2));
        alice.holds(Claim.exclusive(Scope.path("/" + "p".repeat(Scope.MAX_BYTES - 1))));
        assertThat(listed()).hasSize(3);
    }

    @Test
    void theLargestLegalClaimIsAccepted() {
        Scope[] scopes = new Scope[Claim.MAX_SCOPES];
        for (int i = 0; i < scopes.length; i++) {
            scopes[i] = Scope.name("scope-" + i);
        }
        Grant grant = alice.holds(Claim.exclusive(scopes));
        assertHeldBy(grant, bob.tries("scope-63"));
    }

    @Test
    void namesMayHoldAnyPrintableCharacter() {
        for (String name :
                new String[] {" ", "a b", "{a}:b*c?[d]", "'; drop table x; --", "日本", "😀", "%_\\"
                }) {
            Grant grant = alice.holds(name);
            assertHeldBy(grant, bob.tries(name));
        }
    }

    @Test
    void aClosedStoreTurnsEverythingAway() {
        LeaseRequest request = alice.request("a");
        Grant grant = alice.holds(request);
        store().close();
        assertUnavailable(() -> bob.tries("b"));
        assertUnavailable(() -> alice.renews(grant));
        assertUnavailable(() -> alice.rotates(grant));
        assertUnavailable(() -> alice.releases(grant));
        assertUnavailable(() -> alice.completes(grant, "done", Duration.ZERO));
        assertUnavailable(() -> alice.withdraws(request));
        assertUnavailable(() -> alice.lists(LeaseQuery.all()));
    }

    @Test
    void closingAnswersTheWaiters() {
        alice.holds("a");
        Pending waiter = bob.waits("a");
        store().close();
        assertThatThrownBy(waiter::answer)
                .isInstanceOfAny(StoreUnavailableException.class, OutcomeUnknownException.class);
    }

    @Test
    void closingTwiceIsClosingOnce() {
        store().close();
        store().close();
        assertUnavailable(() -> bob.tries("b"));
    }

    @Test
    void anEngineSaysWhatItGuarantees() {
        assertThat(store().guarantees().engine()).isNotBlank();
        assertThat(store().guarantees().fairQueue()).isTrue();
    }

    private static void assertLimited(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(LimitExceededException.class);
    }

    private static void assertUnavailable(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(StoreUnavailableException.class);
    }

    private static TableOptions bounds(int leases, int waiters) {
        TableOptions usual = TableOptions.defaults();
        return new TableOptions(leases, waiters, usual.retryWindow(), usual.maxRemembered());
    }
}
