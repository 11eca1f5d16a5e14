// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Grant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two leases conflict when their scopes overlap and at least one is exclusive. */
abstract class OverlapRules extends ContractRules {

    @Test
    void equalNamesOverlapAndOthersDoNot() {
        assertOverlap(Scope.name("a"), Scope.name("a"));
        assertDisjoint(Scope.name("a"), Scope.name("b"));
        assertDisjoint(Scope.name("a"), Scope.name("a/b"));
        assertDisjoint(Scope.name("a"), Scope.name("A"));
        assertDisjoint(Scope.name("/a"), Scope.path("/a"));
    }

    @Test
    void pathsOverlapOnlyThemselves() {
        assertOverlap(Scope.path("/a/b"), Scope.path("/a//b/"));
        assertDisjoint(Scope.path("/a"), Scope.path("/a/b"));
        assertDisjoint(Scope.path("/a"), Scope.path("/b"));
    }

    @Test
    void aSubtreeOverlapsEveryPathAtOrBelowIt() {
        assertOverlap(Scope.subtree("/a"), Scope.path("/a"));
        assertOverlap(Scope.subtree("/a"), Scope.path("/a/b"));
        assertOverlap(Scope.subtree("/a"), Scope.path("/a/b/c"));
        assertOverlap(Scope.subtree("/"), Scope.path("/a/b"));
        assertDisjoint(Scope.subtree("/a"), Scope.path("/"));
        assertDisjoint(Scope.subtree("/a"), Scope.path("/b"));
    }

    @Test
    void aSubtreeDoesNotOverlapAPathThatOnlyStartsLikeIt() {
        assertDisjoint(Scope.subtree("/a"), Scope.path("/ab"));
        assertDisjoint(Scope.subtree("/a"), Scope.path("/a.b"));
        assertDisjoint(Scope.subtree("/a"), Scope.subtree("/a b"));
    }

    @Test
    void subtreesOverlapWhenOneIsInTheOther() {
        assertOverlap(Scope.subtree("/a"), Scope.subtree("/a"));
        assertOverlap(Scope.subtree("/a"), Scope.subtree("/a/b"));
        assertOverlap(Scope.subtree("/"), Scope.subtree("/a"));
        assertDisjoint(Scope.subtree("/a/b"), Scope.subtree("/a/c"));
    }

    @Test
    void anInodeOverlapsAllOfItsRanges() {
        assertOverlap(Scope.inode(1), Scope.inode(1));
        assertOverlap(Scope.inode(1), Scope.range(1, 0, 1));
        assertOverlap(Scope.inode(1), Scope.range(1, 5, Long.MAX_VALUE));
        assertOverlap(Scope.inode(-1), Scope.range(-1, 5, 6));
        assertDisjoint(Scope.inode(1), Scope.inode(2));
        assertDisjoint(Scope.inode(1), Scope.range(2, 0, 10));
    }

    @Test
    void rangesOverlapWhenTheyShareAByte() {
        assertOverlap(Scope.range(1, 0, 10), Scope.range(1, 9, 20));
        assertOverlap(Scope.range(1, 0, 10), Scope.range(1, 2, 3));
        assertOverlap(
                Scope.range(1, 0, Long.MAX_VALUE),
                Scope.range(1, Long.MAX_VALUE - 1, Long.MAX_VALUE));
        assertDisjoint(Scope.range(1, 0, 10), Scope.range(1, 10, 20));
        assertDisjoint(Scope.range(1, 9, 10), Scope.range(1, 10, 100));
        assertDisjoint(Scope.range(1, 0, 10), Scope.range(2, 0, 10));
    }

    @Test
    void sharedLeasesCoexist() {
        Grant first = alice.holds(alice.shared("a"));
        Grant second = bob.holds(bob.shared("a"));
        assertThat(listed())
                .extracting(row -> row.holding())
                .containsExactly(first.holding(), second.holding());
    }

    @Test
    void anExclusiveRequestWaitsForTheLastSharer() {
        Grant first = alice.holds(alice.shared("a"));
        Grant second = bob.holds(bob.shared("a"));
        Pending waiter = carol.waits("a");
        alice.releases(first);
        waiter.assertQueued();
        bob.releases(second);
        waiter.grant();
    }

    @Test
    void sharersEndOneByOne() {
        Grant first = alice.holds(alice.shared("a"));
        Grant second = bob.holds(bob.shared("a"));
        alice.releases(first);
        assertHeldBy(second, carol.tries("a"));
        passAllOf(ttl());
        assertFree("a");
    }

    @Test
    void aBusyAcquireSaysWhoHoldsWhatAndForHowLong() {
        Grant grant = alice.holds(Claim.exclusive(Scope.subtree("/a")));
        pass(ttl().dividedBy(2));
        Acquisition answer = bob.tries(Claim.exclusive(Scope.path("/a/b")));
        assertThat(answer).isInstanceOfSatisfying(Acquisition.Held.class, held -> {
            assertThat(held.blocker()).isEqualTo(grant.holding());
            assertClose(held.remaining(), ttl().minus(ttl().dividedBy(2)));
            assertThat(held.record()).isEmpty();
        });
    }

    private void assertOverlap(Scope first, Scope second) {
        assertBothWays(first, second, true);
    }

    private void assertDisjoint(Scope first, Scope second) {
        assertBothWays(first, second, false);
    }

    private void assertBothWays(Scope one, Scope other, boolean overlap) {
        for (Mode mode : Mode.values()) {
            for (Mode otherMode : Mode.values()) {
                boolean conflict = overlap && mode.excludes(otherMode);
                assertConflict(
                        new Claim(List.of(one), mode),
                        new Claim(List.of(other), otherMode),
                        conflict);
                assertConflict(
                        new Claim(List.of(other), otherMode),
                        new Claim(List.of(one), mode),
                        conflict);
            }
        }
    }

    private void assertConflict(Claim held, Claim wanted, boolean expected) {
        Grant grant = alice.holds(held);
        Acquisition answer = bob.tries(wanted);
        assertThat(answer)
                .as("%s while %s is held", wanted, held)
                .isInstanceOf(expected ? Acquisition.Held.class : Granted.class);
        if (answer instanceof Granted granted) {
            bob.releases(granted.grant());
        }
        alice.releases(grant);
    }
}
