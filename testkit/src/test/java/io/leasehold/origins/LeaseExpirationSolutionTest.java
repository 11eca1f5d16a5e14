// SPDX-License-Identifier: Apache-2.0
package io.leasehold.origins;

import static io.leasehold.model.RefusalReason.EXPIRED;
import static io.leasehold.model.RefusalReason.NOT_FOUND;
import static io.leasehold.model.RefusalReason.NOT_HOLDER;
import static io.leasehold.model.RefusalReason.TOKEN_MISMATCH;
import static io.leasehold.origins.Cluster.INSTANT;
import static io.leasehold.origins.Cluster.TTL;
import static io.leasehold.origins.Cluster.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.model.StaleTokenException;
import io.leasehold.spi.Acquisition.Held;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvent.RenewalRefused;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal.Renewed;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation.Rotated;
import io.leasehold.testkit.Fault;
import io.leasehold.testkit.Faults;
import io.leasehold.testkit.FaultyStore;
import io.leasehold.testkit.SkewedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** "Solution: Lease Expiration Race - Fencing and Conditional Renewal", without its traps. */
final class LeaseExpirationSolutionTest {

    private final Cluster cluster = new Cluster();
    private final List<String> backend = new ArrayList<>();
    private final MemoryGuard<List<String>> storage = MemoryGuard.around("storage", backend);

    @AfterEach
    void close() {
        cluster.close();
    }

    /** Solution 1, {@code NOT_FOUND}. */
    @Test
    void renewalOfALeaseThatIsGoneIsNotFound() {
        Grant grant = cluster.holds("A", "lease");
        cluster.releases(grant);
        assertRenewalRefused(grant, new Refused(NOT_FOUND));
    }

    /** Solution 1, {@code NOT_HOLDER}. */
    @Test
    void renewalOfALeaseThatSomeoneElseHasIsNotHolder() {
        Grant grant = cluster.holds("A", "lease");
        cluster.time.advance(TTL);
        cluster.holds("B", "lease");
        assertRenewalRefused(grant, new Refused(NOT_HOLDER));
    }

    /** Solution 1, {@code TOKEN_MISMATCH}. */
    @Test
    void renewalUnderAnEarlierTokenOfTheSameHolderIsATokenMismatch() {
        Grant grant = cluster.holds("A", "lease");
        cluster.releases(grant);
        cluster.holds("A", "lease");
        assertRenewalRefused(grant, new Refused(TOKEN_MISMATCH));
    }

    /** Solution 1, {@code EXPIRED}. */
    @Test
    void renewalOfALeaseThatRanOutIsExpired() {
        Grant grant = cluster.holds("A", "lease");
        cluster.time.advance(TTL);
        assertRenewalRefused(grant, new Refused(EXPIRED));
    }

    /** Refused renewals change nothing and are told, for the alert of "Monitoring" on their rate. */
    private void assertRenewalRefused(Grant grant, Refused refusal) {
        List<LeaseEvent> events = new ArrayList<>();
        List<LeaseView> before = cluster.leases();
        try (var subscription = cluster.store.subscribe(events::add)) {
            assertThat(cluster.renews(grant)).isEqualTo(refusal);
        }
        assertThat(cluster.leases()).isEqualTo(before);
        assertThat(events).containsExactly(new RenewalRefused(refusal.reason(), grant.holding()));
    }

    /** Solution 2: the storage verifies the token. */
    @Test
    void theStorageRefusesAStaleLeaseholder() {
        FencingToken stale = cluster.holds("A", "lease").token();
        storage.write(stale, rows -> rows.add("from A"));
        cluster.time.advance(TTL);
        FencingToken fresh = cluster.holds("B", "lease").token();
        storage.write(fresh, rows -> rows.add("from B"));
        assertThatThrownBy(() -> storage.write(stale, rows -> rows.add("late")))
                .isInstanceOfSatisfying(StaleTokenException.class, refusal -> {
                    assertThat(refusal.token()).isEqualTo(stale);
                    assertThat(refusal.mark()).isEqualTo(fresh);
                });
        assertThat(backend).containsExactly("from A", "from B");
    }

    /** Solution 2 renews before each write; the script of solution 1 would make the write before that stale. */
    @Test
    void writesInFlightStayGoodAcrossRenewals() {
        Grant grant = cluster.holds("A", "lease");
        FencingToken sentWithTheFirstWrite = grant.token();
        cluster.renews(grant);
        cluster.renews(grant);
        assertThat(cluster.leases().get(0).holding().token()).isEqualTo(sentWithTheFirstWrite);
        storage.write(grant.token(), rows -> rows.add("second"));
        storage.write(sentWithTheFirstWrite, rows -> rows.add("first, overtaken"));
        assertThat(backend).containsExactly("second", "first, overtaken");
    }

    /** Solution 1 raises the token in the store and tells the client in a reply, which may get lost. */
    @Test
    void aLostRenewalReplyDoesNotLockTheHolderOut() {
        Grant grant = cluster.holds("A", "lease");
        FaultyStore way =
                FaultyStore.to(cluster.store, cluster.time, 1, Faults.none().losingReplies(1));
        assertThat(way.renew(RenewalRequest.of(grant, TTL)).toCompletableFuture())
                .isNotDone();
        assertThat(way.fired(Fault.REPLY_LOST)).isOne();
        way.change(Faults.none());
        assertThat(answer(way.renew(RenewalRequest.of(grant, TTL)))).isInstanceOf(Renewed.class);
        storage.write(grant.token(), rows -> rows.add("still mine"));
        assertThat(backend).containsExactly("still mine");
    }

    /** The same through the API: a third of all replies get lost, and the lease lives on. */
    @Test
    void aHolderLivesWithLostRepliesUnderOneToken() {
        Faults lossy = Faults.none().losingReplies(0.3);
        FaultyStore way = FaultyStore.to(cluster.store, cluster.time, 7, Faults.none());
        try (Leasehold client = cluster.client("A", way, cluster.time);
                Lease lease = client.lock("lease").acquire(Duration.ZERO);
                way) {
            FencingToken token = lease.token();
            way.change(lossy);
            cluster.time.advance(TTL.multipliedBy(20));
            way.change(Faults.none());
            assertThat(way.fired(Fault.REPLY_LOST)).isPositive();
            assertThat(lease.isValid()).isTrue();
            assertThat(lease.token()).isEqualTo(token);
        }
    }

    /** Who wants a new token asks for it; asking again after a lost reply brings the same one. */
    @Test
    void rotationIsSafeToRetry() {
        Grant grant = cluster.holds("A", "lease");
        Rotated first = (Rotated) answer(cluster.store.rotate(grant));
        Rotated repeat = (Rotated) answer(cluster.store.rotate(grant));
        assertThat(repeat).isEqualTo(first);
        assertThat(first.grant().token()).isEqualTo(Cluster.token(2));
        assertThat(cluster.renews(first.grant())).isInstanceOf(Renewed.class);
        assertThat(cluster.holds("B", "other").token()).isEqualTo(Cluster.token(3));

        storage.seal(first.grant().token());
        assertThatThrownBy(() -> storage.write(grant.token(), rows -> rows.add("before")))
                .isInstanceOf(StaleTokenException.class);
    }

    /** The script gets {@code time.Now()} of the client: hours off, it would end or revive leases. */
    @Test
    void aClientHoursOffNeitherEndsNorPreservesALease() {
        SkewedTime ahead = SkewedTime.of(cluster.time, Duration.ofHours(5), 1);
        SkewedTime behind = SkewedTime.of(cluster.time, Duration.ofHours(-5), 1);
        Grant grant = cluster.holds("A", "lease");
        try (Leasehold early = cluster.client("early", cluster.store, ahead);
                Leasehold late = cluster.client("late", cluster.store, behind)) {
            cluster.time.advance(TTL.minus(INSTANT));
            assertThat(early.lock("lease").tryAcquire()).isEmpty();
            assertThat(late.lock("lease").tryAcquire()).isEmpty();
            assertThat(cluster.tries("B", Scope.name("lease"))).isInstanceOf(Held.class);
            cluster.time.advance(INSTANT);
            assertThat(late.lock("lease").tryAcquire())
                    .hasValueSatisfying(
                            lease -> assertThat(lease.token()).isGreaterThan(grant.token()));
        }
    }

    /** The counter lives in a key with a time to live: an idle lock would start again at 1. */
    @Test
    void theCounterOutlivesEveryLease() {
        Grant last = cluster.holds("A", "lease");
        cluster.time.advance(Duration.ofDays(400));
        assertThat(cluster.leases()).isEmpty();
        assertThat(cluster.holds("A", "lease").token()).isEqualTo(Cluster.token(2));
        assertThat(cluster.renews(last)).isInstanceOf(Refused.class);
    }
}
