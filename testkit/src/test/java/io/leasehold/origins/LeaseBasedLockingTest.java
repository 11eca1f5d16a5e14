// SPDX-License-Identifier: Apache-2.0
package io.leasehold.origins;

import static io.leasehold.origins.Cluster.INSTANT;
import static io.leasehold.origins.Cluster.TTL;
import static io.leasehold.origins.Cluster.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Leasehold;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LockTimeoutException;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Acquisition.Held;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal.Renewed;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** "ADR-0010: Lease-Based Distributed Locking": scopes, lease semantics and refusals on the store. */
final class LeaseBasedLockingTest {

    private static final List<Scope> KINDS = List.of(
            Scope.inode(4711),
            Scope.path("/var/data"),
            Scope.range(815, 0, 4096),
            Scope.name("custom"),
            Scope.subtree("/srv"));

    private final Cluster cluster = new Cluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    /** Decision, {@code LockScope}: every kind can be locked, and excludes the next who wants the same. */
    @Test
    void everyKindOfScopeIsHeldByOneHolderAtATime() {
        for (Scope scope : KINDS) {
            assertThat(cluster.tries("A", scope)).isInstanceOf(Granted.class);
        }
        for (Scope scope : KINDS) {
            assertHeldBy("A", scope, cluster.tries("B", scope));
        }
        assertThat(cluster.leases()).hasSameSizeAs(KINDS);
    }

    /** Context: "two clients shouldn't write to the same file region". Equal ranges are not the only ones. */
    @Test
    void overlappingByteRangesConflictThoughUnequal() {
        Scope held = Scope.range(7, 100, 200);
        cluster.tries("A", held);
        for (Scope other : List.of(
                Scope.range(7, 199, 300),
                Scope.range(7, 0, 101),
                Scope.range(7, 120, 130),
                Scope.range(7, 0, 1000),
                Scope.inode(7))) {
            assertThat(held.overlaps(other)).isTrue();
            assertHeldBy("A", held, cluster.tries("B", other));
        }
        assertThat(cluster.tries("B", Scope.range(7, 200, 300))).isInstanceOf(Granted.class);
        assertThat(cluster.tries("B", Scope.range(7, 0, 100))).isInstanceOf(Granted.class);
        assertThat(cluster.tries("B", Scope.range(8, 100, 200))).isInstanceOf(Granted.class);
    }

    /** Context: a rebalanced directory and a file being written in it. */
    @Test
    void aSubtreeConflictsWithEveryPathBelowIt() {
        Scope file = Scope.path("/var/data/chunk-1");
        cluster.tries("writer", file);
        assertHeldBy("writer", file, cluster.tries("rebalancer", Scope.subtree("/var")));
        assertHeldBy("writer", file, cluster.tries("other", Scope.path("/var//data/./chunk-1/")));
        assertThat(cluster.tries("other", Scope.path("/var/data"))).isInstanceOf(Granted.class);
        assertThat(cluster.tries("other", Scope.subtree("/var/database")))
                .isInstanceOf(Granted.class);
    }

    /** Context: "garbage collection shouldn't delete chunks while they're being read". */
    @Test
    void manyReadersKeepTheCollectorOut() {
        Claim reading = Claim.shared(Scope.inode(7));
        Grant first = cluster.holds(cluster.request("reader-1", reading, TTL));
        Grant second = cluster.holds(cluster.request("reader-2", reading, TTL));
        cluster.releases(first);
        assertThat(cluster.tries("collector", Scope.inode(7))).isInstanceOf(Held.class);
        cluster.releases(second);
        assertThat(cluster.tries("collector", Scope.inode(7))).isInstanceOf(Granted.class);
    }

    /** Decision, {@code LockHeld}: the error says which scope, who holds it and for how long still. */
    @Test
    void theErrorSaysScopeHolderAndTimeLeft() {
        Scope held = Scope.range(7, 0, 4096);
        cluster.tries("indexer@host/4711", held);
        cluster.time.advance(Duration.ofMillis(17_600));
        assertThat(cluster.tries("B", Scope.inode(7)))
                .isInstanceOfSatisfying(
                        Held.class,
                        answer -> assertThat(answer.remaining())
                                .isEqualTo(Duration.ofMillis(12_400)));
        try (Leasehold client = cluster.client("B")) {
            assertThatThrownBy(() -> client.lock(Scope.inode(7)).acquire(Duration.ZERO))
                    .isInstanceOfSatisfying(LockTimeoutException.class, error -> {
                        assertThat(error.claim()).isEqualTo(Claim.exclusive(Scope.inode(7)));
                        assertThat(error.heldBy().orElseThrow().claim())
                                .isEqualTo(Claim.exclusive(held));
                    })
                    .hasMessage("lock 'inode:7' is held by indexer@host/4711 through"
                            + " range:7:0-4096 for another 12.4 s (token 1)");
        }
    }

    /** {@code acquire} takes a lock with {@code expires_at == now} for free, {@code renew} for valid. Not here. */
    @Test
    void atTheExpiryALeaseIsFreeAndNotRenewable() {
        Grant grant = cluster.holds("A", "lock");
        cluster.time.advance(TTL.minus(INSTANT));
        assertThat(cluster.tries("B", Scope.name("lock"))).isInstanceOf(Held.class);
        assertThat(cluster.renews(grant)).isInstanceOf(Renewed.class);
        cluster.time.advance(TTL);
        assertThat(cluster.renews(grant)).isEqualTo(new Refused(RefusalReason.EXPIRED));
        assertThat(cluster.leases()).isEmpty();
        cluster.holds("B", "lock");
    }

    /** The same where the store keeps the next one waiting: not free yet, and still not renewable. */
    @Test
    void atTheExpiryALeaseWithALockDelayIsNotRenewableEither() {
        Grant grant =
                cluster.holds(cluster.request("A", "lock").withLockDelay(Duration.ofSeconds(5)));
        cluster.time.advance(TTL);
        assertThat(cluster.renews(grant)).isEqualTo(new Refused(RefusalReason.EXPIRED));
        assertThat(cluster.tries("B", Scope.name("lock"))).isInstanceOf(Held.class);
        cluster.time.advance(Duration.ofSeconds(5));
        cluster.holds("B", "lock");
    }

    /** {@code LockScopeMismatch}: a lease renews and ends what it was granted for, and nothing more. */
    @Test
    void aGrantIsOfNoUseForAnotherScope() {
        Scope mine = Scope.inode(7);
        Grant grant = cluster.holds(cluster.request("A", Claim.exclusive(mine), TTL));
        Grant widened = claiming(grant, Claim.exclusive(mine, Scope.inode(8)));
        Refused mismatch = new Refused(RefusalReason.SCOPE_MISMATCH);
        assertThat(cluster.renews(widened)).isEqualTo(mismatch);
        assertThat(cluster.releases(widened)).isEqualTo(mismatch);
        assertThat(answer(cluster.store.rotate(widened))).isEqualTo(mismatch);

        Grant elsewhere = claiming(grant, Claim.exclusive(Scope.inode(8)));
        assertThat(cluster.renews(elsewhere)).isInstanceOf(Refused.class);
        assertThat(cluster.releases(elsewhere)).isInstanceOf(Refused.class);
        assertThat(cluster.renews(grant)).isInstanceOf(Renewed.class);

        assertThat(grant.holding().claim().covers(Scope.range(7, 0, 10))).isTrue();
        assertThat(grant.holding().claim().covers(Scope.inode(8))).isFalse();
    }

    /** {@code LockToken::new()} is random: it tells holders apart but can't order them. Ours can. */
    @Test
    void tokensOrderTheHoldersOfOverlappingScopes() {
        FencingToken range = granted("A", Scope.range(7, 0, 10));
        cluster.time.advance(TTL);
        FencingToken inode = granted("B", Scope.inode(7));
        cluster.time.advance(TTL);
        FencingToken other = granted("C", Scope.range(7, 5, 6));
        assertThat(List.of(range, inode, other)).isSorted().doesNotHaveDuplicates();
        assertThat(range.isOlderThan(inode)).isTrue();
    }

    /** Operational implications, "track active locks, expiration times": what {@code Lock} tells of itself. */
    @Test
    void aListingShowsScopeHolderTokenAgeAndTimeLeft() {
        Grant grant = cluster.holds("A", "lock");
        cluster.time.advance(Duration.ofSeconds(12));
        LeaseView view = cluster.leases().get(0);
        assertThat(view.holding()).isEqualTo(grant.holding());
        assertThat(view.age()).isEqualTo(Duration.ofSeconds(12));
        assertThat(view.remaining()).isEqualTo(Duration.ofSeconds(18));
        assertThat(view.state()).isEqualTo(LeaseView.State.HELD);
    }

    private FencingToken granted(String holder, Scope scope) {
        return cluster.holds(cluster.request(holder, Claim.exclusive(scope), TTL))
                .token();
    }

    private static Grant claiming(Grant grant, Claim claim) {
        Holding holding = grant.holding();
        return new Grant(new Holding(claim, holding.holder(), holding.token()), grant.id(), TTL);
    }

    private static void assertHeldBy(String holder, Scope scope, Object answer) {
        assertThat(answer).isInstanceOfSatisfying(Held.class, held -> {
            assertThat(held.blocker().holder()).isEqualTo(new Holder(holder));
            assertThat(held.blocker().claim()).isEqualTo(Claim.exclusive(scope));
        });
    }
}
