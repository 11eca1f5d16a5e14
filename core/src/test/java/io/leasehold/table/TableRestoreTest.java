// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.NodeRecord;
import io.leasehold.spi.Raising;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Round;
import io.leasehold.table.TableDriver.Answer;
import io.leasehold.table.TableEntry.Course;
import io.leasehold.table.TableEntry.Leased;
import io.leasehold.table.TableEntry.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the table tells of its changes, and copies of itself, make the same table again. */
final class TableRestoreTest {

    private static final Duration RETRY_WINDOW = Duration.ofSeconds(2);
    private static final TableOptions OPTIONS = new TableOptions(1000, 1000, RETRY_WINDOW, 1000);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int STEPS = 600;

    private final List<TableEntry> told = new ArrayList<>();
    private final LeaseTable table = new LeaseTable(OPTIONS, 1, 0, new Recorder());
    private final List<LeaseRequest> requests = new ArrayList<>();
    private final List<Grant> grants = new ArrayList<>();
    private long now;

    private final class Recorder implements LeaseTable.Listener {
        @Override
        public boolean isListening() {
            return false;
        }

        @Override
        public void on(LeaseEvent event) {}

        @Override
        public boolean isRecording() {
            return true;
        }

        @Override
        public void record(TableEntry entry) {
            told.add(entry);
        }
    }

    private static LongStream seeds() {
        return LongStream.range(0, 60);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aTableRestoredFromWhatWasToldHoldsTheSame(long seed) {
        RandomInputs inputs = new RandomInputs(seed);
        for (int i = 0; i < STEPS; i++) {
            step(inputs);
            if (inputs.oneIn(20)) {
                assertSame(restoredFromWhatWasTold());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aCopyReadWhileChangesGoOnIsMadeGoodByThem(long seed) {
        RandomInputs inputs = new RandomInputs(seed);
        for (int round = 0; round < 12; round++) {
            LongStream.range(0, inputs.below(60)).forEach(i -> step(inputs));
            TableCopy copy = table.copy();
            List<TableEntry> image = new ArrayList<>();
            told.clear();
            while (copy.read(1 + inputs.below(3), image::add)) {
                step(inputs);
            }
            LeaseTable restored = empty();
            image.forEach(restored::restore);
            told.forEach(restored::restore);
            assertSame(restored);
            told.forEach(restored::restore); // twice is once
            assertSame(restored);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void whatAHolderReliesOnIsHonouredAfterARestart(long seed) {
        RandomInputs inputs = new RandomInputs(seed);
        LongStream.range(0, STEPS).forEach(i -> step(inputs));
        LeaseTable restored = restoredFromWhatWasTold();
        Map<Long, Leased> before = leases(table);
        restored.resume(0, now);
        leases(restored).forEach((token, lease) -> {
            Course course = lease.course();
            Course known = Objects.requireNonNull(before.get(token)).course();
            assertThat(course.expiry()).isGreaterThanOrEqualTo(known.expiry());
            if (course.phase() == Phase.CARRIED_OVER) {
                assertThat(course.version()).isGreaterThan(known.version());
                assertThat(course.expiry())
                        .isGreaterThanOrEqualTo(now + lease.grant().ttl().toNanos());
            }
        });
    }

    @Test
    void aRecordThatWasErasedDoesNotComeBackWithARestart() {
        Claim claim = Claim.exclusive(Scope.name("a"), Scope.name("b"));
        complete(claim, HOUR);
        LeaseTable image = restoredFromWhatWasTold();
        assertThat(image.record(Scope.name("a"), now)).isPresent();
        assertThat(image.record(Scope.name("b"), now)).isPresent();
        told.clear();
        complete(claim, Duration.ZERO);
        told.forEach(image::restore);
        assertThat(image.record(Scope.name("a"), now)).isEmpty();
        assertThat(image.record(Scope.name("b"), now)).isEmpty();
        assertThat(image.size()).isZero();
    }

    private void complete(Claim claim, Duration keepFor) {
        Grant grant = acquire(request(claim), Round.NONE);
        table.complete(grant, LeaseRecord.of("r"), keepFor, ++now);
    }

    private LeaseRequest request(Claim claim) {
        return LeaseRequest.of(
                new LeaseId(1, ++now), claim, new Holder("h"), Duration.ofSeconds(1));
    }

    private Grant acquire(LeaseRequest request, Round round) {
        Answer answer = new Answer();
        table.acquire(request, round, now, answer);
        return answer.grant();
    }

    @Test
    void whatAQuorumChangesInItsNodeIsToldToo() {
        Round round = new Round(1, 17);
        LeaseRequest agreed = request(Claim.exclusive(Scope.name("a")));
        Grant drawn = acquire(agreed, round);
        Raising raised = table.raise(drawn, new FencingToken(9), round, ++now);
        assertThat(raised).isEqualTo(new Raising.Raised());
        assertSame(restoredFromWhatWasTold());

        table.restore(agreed, new FencingToken(12), ++now);
        assertSame(restoredFromWhatWasTold());

        table.restore(request(Claim.exclusive(Scope.name("b"))), new FencingToken(15), ++now);
        assertThat(leases(table)).hasSize(2);
        assertSame(restoredFromWhatWasTold());

        LeaseRequest givenBack = request(Claim.exclusive(Scope.name("c")));
        acquire(givenBack, round);
        table.retract(givenBack, round, ++now);
        assertThat(leases(table)).hasSize(2);
        assertSame(restoredFromWhatWasTold());

        Holding left = acquire(request(Claim.exclusive(Scope.name("d"))), round).holding();
        LeaseRecord record = LeaseRecord.of("r");
        table.keep(new NodeRecord(Scope.name("d"), left, record, Duration.ZERO, HOUR), ++now);
        assertThat(table.record(Scope.name("d"), now)).isPresent();
        assertSame(restoredFromWhatWasTold());
    }

    @Test
    void aLeaseWithALockDelayRunsOutAtItsExpiryAlsoAfterARestart() {
        Claim claim = Claim.exclusive(Scope.name("a"));
        long delay = Duration.ofSeconds(10).toNanos();
        LeaseRequest request = request(claim).withLockDelay(Duration.ofNanos(delay));
        long token = acquire(request, Round.NONE).token().value();
        LeaseTable restored = restoredFromWhatWasTold();
        long expiry = expiry(table);
        for (LeaseTable each : List.of(table, restored)) {
            each.advance(0, expiry - 1);
            assertThat(phase(each, token)).isEqualTo(Phase.RUNNING);
            each.advance(0, expiry);
            assertThat(phase(each, token)).isEqualTo(Phase.LINGERING);
            each.advance(0, expiry + delay - 1);
            assertThat(phase(each, token)).isEqualTo(Phase.LINGERING);
            each.advance(0, expiry + delay);
            assertThat(each.size()).isZero();
        }
    }

    @Test
    void aRequestForAnotherTtlIsNoRepeatAlsoAfterARestart() {
        LeaseRequest request = request(Claim.exclusive(Scope.name("a")));
        Grant grant = acquire(request, Round.NONE);
        LeaseRequest longer =
                LeaseRequest.of(request.id(), request.claim(), request.holder(), HOUR);
        for (LeaseTable each : List.of(table, restoredFromWhatWasTold())) {
            Answer other = new Answer();
            each.acquire(longer, now, other);
            assertThat(other.join()).isEqualTo(new Acquisition.Gone(RefusalReason.SCOPE_MISMATCH));
            Answer repeat = new Answer();
            each.acquire(request, now, repeat);
            assertThat(repeat.grant()).isEqualTo(grant);
        }
    }

    private static Phase phase(LeaseTable of, long token) {
        return Objects.requireNonNull(leases(of).get(token)).course().phase();
    }

    @Test
    void aLeaseWithoutALockDelayEndsByOneEntry() {
        acquire(request(Claim.exclusive(Scope.name("a"))), Round.NONE);
        long expiry = expiry(table);
        told.clear();
        table.advance(0, expiry);
        assertThat(told).hasSize(1).hasOnlyElementsOfType(TableEntry.Ended.class);
    }

    @Test
    void aRecordIsEnoughToKeepTheCounterAboveItsToken() {
        complete(Claim.exclusive(Scope.name("a")), HOUR);
        LeaseTable restored = empty();
        told.stream().filter(TableEntry.Kept.class::isInstance).forEach(restored::restore);
        assertThat(restored.size()).isEqualTo(1);
        assertThat(restored.lastToken()).isEqualTo(table.lastToken());
    }

    private LeaseTable restoredFromWhatWasTold() {
        LeaseTable restored = empty();
        told.forEach(restored::restore);
        return restored;
    }

    @Test
    void aLeaseThatNobodyRenewsIsLetRunAgainByOneStartOnly() {
        TableDriver driver = new TableDriver(1);
        Grant grant = driver.acquire(new RandomInputs(1).claim()).grant();
        long ttl = grant.ttl().toNanos();
        driver.pass(Duration.ofNanos(ttl / 2));
        driver.table.resume(0, driver.now());
        assertThat(expiry(driver.table)).isEqualTo(driver.now() + ttl);
        long carried = expiry(driver.table);
        driver.pass(Duration.ofNanos(ttl / 2));
        driver.table.resume(0, driver.now());
        assertThat(expiry(driver.table)).isEqualTo(carried);

        driver.table.renew(RenewalRequest.of(grant, grant.ttl()), driver.now());
        driver.pass(Duration.ofNanos(ttl / 2));
        driver.table.resume(0, driver.now());
        assertThat(expiry(driver.table)).isEqualTo(driver.now() + ttl);
    }

    @Test
    void onlyARenewalThatARestartMustKnowOfIsTold() {
        Answer answer = new Answer();
        table.acquire(new RandomInputs(1).request(), now, answer);
        Grant grant = answer.grant();
        told.clear();
        table.renew(RenewalRequest.of(grant, grant.ttl()), ++now);
        assertThat(told).as("the same ttl, in the first start").isEmpty();
        table.renew(RenewalRequest.of(grant, grant.ttl().plusNanos(1)), ++now);
        assertThat(told).as("a longer ttl").hasSize(1);
        table.renew(RenewalRequest.of(grant, grant.ttl()), ++now);
        assertThat(told).as("a shorter ttl").hasSize(1);
        table.resume(0, now);
        table.renew(RenewalRequest.of(grant, grant.ttl()), ++now);
        assertThat(told).as("the first after a start").hasSize(2);
        table.renew(RenewalRequest.of(grant, grant.ttl()), ++now);
        assertThat(told).as("the second after a start").hasSize(2);
    }

    private static LeaseTable empty() {
        return new LeaseTable(OPTIONS, 1, 0, LeaseTable.Listener.nobody());
    }

    private void step(RandomInputs inputs) {
        now += inputs.step(now, List::of);
        int choice = grants.isEmpty() ? 0 : inputs.below(10);
        if (choice < 3) {
            LeaseRequest request = inputs.oneIn(5) && !requests.isEmpty()
                    ? inputs.recent(requests)
                    : inputs.request();
            requests.add(request);
            Answer answer = new Answer();
            table.acquire(request, now, answer);
            answer.thenAccept(this::note);
            return;
        }
        Grant grant = inputs.recent(grants);
        switch (choice) {
            case 3, 4 -> table.renew(RenewalRequest.of(grant, inputs.ttl()), now);
            case 5 -> {
                if (table.rotate(grant, now) instanceof Rotation.Rotated rotated) {
                    grants.add(rotated.grant());
                }
            }
            case 6, 7 -> table.release(grant, now);
            case 8 -> table.complete(grant, LeaseRecord.of("r" + now), inputs.keepFor(), now);
            default -> table.withdraw(inputs.recent(requests), now);
        }
    }

    private void note(Acquisition answer) {
        if (answer instanceof Acquisition.Granted granted) {
            grants.add(granted.grant());
        }
    }

    private void assertSame(LeaseTable restored) {
        Map<Long, Leased> expected = leases(table);
        Map<Long, Leased> actual = leases(restored);
        assertThat(actual.keySet()).isEqualTo(expected.keySet());
        actual.forEach((token, lease) -> {
            Leased original = Objects.requireNonNull(expected.get(token));
            assertThat(withoutRenewals(lease)).isEqualTo(withoutRenewals(original));
            assertThat(lease.grant().ttl())
                    .isGreaterThanOrEqualTo(original.grant().ttl());
            assertThat(lease.course().expiry())
                    .isLessThanOrEqualTo(original.course().expiry());
        });
        assertThat(others(restored)).containsExactlyInAnyOrderElementsOf(others(table));
        assertThat(restored.lastToken()).isEqualTo(table.lastToken());
    }

    /** What a lease is but for its renewals, not all of which are told. */
    private static List<Object> withoutRenewals(Leased lease) {
        Course course = lease.course();
        return List.of(
                lease.grant().holding(),
                lease.grant().id(),
                lease.lockDelay(),
                lease.record(),
                course.grantedAt(),
                course.rotatedFrom(),
                course.phase());
    }

    private static long expiry(LeaseTable of) {
        return leases(of).values().iterator().next().course().expiry();
    }

    private static Map<Long, Leased> leases(LeaseTable of) {
        Map<Long, Leased> leases = new TreeMap<>();
        read(of, entry -> {
            if (entry instanceof Leased lease) {
                assertThat(leases.put(lease.grant().token().value(), lease)).isNull();
            }
        });
        return leases;
    }

    /** Records and what is remembered, but for what is over by now. */
    private List<TableEntry> others(LeaseTable of) {
        List<TableEntry> others = new ArrayList<>();
        read(of, entry -> {
            if (entry instanceof TableEntry.Kept kept && kept.until() > now) {
                others.add(kept);
            } else if (entry instanceof TableEntry.Ended ended
                    && now - ended.at() < RETRY_WINDOW.toNanos()) {
                others.add(ended);
            }
        });
        return others;
    }

    private static void read(LeaseTable of, Consumer<TableEntry> action) {
        TableCopy copy = of.copy();
        boolean more = true;
        while (more) {
            more = copy.read(100, action);
        }
    }
}
