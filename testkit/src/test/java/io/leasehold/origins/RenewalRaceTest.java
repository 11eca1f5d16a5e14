// SPDX-License-Identifier: Apache-2.0
package io.leasehold.origins;

import static io.leasehold.origins.Cluster.INSTANT;
import static io.leasehold.origins.Cluster.TTL;
import static io.leasehold.origins.Cluster.answer;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.RefusalReason;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Renewal.Renewed;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.testkit.Faults;
import io.leasehold.testkit.FaultyStore;
import io.leasehold.testkit.SkewedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** "Step 1: The Renewal Race": a renewal that arrives after the lease was reassigned changes nothing. */
final class RenewalRaceTest {

    private static final Faults SEVEN_SECONDS =
            Faults.none().delaying(Duration.ofSeconds(7), Duration.ofSeconds(7));

    private final Cluster cluster = new Cluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    /** The race timeline, with its times. */
    @Test
    void theRenewalInFlightIsRefusedAndTheNewHolderKeepsItsLease() {
        Grant a = cluster.holds("A", "lease"); // runs out at T
        cluster.time.advance(Duration.ofSeconds(25)); // T-5
        assertListed(a, "A", Duration.ofSeconds(5));

        cluster.time.advance(Duration.ofSeconds(3)); // T-2: A sends its renewal
        FaultyStore slow = FaultyStore.to(cluster.store, cluster.time, 1, SEVEN_SECONDS);
        CompletableFuture<Renewal> renewal =
                slow.renew(RenewalRequest.of(a, TTL)).toCompletableFuture();

        cluster.time.advance(Duration.ofSeconds(3)); // T+1: B sees it expired, and acquires
        Grant b = cluster.holds("B", "lease");
        assertListed(b, "B", TTL); // until T+31

        cluster.time.advance(Duration.ofSeconds(4)); // T+5: A's renewal arrives
        assertListed(b, "B", Duration.ofSeconds(26)); // still until T+31
        assertThat(b.token()).isGreaterThan(a.token());

        cluster.time.advance(Duration.ofSeconds(7)); // and its answer gets back
        assertThat(answer(renewal)).isEqualTo(new Refused(RefusalReason.NOT_HOLDER));
    }

    /** The race timeline, seen by A: it stops before T, while its renewal is still under way. */
    @Test
    void theHolderWhoseRenewalIsInFlightKnowsBeforeTheStoreReassigns() {
        FaultyStore slow = FaultyStore.to(cluster.store, cluster.time);
        List<LeaseLostException> losses = new ArrayList<>();
        try (Leasehold client = cluster.client("A", slow, cluster.time);
                Lease lease = client.lock("lease").acquire(Duration.ZERO);
                slow) {
            lease.onLost(losses::add);
            slow.change(Faults.none().delaying(TTL.multipliedBy(2), TTL.multipliedBy(2)));
            cluster.time.advance(TTL.minus(INSTANT));
            assertThat(lease.isValid()).isFalse();
            assertThat(losses).hasSize(1);
            cluster.time.advance(INSTANT);
            cluster.holds("B", "lease");
            cluster.time.advance(TTL.multipliedBy(9)); // all the answers come, and change nothing
            assertThat(lease.isValid()).isFalse();
            assertThat(losses).hasSize(1);
        }
    }

    /** Quick check 1 and 2: reassignment is noticed although scope and holder's name are right. */
    @Test
    void theRightNameDoesNotMakeARenewal() {
        Grant first = cluster.holds("A", "lease");
        cluster.time.advance(TTL);
        Grant second = cluster.holds("A", "lease");
        assertThat(cluster.renews(first)).isEqualTo(new Refused(RefusalReason.TOKEN_MISMATCH));

        Holding guessed = new Holding(second.holding().claim(), new Holder("A"), second.token());
        Grant forged = new Grant(guessed, first.id(), TTL); // all but the secret
        assertThat(cluster.renews(forged)).isEqualTo(new Refused(RefusalReason.TOKEN_MISMATCH));
        assertListed(second, "A", TTL);
    }

    /** Quick check 3: holder and expected expiry are both conditions. The version stands for the expiry. */
    @Test
    void conditionalRenewalMatchesTheExpectedExpiryExactly() {
        Granted granted = (Granted) cluster.tries(cluster.request("A", "lease"));
        RenewalRequest expectingTheFirst =
                RenewalRequest.of(granted.grant(), TTL).ifVersion(granted.version());
        cluster.time.advance(Duration.ofSeconds(10));
        Renewal renewal = answer(cluster.store.renew(expectingTheFirst));
        assertThat(renewal).isInstanceOf(Renewed.class);
        cluster.time.advance(Duration.ofSeconds(10));
        assertThat(answer(cluster.store.renew(expectingTheFirst)))
                .isEqualTo(new Refused(RefusalReason.VERSION_MISMATCH));
        assertListed(granted.grant(), "A", Duration.ofSeconds(20));

        long current = ((Renewed) renewal).version();
        RenewalRequest expectingTheSecond =
                RenewalRequest.of(granted.grant(), TTL).ifVersion(current);
        assertThat(answer(cluster.store.renew(expectingTheSecond))).isInstanceOf(Renewed.class);
    }

    /** Quick check 4: the expected expiry gives a reassignment away even when that is over too. */
    @Test
    void theExpectedExpiryDetectsAReassignmentThatIsOverAgain() {
        Granted granted = (Granted) cluster.tries(cluster.request("A", "lease"));
        cluster.time.advance(TTL);
        cluster.releases(cluster.holds("B", "lease"));
        RenewalRequest late = RenewalRequest.of(granted.grant(), TTL).ifVersion(granted.version());
        assertThat(answer(cluster.store.renew(late))).isEqualTo(new Refused(RefusalReason.EXPIRED));
        assertThat(cluster.leases()).isEmpty();
    }

    /** The fix compares with {@code time.Now()} of the client; here a client's clock decides nothing. */
    @Test
    void expiryIsJudgedInStoreTimeWhateverTheClientsClockSays() {
        for (Duration off : List.of(Duration.ofHours(-1), Duration.ofHours(1))) {
            SkewedTime clock = SkewedTime.of(cluster.time, off, 1);
            try (Leasehold client = cluster.client("A", cluster.store, clock);
                    Lease lease = client.lock("lease").acquire(Duration.ZERO)) {
                cluster.time.advance(Duration.ofSeconds(29));
                lease.renew();
                assertThat(cluster.leases().get(0).remaining()).isBetween(TTL.dividedBy(2), TTL);
                assertThat(lease.isValid()).isTrue();
            }
        }
    }

    /** Quick check 5: on {@code ErrLeaseExpired} re-acquire, under a higher token; never renew. */
    @Test
    void anExpiredLeaseIsAcquiredAgainUnderAHigherToken() {
        Grant before = cluster.holds("A", "lease");
        cluster.time.advance(TTL.minus(INSTANT));
        assertThat(cluster.renews(before)).isInstanceOf(Renewed.class);
        cluster.time.advance(TTL);
        assertThat(cluster.renews(before)).isEqualTo(new Refused(RefusalReason.EXPIRED));
        assertThat(cluster.leases()).isEmpty(); // nobody took it, and still
        Grant after = cluster.holds("A", "lease");
        assertThat(after.token()).isGreaterThan(before.token());
        assertThat(cluster.renews(after)).isInstanceOf(Renewed.class);
    }

    private void assertListed(Grant grant, String holder, Duration remaining) {
        LeaseView only = cluster.leases().get(0);
        assertThat(cluster.leases()).hasSize(1);
        assertThat(only.holding()).isEqualTo(grant.holding());
        assertThat(only.holding().holder()).isEqualTo(new Holder(holder));
        assertThat(only.remaining()).isEqualTo(remaining);
    }
}
