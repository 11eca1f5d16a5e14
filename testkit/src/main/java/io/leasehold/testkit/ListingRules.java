// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.TokenCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Listings show everyone what is held and what was left, but no secret. */
abstract class ListingRules extends ContractRules {

    @Test
    void anEmptyStoreListsNothing() {
        LeasePage page = alice.lists(LeaseQuery.all());
        assertThat(page.leases()).isEmpty();
        assertThat(page.more()).isFalse();
    }

    @Test
    void aLeaseIsListedWithAgeAndRemainingTime() {
        Grant grant = alice.holds("a");
        pass(ttl().dividedBy(4));
        assertThat(listed()).singleElement().satisfies(row -> {
            assertThat(row.holding()).isEqualTo(grant.holding());
            assertThat(row.state()).isEqualTo(LeaseView.State.HELD);
            assertClose(row.age(), ttl().dividedBy(4));
            assertClose(row.remaining(), ttl().minus(ttl().dividedBy(4)));
            assertThat(row.waiters()).isZero();
            assertThat(row.record()).isEmpty();
        });
    }

    @Test
    void whatIsOverIsNotListed() {
        alice.releases(alice.holds("a"));
        bob.holds("b");
        passAllOf(ttl());
        assertThat(listed()).isEmpty();
    }

    @Test
    void leasesAndRecordsAreListedInTokenOrder() {
        Grant first = alice.holds("z");
        Grant second = bob.holds(Claim.exclusive(Scope.path("/m")));
        Grant third = carol.holds("a");
        bob.completes(second, "done", ttl());
        assertThat(tokens(listed())).containsExactly(first.token(), second.token(), third.token());
    }

    @Test
    void aRotatedLeaseIsListedUnderItsNewToken() {
        Grant first = alice.holds("a");
        Grant second = bob.holds("b");
        Grant rotated = alice.rotated(first);
        assertThat(tokens(listed())).containsExactly(second.token(), rotated.token());
    }

    @Test
    void pagesContinueBehindTheLastToken() {
        List<FencingToken> all = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            all.add(alice.holds("lock-" + i).token());
        }
        LeasePage first = alice.lists(new LeaseQuery(Optional.empty(), Optional.empty(), 3));
        LeasePage second =
                alice.lists(new LeaseQuery(Optional.empty(), Optional.of(all.get(2)), 3));
        LeasePage last = alice.lists(new LeaseQuery(Optional.empty(), Optional.of(all.get(5)), 3));
        assertThat(tokens(first.leases())).isEqualTo(all.subList(0, 3));
        assertThat(tokens(second.leases())).isEqualTo(all.subList(3, 6));
        assertThat(tokens(last.leases())).isEqualTo(all.subList(6, 7));
        assertThat(first.more()).isTrue();
        assertThat(second.more()).isTrue();
        assertThat(last.more()).isFalse();
    }

    @Test
    void aListingMayBeNarrowedToWhatOverlapsAScope() {
        Grant path = alice.holds(Claim.exclusive(Scope.path("/a/b")));
        Grant subtree = bob.holds(Claim.exclusive(Scope.subtree("/a/c")));
        carol.holds(Claim.exclusive(Scope.path("/ab")));
        carol.holds("a");
        List<LeaseView> below =
                alice.lists(LeaseQuery.overlapping(Scope.subtree("/a"))).leases();
        assertThat(tokens(below)).containsExactly(path.token(), subtree.token());
    }

    @Test
    void aLeaseOnSeveralScopesIsListedOnceWhicheverOfThemIsAskedFor() {
        Grant grant = alice.holds(Claim.exclusive(Scope.name("a"), Scope.name("b")));
        assertThat(tokens(listed())).containsExactly(grant.token());
        for (String name : List.of("a", "b")) {
            List<LeaseView> found =
                    bob.lists(LeaseQuery.overlapping(Scope.name(name))).leases();
            assertThat(tokens(found)).containsExactly(grant.token());
        }
    }

    @Test
    void waitersAreCounted() {
        alice.holds("a");
        LeaseRequest request = bob.patient(bob.request("a"));
        bob.waits(request);
        carol.waits(carol.patient(carol.shared("a")));
        assertThat(listed())
                .singleElement()
                .satisfies(row -> assertThat(row.waiters()).isEqualTo(2));
        bob.withdraws(request);
        assertThat(listed())
                .singleElement()
                .satisfies(row -> assertThat(row.waiters()).isEqualTo(1));
    }

    @Test
    void aRepeatIsNoSecondWaiter() {
        alice.holds("a");
        LeaseRequest request = bob.patient(bob.request("a"));
        bob.waits(request);
        bob.waits(request);
        assertThat(listed())
                .singleElement()
                .satisfies(row -> assertThat(row.waiters()).isEqualTo(1));
    }

    @Test
    void aWaiterForSeveralScopesOfALeaseIsCountedOnce() {
        Claim both = Claim.exclusive(Scope.name("a"), Scope.name("b"));
        alice.holds(both);
        bob.waits(both);
        assertThat(listed())
                .singleElement()
                .satisfies(row -> assertThat(row.waiters()).isEqualTo(1));
    }

    @Test
    void aTokenIsCurrentWhileItsLeaseLivesAndCoversTheScope() {
        Grant part = alice.holds(Claim.exclusive(Scope.path("/a/b")));
        assertThat(check(Scope.path("/a/b"), part.token()))
                .isEqualTo(
                        new TokenCheck(TokenCheck.Standing.CURRENT, part.token().value()));
        assertThat(check(Scope.subtree("/a"), part.token()).standing())
                .isEqualTo(TokenCheck.Standing.UNKNOWN);
        assertThat(check(Scope.path("/c"), part.token()))
                .isEqualTo(new TokenCheck(TokenCheck.Standing.UNKNOWN, 0));
    }

    @Test
    void aTokenIsStaleOnceANewerOneHoldsTheScopeOrLeftARecordThere() {
        Grant first = alice.holds("a");
        alice.releases(first);
        Grant second = bob.holds("a");
        TokenCheck.Standing stale = TokenCheck.Standing.STALE;
        assertThat(check(Scope.name("a"), first.token()))
                .isEqualTo(new TokenCheck(stale, second.token().value()));
        bob.completes(second, "done", ttl());
        assertThat(check(Scope.name("a"), first.token()))
                .isEqualTo(new TokenCheck(stale, second.token().value()));
        assertThat(check(Scope.name("a"), second.token()).standing())
                .isEqualTo(TokenCheck.Standing.UNKNOWN);
    }

    @Test
    void theNewestTokenOfManyIsFound() {
        Grant newest = alice.holds(Claim.shared(Scope.path("/a/0")));
        for (int i = 1; i < 40; i++) {
            newest = alice.holds(Claim.shared(Scope.path("/a/" + i)));
        }
        Grant whole = bob.holds(Claim.shared(Scope.subtree("/a")));
        assertThat(check(Scope.subtree("/a"), whole.token()))
                .isEqualTo(new TokenCheck(
                        TokenCheck.Standing.CURRENT, whole.token().value()));
        assertThat(check(Scope.subtree("/a"), newest.token()))
                .isEqualTo(new TokenCheck(
                        TokenCheck.Standing.UNKNOWN, whole.token().value()));
    }

    private TokenCheck check(Scope scope, FencingToken token) {
        return alice.checks(scope, token);
    }

    @Test
    void listingsTellNoSecret() {
        Grant grant = alice.holds("a");
        Grant completed = alice.holds("b");
        alice.completes(completed, "done", ttl());
        bob.waits("a");
        String text = alice.lists(LeaseQuery.all()).toString();
        assertThat(text).doesNotContainIgnoringCase(grant.id().reveal());
        assertThat(text).doesNotContainIgnoringCase(completed.id().reveal());
        assertThat(bob.tries("a").toString())
                .doesNotContainIgnoringCase(grant.id().reveal());
    }

    private static List<FencingToken> tokens(List<LeaseView> rows) {
        return rows.stream().map(row -> row.holding().token()).toList();
    }
}
