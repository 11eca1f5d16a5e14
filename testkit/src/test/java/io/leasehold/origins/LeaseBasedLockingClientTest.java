// SPDX-License-Identifier: Apache-2.0
package io.leasehold.origins;

import static io.leasehold.origins.Cluster.INSTANT;
import static io.leasehold.origins.Cluster.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockOptions;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.model.StaleTokenException;
import io.leasehold.spi.Acquisition.Held;
import io.leasehold.spi.LeaseEvent.Change;
import io.leasehold.spi.LeaseEvent.Changed;
import io.leasehold.testkit.Fault;
import io.leasehold.testkit.Faults;
import io.leasehold.testkit.FaultyStore;
import io.leasehold.testkit.PausableTime;
import io.leasehold.testkit.SkewedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** "ADR-0010: Lease-Based Distributed Locking": renewal, crashes and clock skew, seen from the client. */
final class LeaseBasedLockingClientTest {

    private static final Scope LOCK = Scope.name("lock");

    private final Cluster cluster = new Cluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    /** Client-side lease renewal: the loop breaks at the first error. Ours goes on until the deadline. */
    @Test
    void theRenewalLoopSurvivesErrors() {
        FaultyStore way = FaultyStore.to(cluster.store, cluster.time);
        try (Leasehold client = cluster.client("A", way, cluster.time);
                Lease lease = client.lock(LOCK).acquire(Duration.ZERO);
                way) {
            for (Faults failing : List.of(
                    Faults.none().turningAway(1),
                    Faults.none().breakingOff(1),
                    Faults.none().losingRequests(1))) {
                way.change(failing);
                cluster.time.advance(Duration.ofSeconds(19));
                assertThat(lease.isValid()).isTrue();
                way.change(Faults.none());
                cluster.time.advance(TTL.multipliedBy(3));
                assertThat(lease.isValid()).isTrue();
            }
            assertThat(way.fired(Fault.UNAVAILABLE)).isGreaterThan(1);
            assertThat(way.fired(Fault.OUTCOME_UNKNOWN)).isGreaterThan(1);
            assertThat(way.fired(Fault.REQUEST_LOST)).isGreaterThan(1);
            assertThat(lease.token()).isEqualTo(Cluster.token(1));
        }
    }

    /** Lease duration guidelines: the three scenarios, each renewed at about a third of its duration. */
    @ParameterizedTest
    @CsvSource({"10, 3", "60, 20", "300, 100"})
    void theGuidelinesArePresets(long duration, long renewal) {
        LockOptions preset = duration == 10
                ? LockOptions.shortWork()
                : duration == 60 ? LockOptions.longWork() : LockOptions.batchWork();
        assertThat(preset.ttl()).isEqualTo(Duration.ofSeconds(duration));
        List<Duration> renewals = new ArrayList<>();
        try (Leasehold client = cluster.client("A");
                Lease lease = client.lock(preset, LOCK).acquire(Duration.ZERO);
                var subscription = cluster.store.subscribe(event -> {
                    if (event instanceof Changed changed && changed.change() == Change.RENEWED) {
                        renewals.add(Duration.ofNanos(cluster.time.nanos()));
                    }
                })) {
            cluster.time.advance(Duration.ofSeconds(duration * 10));
            assertThat(lease.isValid()).isTrue();
        }
        Duration before = Duration.ZERO;
        for (Duration at : renewals) {
            double seconds = at.minus(before).toNanos() / 1e9;
            assertThat(seconds).isBetween(renewal * 0.9, duration / 3.0 * 1.1);
            before = at;
        }
        assertThat(renewals).hasSizeBetween(27, 34);
    }

    /** The deadlock problem: the client crashes and never releases; the file is accessible again after the ttl. */
    @Test
    void aCrashedClientsLockExpiresAfterTheTtl() {
        PausableTime process = PausableTime.on(cluster.time);
        Leasehold crashing = cluster.client("A", cluster.store, process);
        Lease lease = crashing.lock(LOCK).acquire(Duration.ZERO);
        process.pause(); // for good
        try (Leasehold client = cluster.client("B")) {
            CompletableFuture<Lease> next = client.lock(LOCK).acquireAsync(Duration.ofMinutes(5));
            cluster.time.advance(TTL.minus(INSTANT));
            assertThat(next).isNotDone();
            cluster.time.advance(INSTANT);
            assertThat(next).isDone();
            assertThat(next.join().token()).isGreaterThan(lease.token());
        }
    }

    /**
     * Clock skew considerations, with their numbers: server at T=100, client at T=105, a lease of 30 s. The client
     * must be done before the server's T=130, not at its own T=135.
     */
    @Test
    void theClientsDeadlineComesBeforeTheServersInTheSkewExample() {
        cluster.time.advance(Duration.ofSeconds(100));
        SkewedTime fiveAhead = SkewedTime.of(cluster.time, Duration.ofSeconds(5), 1);
        assertThat(fiveAhead.nanos()).isEqualTo(Duration.ofSeconds(105).toNanos());
        Duration lostAt = lostAt(fiveAhead);
        assertThat(lostAt).isEqualTo(Duration.ofMillis(129_395)); // 1 % either way, and 5 ms
    }

    /** Clock skew considerations: what matters is not the offset but the rate; 1 % either way is covered. */
    @ParameterizedTest
    @CsvSource({"0.99, 5", "0.99, -3600", "1, -5", "1.01, 5", "1.01, 3600"})
    void theClientsDeadlineComesBeforeTheServersWithDriftToo(double rate, long offset) {
        cluster.time.advance(Duration.ofSeconds(100));
        Duration lostAt = lostAt(SkewedTime.of(cluster.time, Duration.ofSeconds(offset), rate));
        assertThat(lostAt).isBetween(Duration.ofSeconds(129), Duration.ofMillis(129_999));
    }

    /** When a client with this clock, cut off after its grant at T=100, gives up: in the server's time. */
    private Duration lostAt(SkewedTime clock) {
        FaultyStore way = FaultyStore.to(cluster.store, cluster.time);
        AtomicLong lostAt = new AtomicLong();
        try (Leasehold client = cluster.client("A", way, clock);
                Lease lease = client.lock(LOCK).acquire(Duration.ZERO);
                way) {
            lease.onLost(loss -> lostAt.set(cluster.time.nanos()));
            way.cutOff(true);
            cluster.time.advance(TTL.minus(INSTANT));
            assertThat(cluster.tries("B", LOCK)).isInstanceOf(Held.class);
            assertThat(lease.isValid()).isFalse();
        }
        return Duration.ofNanos(lostAt.get());
    }

    /** Clock skew beyond every bound: "client still thinks it's valid". Then only the guard helps, and does. */
    @Test
    void aClockBeyondTheBoundsIsCaughtByTheGuard() {
        List<String> file = new ArrayList<>();
        MemoryGuard<List<String>> guard = MemoryGuard.around("file", file);
        FaultyStore way = FaultyStore.to(cluster.store, cluster.time);
        SkewedTime slow = SkewedTime.of(cluster.time, Duration.ZERO, 0.5);
        try (Leasehold client = cluster.client("A", way, slow);
                Lease lease = client.lock(LOCK).acquire(Duration.ZERO);
                way) {
            way.cutOff(true);
            cluster.time.advance(TTL);
            assertThat(lease.isValid()).isTrue(); // wrong
            FencingToken newer = cluster.holds("B", "lock").token();
            guard.write(newer, lines -> lines.add("B"));
            assertThatThrownBy(() -> guard.write(lease.token(), lines -> lines.add("A")))
                    .isInstanceOf(StaleTokenException.class);
            cluster.time.advance(TTL);
            assertThat(lease.isValid()).isFalse();
        }
        assertThat(file).containsExactly("B");
    }
}
