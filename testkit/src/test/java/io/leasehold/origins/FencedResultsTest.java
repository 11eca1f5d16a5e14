// SPDX-License-Identifier: Apache-2.0
package io.leasehold.origins;

import static io.leasehold.origins.Cluster.TTL;
import static io.leasehold.origins.Cluster.answer;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.LeaseRecord;
import io.leasehold.model.RefusalReason;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Acquisition.Completed;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Acquisition.Held;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Ending.Ended;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Rotation.Rotated;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** "Fencing", what its single flight and its idempotency need from the store: results under the current token only. */
final class FencedResultsTest {

    private static final Duration RETENTION = Duration.ofDays(1);
    private static final LeaseRecord RESULT = LeaseRecord.of("{\"charged\": 42}");

    private final Cluster cluster = new Cluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    /** Fenced idempotency, {@code storeResult} stores unconditionally: a late worker overwrites a newer one. */
    @Test
    void aWorkerThatLostItsLeaseCannotPublish() {
        Grant late = works("late");
        cluster.time.advance(TTL);
        assertThat(complete(late, "late")).isEqualTo(new Refused(RefusalReason.EXPIRED));
        assertThat(cluster.leases()).isEmpty();

        Grant current = works("current");
        assertThat(complete(late, "late")).isEqualTo(new Refused(RefusalReason.NOT_HOLDER));
        assertThat(answer(cluster.store.complete(current, RESULT, RETENTION)))
                .isEqualTo(new Ended());
        assertThat(complete(late, "late")).isInstanceOf(Refused.class);
        assertThat(asks("caller")).isInstanceOfSatisfying(Completed.class, done -> {
            assertThat(done.record()).isEqualTo(RESULT);
            assertThat(done.token()).isEqualTo(current.token());
        });
    }

    /** Fenced idempotency, {@code tryAcquire} answers any existing record as done, a running one with nothing. */
    @Test
    void runningIsNotDone() {
        Grant running =
                cluster.holds(job("worker").withRecord(LeaseRecord.of("started by worker")));
        assertThat(asks("caller"))
                .isInstanceOfSatisfying(
                        Held.class,
                        held -> assertThat(held.blocker()).isEqualTo(running.holding()));
        cluster.time.advance(TTL);
        assertThat(asks("caller")).isInstanceOf(Granted.class); // a dead worker is not done either
    }

    /** Fenced idempotency reads the token's field where the result should be. */
    @Test
    void theResultIsTheRecordAndNotTheToken() {
        Grant grant = works("worker");
        answer(cluster.store.complete(grant, RESULT, RETENTION));
        assertThat(asks("caller")).isInstanceOfSatisfying(Completed.class, done -> {
            assertThat(done.record().text()).isEqualTo("{\"charged\": 42}");
            assertThat(done.token()).isEqualTo(grant.token());
            assertThat(done.keptFor()).isEqualTo(RETENTION);
        });
    }

    /** {@code complete} is the same compare-and-set as release: an earlier token of one's own won't do. */
    @Test
    void aResultIsStoredUnderTheCurrentTokenOnly() {
        Grant before = works("worker");
        Rotated rotated = (Rotated) answer(cluster.store.rotate(before));
        assertThat(complete(before, "old")).isEqualTo(new Refused(RefusalReason.TOKEN_MISMATCH));
        assertThat(asks("caller")).isInstanceOf(Held.class);
        assertThat(complete(rotated.grant(), "new")).isEqualTo(new Ended());
        assertThat(asks("caller"))
                .isInstanceOfSatisfying(
                        Completed.class,
                        done -> assertThat(done.record()).isEqualTo(LeaseRecord.of("new")));
    }

    /** A completion whose reply got lost is repeated and stays what it was. */
    @Test
    void aRepeatedCompletionIsTheSameCompletion() {
        Grant grant = works("worker");
        assertThat(complete(grant, "once")).isEqualTo(new Ended());
        assertThat(complete(grant, "once")).isEqualTo(new Ended());
        assertThat(cluster.leases()).hasSize(1);
    }

    /** Fenced idempotency, {@code markFailed} leaves a state that later calls take for a result. */
    @Test
    void aFailureThatIsReleasedIsTriedAgain() {
        cluster.releases(works("worker"));
        assertThat(asks("caller")).isInstanceOf(Granted.class);
    }

    /** Results are kept for as long as asked for, and no trace is left after. */
    @Test
    void aResultIsForgottenAfterItsRetention() {
        complete(works("worker"), "done");
        cluster.time.advance(RETENTION.minus(Cluster.INSTANT));
        assertThat(asks("caller")).isInstanceOf(Completed.class);
        cluster.time.advance(Cluster.INSTANT);
        assertThat(cluster.leases()).isEmpty();
        assertThat(asks("caller")).isInstanceOf(Granted.class);
    }

    /** Fenced single flight: callers of other processes share the result instead of failing to get a token. */
    @Test
    void waitingCallersShareTheResult() {
        Grant leader = works("leader");
        CompletableFuture<Acquisition> first = waits("first");
        CompletableFuture<Acquisition> second = waits("second");
        assertThat(first).isNotDone();
        complete(leader, "shared");
        for (CompletableFuture<Acquisition> follower : List.of(first, second)) {
            assertThat(answer(follower))
                    .isInstanceOfSatisfying(
                            Completed.class,
                            done -> assertThat(done.record().text()).isEqualTo("shared"));
        }
    }

    /** Fenced single flight gives waiters {@code nil, nil} when the leader fails; here one of them leads. */
    @Test
    void theLeadersDeathMakesOneWaiterTheLeader() {
        Grant leader = works("leader");
        CompletableFuture<Acquisition> first = waits("first");
        CompletableFuture<Acquisition> second = waits("second");
        cluster.time.advance(TTL); // it died
        assertThat(answer(first)).isInstanceOfSatisfying(Granted.class, granted -> {
            assertThat(granted.grant().token()).isGreaterThan(leader.token());
            assertThat(second).isNotDone();
            complete(granted.grant(), "by the second leader");
        });
        assertThat(answer(second)).isInstanceOf(Completed.class);
        assertThat(complete(leader, "by a ghost")).isInstanceOf(Refused.class);
    }

    private LeaseRequest job(String holder) {
        return cluster.request(holder, "payment/17");
    }

    private Grant works(String holder) {
        return cluster.holds(job(holder));
    }

    private Acquisition asks(String holder) {
        return cluster.tries(job(holder).unlessCompleted());
    }

    private CompletableFuture<Acquisition> waits(String holder) {
        LeaseRequest patient = job(holder).unlessCompleted().waitingAtMost(Duration.ofMinutes(5));
        return cluster.store.acquire(patient).toCompletableFuture();
    }

    private Ending complete(Grant grant, String result) {
        return answer(cluster.store.complete(grant, LeaseRecord.of(result), RETENTION));
    }
}
