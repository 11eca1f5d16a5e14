// SPDX-License-Identifier: Apache-2.0
package io.leasehold.origins;

import static io.leasehold.origins.Cluster.INSTANT;
import static io.leasehold.origins.Cluster.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockOptions;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.model.StaleTokenException;
import io.leasehold.spi.Acquisition.Held;
import io.leasehold.spi.Ending.Ended;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Refused;
import io.leasehold.testkit.Fault;
import io.leasehold.testkit.FaultyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** "Challenge 02 — Fencing-Token Distributed Lock": its example, constraints and acceptance criteria. */
final class FencingTokenChallengeTest {

    private static final Scope LOCK = Scope.name("lock");
    private static final Duration LEASE = Duration.ofMillis(500);

    private final Cluster cluster = new Cluster();
    private final List<String> data = new ArrayList<>();
    private final MemoryGuard<List<String>> resource = MemoryGuard.around("resource", data);

    @AfterEach
    void close() {
        cluster.close();
    }

    /** The example, with its numbers. */
    @Test
    void theExampleOfTheChallenge() {
        FencingToken tok1 = lock("client-A").token();
        assertThat(tok1).isEqualTo(token(1));
        write(tok1, "data-v1");
        cluster.time.advance(Duration.ofMillis(600));

        FencingToken tok2 = lock("client-B").token();
        assertThat(tok2).isEqualTo(token(2));
        write(tok2, "fresh");
        assertThatThrownBy(() -> write(tok1, "stale!")).isInstanceOf(StaleTokenException.class);
        assertThat(data).containsExactly("data-v1", "fresh");
    }

    /**
     * The example again, in its own order: the stale write comes before the new holder's first. Only a seal makes
     * the resource refuse it then, which is why the new holder seals before it reads.
     */
    @Test
    void aNewHolderSealsTheResourceAgainstTheOldOneBeforeItsFirstWrite() {
        FencingToken tok1 = lock("client-A").token();
        write(tok1, "data-v1");
        cluster.time.advance(Duration.ofMillis(600));
        FencingToken tok2 = lock("client-B").token();
        resource.seal(tok2);
        assertThatThrownBy(() -> write(tok1, "stale!")).isInstanceOf(StaleTokenException.class);
        write(tok2, "fresh");
        assertThat(data).containsExactly("data-v1", "fresh");
    }

    /** Acceptance criterion 1, and the constraint "even after release". */
    @Test
    void tokensIncreaseStrictlyOverExpiryReleaseAndReacquisition() {
        for (int round = 0; round < 100; round++) {
            Grant grant = lock("client-" + round % 3);
            assertThat(grant.token()).isEqualTo(token(round + 1));
            if (round % 2 == 0) {
                cluster.time.advance(LEASE);
            } else {
                cluster.releases(grant);
            }
        }
    }

    /** Requirement 2: unlock validates the owner's token; the client's name alone unlocks nothing. */
    @Test
    void unlockValidatesOwnershipAndToken() {
        Grant old = lock("client-A");
        cluster.time.advance(LEASE);
        Grant current = lock("client-A");
        assertThat(cluster.releases(old)).isEqualTo(new Refused(RefusalReason.TOKEN_MISMATCH));

        Holding known = new Holding(Claim.exclusive(LOCK), new Holder("client-A"), token(2));
        Grant guessed = new Grant(known, new LeaseId(1, 2), LEASE);
        assertThat(cluster.releases(guessed)).isInstanceOf(Refused.class);
        assertThat(cluster.leases()).hasSize(1);
        assertThat(cluster.releases(current)).isEqualTo(new Ended());
        assertThat(cluster.leases()).isEmpty();
    }

    /** Constraint "without a dedicated goroutine": nothing is timed or running, and expiry is judged on demand. */
    @Test
    void expiryIsLazyAndNeedsNeitherThreadNorTimer() {
        lock("client-A");
        assertThat(cluster.time.pendingTimers()).isZero();
        cluster.time.advance(LEASE.minus(INSTANT));
        assertThat(cluster.tries("client-B", LOCK)).isInstanceOf(Held.class);
        cluster.time.advance(INSTANT);
        lock("client-B");
        assertThat(cluster.time.pendingTimers()).isZero();
    }

    /** Constraint {@code highWaterMark}: rejects what is below, accepts what is equal or above. */
    @Test
    void theHighWaterMarkRejectsBelowAndAcceptsEqual() {
        write(token(5), "five");
        write(token(5), "five again");
        assertThatThrownBy(() -> write(token(4), "four"))
                .isInstanceOfSatisfying(
                        StaleTokenException.class,
                        refusal -> assertThat(refusal.mark()).isEqualTo(token(5)));
        write(token(9), "nine");
        assertThat(resource.mark()).hasValue(token(9));
        assertThat(data).containsExactly("five", "five again", "nine");
    }

    /** Acceptance criteria 2 and 3: {@code SetPartitioned} makes renewals fail silently, and the lease runs out. */
    @Test
    void aPartitionedClientsRenewalFailsSilentlyAndItsLeaseExpires() {
        FaultyStore way = FaultyStore.to(cluster.store, cluster.time);
        List<Long> lostAt = new ArrayList<>();
        try (Leasehold a = cluster.client("client-A", way, cluster.time);
                Lease lease =
                        a.lock(LockOptions.defaults().withTtl(LEASE), LOCK).acquire(Duration.ZERO);
                way) {
            lease.onLost(loss -> lostAt.add(cluster.time.nanos()));
            cluster.time.advance(LEASE.multipliedBy(10)); // renewed all along
            assertThat(lease.isValid()).isTrue();

            way.cutOff(true);
            long cutAt = cluster.time.nanos();
            cluster.time.advance(LEASE);
            assertThat(way.fired(Fault.CUT_OFF)).isPositive();
            assertThat(lease.isValid()).isFalse();
            assertThat(lostAt).hasSize(1);
            assertThat(lostAt.get(0) - cutAt).isLessThan(LEASE.toNanos());

            FencingToken fresh = lock("client-B").token();
            write(fresh, "fresh");
            assertThatThrownBy(() -> write(lease.token(), "stale!"))
                    .isInstanceOf(StaleTokenException.class);
        }
    }

    /** Acceptance criterion 3, the other way: a partition shorter than the lease costs nothing. */
    @Test
    void aShortPartitionIsSurvived() {
        FaultyStore way = FaultyStore.to(cluster.store, cluster.time);
        try (Leasehold a = cluster.client("client-A", way, cluster.time);
                Lease lease =
                        a.lock(LockOptions.defaults().withTtl(LEASE), LOCK).acquire(Duration.ZERO);
                way) {
            for (int round = 0; round < 10; round++) {
                way.cutOff(true);
                cluster.time.advance(LEASE.dividedBy(3));
                way.cutOff(false);
                cluster.time.advance(LEASE);
                assertThat(lease.isValid()).isTrue();
            }
            assertThat(lease.token()).isEqualTo(token(1));
        }
    }

    /** Hint 4: of two clients that come at the very expiry one gets the lock, the other hears who has it. */
    @Test
    void twoClientsThatComeAtTheExpiryGetOneLock() {
        lock("client-A");
        cluster.time.advance(LEASE);
        Grant b = lock("client-B");
        assertThat(cluster.tries("client-C", LOCK))
                .isInstanceOfSatisfying(
                        Held.class, held -> assertThat(held.blocker()).isEqualTo(b.holding()));
    }

    private Grant lock(String client) {
        LeaseRequest request = cluster.request(client, Claim.exclusive(LOCK), LEASE);
        return cluster.holds(request);
    }

    private void write(FencingToken token, String text) {
        resource.write(token, rows -> rows.add(text));
    }
}
