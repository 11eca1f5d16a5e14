// SPDX-License-Identifier: Apache-2.0
package io.leasehold.origins;

import static io.leasehold.origins.Cluster.TTL;
import static io.leasehold.origins.Cluster.answer;
import static io.leasehold.origins.Cluster.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.model.StaleTokenException;
import io.leasehold.spi.Acquisition.Held;
import io.leasehold.spi.Ending.Ended;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Refused;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.PausableTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** "Fencing", the fencing token strategy and the best practices, without burnt numbers and left-over keys. */
final class FencingTest {

    private final Cluster cluster = new Cluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    /** Fencing token strategy: {@code INCR} comes before the lock is known to be free. */
    @Test
    void failedTriesBurnNoNumber() {
        Grant first = cluster.holds("A", "critical-resource");
        for (int i = 0; i < 1000; i++) {
            assertThat(cluster.tries("B", Scope.name("critical-resource")))
                    .isInstanceOf(Held.class);
        }
        cluster.releases(first);
        assertThat(cluster.holds("B", "critical-resource").token()).isEqualTo(token(2));
    }

    /** Fencing token strategy: a counter key per resource stays behind for good. Here nothing does. */
    @Test
    void nothingIsLeftBehindPerLock() {
        TableOptions roomForOne = new TableOptions(1, 0, Duration.ofMinutes(10), 64);
        try (Cluster small = new Cluster(roomForOne)) {
            for (int i = 1; i <= 200_000; i++) {
                Grant grant = small.holds("A", "resource/" + i);
                assertThat(grant.token().value()).isEqualTo(i);
                assertThat(small.releases(grant)).isEqualTo(new Ended());
            }
            assertThat(small.leases()).isEmpty();
            assertThat(small.time.pendingTimers()).isZero();
        }
    }

    /** Storage overhead: what ran out leaves as little as what was released. */
    @Test
    void nothingIsLeftBehindByLeasesThatRanOut() {
        TableOptions roomForTen = new TableOptions(10, 0, Duration.ofMinutes(10), 64);
        try (Cluster small = new Cluster(roomForTen)) {
            for (int i = 0; i < 10_000; i++) {
                if (i % 10 == 0) {
                    small.time.advance(TTL);
                }
                small.holds("A", "resource/" + i);
            }
        }
    }

    /** {@code ValidateToken}: valid, expired, and somebody else's. */
    @Test
    void validationAsksTheStore() {
        PausableTime process = PausableTime.on(cluster.time);
        try (Leasehold client = cluster.client("A", cluster.store, process)) {
            Lease lease = client.lock("critical-resource").acquire(Duration.ZERO);
            assertThat(lease.validate()).isTrue();
            process.pause();
            cluster.time.advance(TTL);
            assertThat(lease.validate()).isFalse();
            cluster.holds("B", "critical-resource");
            assertThat(lease.validate()).isFalse();
        }
    }

    /** "Validate token before each critical operation" is not safe, because of what lies between; the guard is. */
    @Test
    void aPauseBetweenValidationAndWriteIsCaughtByTheGuardAlone() {
        List<String> rows = new ArrayList<>();
        MemoryGuard<List<String>> guard = MemoryGuard.around("rows", rows);
        PausableTime process = PausableTime.on(cluster.time);
        try (Leasehold client = cluster.client("A", cluster.store, process)) {
            Lease lease = client.lock("critical-resource").acquire(Duration.ZERO);
            FencingToken token = lease.token();
            assertThat(lease.validate()).isTrue();

            process.pause(); // a garbage collection, say
            cluster.time.advance(TTL);
            FencingToken newer = cluster.holds("B", "critical-resource").token();
            guard.write(newer, all -> all.add("B"));

            assertThatThrownBy(() -> guard.write(token, all -> all.add("A")))
                    .isInstanceOf(StaleTokenException.class);
            process.resume();
            assertThat(lease.isValid()).isFalse();
        }
        assertThat(rows).containsExactly("B");
    }

    /** {@code Release} compares the token; here a late one is also told that it was late. */
    @Test
    void aLateReleaseLeavesTheNextHolderAlone() {
        Grant late = cluster.holds("A", "critical-resource");
        cluster.time.advance(TTL);
        Grant current = cluster.holds("B", "critical-resource");
        assertThat(cluster.releases(late)).isEqualTo(new Refused(RefusalReason.NOT_HOLDER));
        assertThat(cluster.leases())
                .singleElement()
                .satisfies(view -> assertThat(view.holding()).isEqualTo(current.holding()));
    }

    /** A release whose reply got lost succeeds again; it never ends a later lease. */
    @Test
    void aRepeatedReleaseIsHarmless() {
        Grant grant = cluster.holds("A", "critical-resource");
        assertThat(cluster.releases(grant)).isEqualTo(new Ended());
        assertThat(cluster.releases(grant)).isEqualTo(new Ended());
        cluster.holds("B", "critical-resource");
        assertThat(answer(cluster.store.release(grant))).isEqualTo(new Ended());
        assertThat(cluster.leases()).hasSize(1);
    }

    /** Best practice 2: tokens always increase, over all resources, so that overlapping ones are ordered too. */
    @Test
    void tokensIncreaseOverAllResources() {
        FencingToken last = cluster.holds("A", "first").token();
        for (int i = 0; i < 100; i++) {
            FencingToken next = cluster.holds("A", "resource/" + i).token();
            assertThat(next).isGreaterThan(last);
            last = next;
        }
    }

    /** Best practice 3: a time to live that can't be meant is refused at the edge. */
    @Test
    void timesToLiveAreBounded() {
        Claim claim = Claim.exclusive(Scope.name("critical-resource"));
        assertThatThrownBy(() -> cluster.request("A", claim, Duration.ofMillis(99)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> cluster.request("A", claim, Duration.ofHours(25)))
                .isInstanceOf(LimitExceededException.class);
    }

    /** Best practice 4: a conflict says which token was refused and what the resource has seen. */
    @Test
    void aTokenConflictCarriesTheFacts() {
        MemoryGuard<List<String>> guard = MemoryGuard.around("rows", new ArrayList<>());
        guard.admit(token(34));
        assertThatThrownBy(() -> guard.admit(token(33)))
                .hasMessage("stale token 33: rows has seen token 34")
                .isInstanceOfSatisfying(StaleTokenException.class, stale -> {
                    assertThat(stale.token()).isEqualTo(token(33));
                    assertThat(stale.mark()).isEqualTo(token(34));
                });
    }
}
