// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static io.leasehold.model.RefusalReason.EXPIRED;
import static io.leasehold.model.RefusalReason.NOT_FOUND;
import static io.leasehold.model.RefusalReason.NOT_HOLDER;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Renewal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Whoever knows the scope and the token of a lease may end it, and nothing else. */
abstract class ForceRules extends ContractRules {

    private static final Scope A = Scope.name("a");
    private static final Scope B = Scope.name("b");
    private static final List<Scope> ALL_KINDS = List.of(
            A,
            Scope.path("/d/x"),
            Scope.subtree("/d"),
            Scope.subtree("/"),
            Scope.inode(7),
            Scope.range(7, 10, 20));

    @Test
    void aLeaseIsEndedByScopeAndTokenAlone() {
        Grant grant = alice.holds("a");
        assertThat(bob.forces("a", grant)).isEqualTo(ENDED);
        assertThat(listed()).isEmpty();
        assertThat(bob.holds("a").token()).isGreaterThan(grant.token());
    }

    @Test
    void everyKindOfScopeInEitherModeCanBeTaken() {
        for (Scope scope : ALL_KINDS) {
            for (Mode mode : Mode.values()) {
                Grant grant = alice.holds(new Claim(List.of(scope), mode));
                assertThat(bob.forces(scope, grant.token())).as("%s", grant).isEqualTo(ENDED);
                bob.releases(bob.holds(Claim.exclusive(scope)));
            }
        }
    }

    @Test
    void theHolderIsRefusedWhateverItDoesNext() {
        LeaseRequest request = alice.request("a");
        Grant grant = alice.holds(request);
        bob.forces("a", grant);
        assertThat(alice.renews(grant)).isEqualTo(refused(NOT_FOUND));
        assertThat(alice.rotates(grant)).isEqualTo(refused(NOT_FOUND));
        assertThat(alice.completes(grant, "late", ttl())).isEqualTo(refused(NOT_FOUND));
        assertThat(alice.releases(grant)).isEqualTo(refused(NOT_FOUND));
        assertThat(alice.tries(request)).isEqualTo(gone(NOT_FOUND));
        assertThat(listed()).isEmpty();
    }

    @Test
    void theHolderIsToldOfItsSuccessorAndCanNotHarmIt() {
        LeaseRequest request = alice.request("a");
        Grant grant = alice.holds(request);
        bob.forces("a", grant);
        Grant successor = bob.holds("a");
        assertThat(alice.renews(grant)).isEqualTo(refused(NOT_HOLDER));
        assertThat(alice.releases(grant)).isEqualTo(refused(NOT_HOLDER));
        assertThat(alice.withdraws(request)).isEqualTo(ENDED);
        assertThat(bob.renews(successor)).isInstanceOf(Renewal.Renewed.class);
    }

    @Test
    void aRepeatFindsNothing() {
        Grant grant = alice.holds("a");
        bob.forces("a", grant);
        assertThat(bob.forces("a", grant)).isEqualTo(refused(NOT_FOUND));
        Grant successor = carol.holds("a");
        assertThat(bob.forces("a", grant)).isEqualTo(refused(NOT_HOLDER));
        assertThat(carol.renews(successor)).isInstanceOf(Renewal.Renewed.class);
    }

    @Test
    void whatIsOverOrNeverWasIsNotFound() {
        assertThat(bob.forces(A, FencingToken.FIRST)).isEqualTo(refused(NOT_FOUND));
        Grant released = alice.holds("a");
        alice.releases(released);
        assertThat(bob.forces("a", released)).isEqualTo(refused(NOT_FOUND));
        Grant completed = alice.holds("a");
        alice.completes(completed, "done", ttl().multipliedBy(3));
        assertThat(bob.forces("a", completed)).isEqualTo(refused(NOT_FOUND));
        Grant expired = alice.holds("b");
        passAllOf(ttl());
        assertThat(bob.forces("b", expired)).isEqualTo(refused(NOT_FOUND));
    }

    @Test
    void anotherTokenEndsNothing() {
        Grant first = alice.holds("a");
        Grant second = alice.rotated(first);
        FencingToken next = new FencingToken(second.token().value() + 1);
        assertThat(bob.forces("a", first)).isEqualTo(refused(NOT_HOLDER));
        assertThat(bob.forces(A, next)).isEqualTo(refused(NOT_HOLDER));
        assertThat(alice.renews(second)).isInstanceOf(Renewal.Renewed.class);
        assertThat(bob.forces("a", second)).isEqualTo(ENDED);
    }

    @Test
    void aScopeThatOnlyOverlapsIsAnother() {
        Grant subtree = alice.holds(Claim.exclusive(Scope.subtree("/d")));
        Grant range = alice.holds(Claim.shared(Scope.range(7, 10, 20)));
        for (Scope near : List.of(Scope.path("/d"), Scope.path("/d/x"), Scope.subtree("/"))) {
            assertThat(bob.forces(near, subtree.token())).isEqualTo(refused(NOT_FOUND));
        }
        for (Scope near : List.of(Scope.inode(7), Scope.range(7, 10, 21), Scope.range(7, 9, 20))) {
            assertThat(bob.forces(near, range.token())).isEqualTo(refused(NOT_FOUND));
        }
        assertThat(listed()).hasSize(2);
    }

    @Test
    void oneOfSeveralWhoShareIsEnded() {
        for (Scope scope : ALL_KINDS) {
            Grant first = alice.holds(Claim.shared(scope));
            Grant second = bob.holds(Claim.shared(scope));
            Grant third = carol.holds(Claim.shared(scope));
            Pending waiter = carol.waits(Claim.exclusive(scope));
            assertThat(carol.forces(scope, second.token())).isEqualTo(ENDED);
            assertThat(carol.forces(scope, second.token())).isEqualTo(refused(NOT_HOLDER));
            assertThat(alice.renews(first)).isInstanceOf(Renewal.Renewed.class);
            carol.forces(scope, first.token());
            waiter.assertQueued();
            assertThat(carol.forces(scope, third.token())).isEqualTo(ENDED);
            carol.releases(waiter.grant());
        }
    }

    @Test
    void allScopesOfALeaseEndWithAnyOfThem() {
        Scope subtree = Scope.subtree("/d");
        for (Scope scope : List.of(A, B, subtree)) {
            Grant grant = alice.holds(Claim.exclusive(A, B, subtree));
            Pending name = bob.waits("b");
            Pending path = carol.waits(Claim.exclusive(Scope.path("/d/x")));
            assertThat(carol.forces(scope, grant.token())).isEqualTo(ENDED);
            assertFree("a");
            bob.releases(name.grant());
            carol.releases(path.grant());
            assertThat(alice.renews(grant)).isEqualTo(refused(NOT_FOUND));
        }
    }

    @Test
    void theFirstInLineIsNext() {
        Grant grant = alice.holds("a");
        Pending first = bob.waits("a");
        Pending second = carol.waits("a");
        carol.forces("a", grant);
        Grant next = first.grant();
        assertThat(next.token()).isGreaterThan(grant.token());
        second.assertQueued();
        alice.forces("a", next);
        assertThat(second.grant().token()).isGreaterThan(next.token());
    }

    @Test
    void noLockDelayFollows() {
        Duration delay = ttl().multipliedBy(2);
        Grant grant = alice.holds(alice.request("a").withLockDelay(delay));
        bob.forces("a", grant);
        bob.holds("a");
    }

    @Test
    void aLockDelayThatHasBegunIsNotCutShort() {
        alice.holds(alice.shared("a").withLockDelay(ttl().multipliedBy(2)));
        Grant expired = alice.holds(alice.request("b").withLockDelay(ttl().multipliedBy(2)));
        passAllOf(ttl());
        assertThat(bob.forces("b", expired)).isEqualTo(refused(EXPIRED));
        assertThat(bob.forces("a", expired)).isEqualTo(refused(NOT_FOUND));
        assertHeld(bob.tries("b"));
    }

    @Test
    void aRecordStaysWhereItIs() {
        alice.completes(alice.holds("a"), "done", ttl().multipliedBy(3));
        Grant grant = alice.holds("a");
        bob.forces("a", grant);
        assertThat(bob.tries(bob.request("a").unlessCompleted()))
                .isInstanceOf(Acquisition.Completed.class);
    }

    @Test
    void itIsToldAsReleased() throws InterruptedException {
        Grant grant = alice.holds("a");
        BlockingQueue<LeaseEvent> events = new LinkedBlockingQueue<>();
        try (LeaseEvents.Subscription subscription = store().subscribe(events::add)) {
            bob.forces("a", grant);
            bob.forces("a", grant);
            Grant next = bob.holds("a");
            assertThat(events.poll(10, TimeUnit.SECONDS))
                    .isEqualTo(new LeaseEvent.Changed(LeaseEvent.Change.RELEASED, grant.holding()));
            assertThat(events.poll(10, TimeUnit.SECONDS))
                    .isEqualTo(new LeaseEvent.Changed(LeaseEvent.Change.GRANTED, next.holding()));
        }
    }
}
