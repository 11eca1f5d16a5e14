// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static io.leasehold.model.RefusalReason.EXPIRED;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.TokenCheck;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** After a lease with a lock-delay expired, and only then, its scopes stay closed for a while. */
abstract class LockDelayRules extends ContractRules {

    @Test
    void nobodyIsGrantedTheScopeBeforeTheLockDelayIsOver() {
        alice.holds(delayed());
        passAllOf(ttl());
        assertHeld(bob.tries("a"));
        passJustNot(delay().minus(contract().tolerance()));
        assertHeld(bob.tries("a"));
        passTheRest();
        bob.holds("a");
    }

    @Test
    void theLockDelayIsForItsFormerHolderToo() {
        alice.holds(delayed());
        passAllOf(ttl());
        assertHeld(alice.tries("a"));
    }

    @Test
    void aLeaseInItsLockDelayIsExpired() {
        LeaseRequest request = delayed();
        Grant grant = alice.holds(request);
        passAllOf(ttl());
        assertThat(alice.renews(grant)).isEqualTo(refused(EXPIRED));
        assertThat(alice.rotates(grant)).isEqualTo(refused(EXPIRED));
        assertThat(alice.releases(grant)).isEqualTo(refused(EXPIRED));
        assertThat(alice.completes(grant, "late", ttl())).isEqualTo(refused(EXPIRED));
        assertThat(alice.tries(request)).isEqualTo(gone(EXPIRED));
        assertThat(listed()).noneMatch(row -> row.state() == LeaseView.State.HELD);
    }

    @Test
    void aLockDelayIsListedAsWhatItIsUntilItIsOver() {
        Grant grant = alice.holds(delayed());
        assertThat(listed()).extracting(LeaseView::state).containsExactly(LeaseView.State.HELD);
        pass(ttl().plus(delay().dividedBy(2)));
        assertThat(listed()).singleElement().satisfies(row -> {
            assertThat(row.holding()).isEqualTo(grant.holding());
            assertThat(row.state()).isEqualTo(LeaseView.State.LOCK_DELAY);
            assertThat(row.status()).isEqualTo(LeaseView.Status.LOCK_DELAY);
            assertClose(row.remaining(), delay().minus(delay().dividedBy(2)));
        });
        LeaseQuery here =
                LeaseQuery.overlapping(grant.holding().claim().scopes().get(0));
        assertThat(alice.lists(here).leases()).hasSize(1);
        passAllOf(delay());
        assertThat(listed()).isEmpty();
    }

    @Test
    void aTokenInItsLockDelayIsNotCurrentAndOlderOnesAreStale() {
        Grant older = alice.holds("a");
        alice.releases(older);
        Grant expired = alice.holds(delayed());
        passAllOf(ttl());
        long newest = expired.token().value();
        assertThat(bob.checks(Scope.name("a"), older.token()))
                .isEqualTo(new TokenCheck(TokenCheck.Standing.STALE, newest));
        assertThat(bob.checks(Scope.name("a"), expired.token()))
                .isEqualTo(new TokenCheck(TokenCheck.Standing.UNKNOWN, newest));
    }

    @Test
    void theLockDelayOfASharedLeaseMakesNoOlderTokenStale() {
        Grant older = bob.holds(bob.shared("a"));
        Grant expired = alice.holds(alice.shared("a").withLockDelay(delay()));
        bob.releases(older);
        passAllOf(ttl());
        assertThat(bob.checks(Scope.name("a"), older.token()))
                .isEqualTo(new TokenCheck(
                        TokenCheck.Standing.UNKNOWN, expired.token().value()));
    }

    @Test
    void whoeverMeetsALockDelayIsToldHowLongItRuns() {
        Grant grant = alice.holds(delayed());
        pass(ttl().plus(delay().dividedBy(2)));
        assertThat(bob.tries("a")).isInstanceOfSatisfying(Acquisition.Held.class, held -> {
            assertThat(held.blocker()).isEqualTo(grant.holding());
            assertThat(held.inLockDelay()).isTrue();
            assertClose(held.remaining(), delay().minus(delay().dividedBy(2)));
        });
    }

    @Test
    void whoeverMeetsALeaseThatWillHaveALockDelayIsToldThatItIsHeld() {
        alice.holds(delayed());
        assertThat(bob.tries("a"))
                .isInstanceOfSatisfying(
                        Acquisition.Held.class,
                        held -> assertThat(held.inLockDelay()).isFalse());
    }

    @Test
    void aWaiterIsGrantedAtTheEndOfTheLockDelay() {
        alice.holds(delayed());
        Pending waiter = bob.waits("a");
        passAllOf(ttl());
        waiter.assertQueued();
        pass(delay());
        assertClose(waiter.granted().validity().inStore(), ttl().plus(delay()));
    }

    @Test
    void releaseHasNoLockDelay() {
        alice.releases(alice.holds(delayed()));
        bob.holds("a");
    }

    @Test
    void completionHasNoLockDelay() {
        alice.completes(alice.holds(delayed()), "done", ttl());
        bob.holds("a");
    }

    @Test
    void withdrawalHasNoLockDelay() {
        LeaseRequest request = delayed();
        alice.holds(request);
        alice.withdraws(request);
        bob.holds("a");
    }

    @Test
    void renewalMovesTheLockDelayToo() {
        Grant grant = alice.holds(delayed());
        Duration half = ttl().dividedBy(2);
        pass(half);
        alice.renews(grant);
        passAllOf(ttl());
        assertHeld(bob.tries("a"));
        pass(delay());
        bob.holds("a");
    }

    @Test
    void otherScopesKnowNoLockDelay() {
        alice.holds(delayed());
        passAllOf(ttl());
        bob.holds("b");
    }

    private LeaseRequest delayed() {
        return alice.request("a").withLockDelay(delay());
    }

    private Duration delay() {
        return ttl();
    }
}
