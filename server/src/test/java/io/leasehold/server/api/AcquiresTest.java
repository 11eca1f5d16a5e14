// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.RequestHeaders;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.server.access.Access;
import io.leasehold.server.access.Principal;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of acquires without a caller, in virtual time. */
final class AcquiresTest {

    private static final Duration GRACE = Duration.ofSeconds(5);
    private static final Principal ANYONE =
            Access.open().identify(RequestHeaders.of(HttpMethod.GET, "/"), null);

    private final VirtualTime time = VirtualTime.create();
    private final LeaseStore store = MemoryLeaseStore.create(TableOptions.defaults(), time);
    private final SplittableRandom random = new SplittableRandom(18);
    private final Acquires acquires = server();
    private final Delivery never = new Delivery();
    private final Grant holder = holder();

    @AfterEach
    void whatIsOverTakesNoMemory() {
        assertThat(acquires.bytes() == 0).isEqualTo(acquires.count() == 0);
    }

    private Acquires server() {
        return new Acquires(time, GRACE, OperationsOptions.Acquires.of(3), random);
    }

    private Grant holder() {
        Delivery told = new Delivery();
        Grant grant = granted(acquire(told, request(1)));
        told.delivered();
        return grant;
    }

    private static LeaseRequest request(long id) {
        return LeaseRequest.of(
                        new LeaseId(0, id),
                        Claim.exclusive(Scope.name("lock")),
                        new Holder("test"),
                        Duration.ofMinutes(10))
                .waitingAtMost(Duration.ofMinutes(5));
    }

    private CompletableFuture<Acquisition> acquire(Delivery delivery, LeaseRequest request) {
        return acquire(acquires, delivery, request);
    }

    private CompletableFuture<Acquisition> acquire(
            Acquires server, Delivery delivery, LeaseRequest request) {
        return server.acquire(
                        new Caller(ANYONE, delivery), new Acquires.Order("default", store, request))
                .toCompletableFuture();
    }

    private static Grant granted(CompletableFuture<Acquisition> answer) {
        assertThat(answer).isCompleted();
        return ((Acquisition.Granted) answer.join()).grant();
    }

    private void release(Grant grant) {
        assertThat(store.release(grant).toCompletableFuture().join())
                .isInstanceOf(Ending.Ended.class);
    }

    private void renew(Grant grant, Duration ttl) {
        assertThat(store.renew(RenewalRequest.of(grant, ttl))
                        .toCompletableFuture()
                        .join())
                .isInstanceOf(Renewal.Renewed.class);
    }

    private void assertHeld() {
        assertThat(store.acquire(request(98).waitingAtMost(Duration.ZERO))
                        .toCompletableFuture()
                        .join())
                .isInstanceOf(Acquisition.Held.class);
    }

    /** The lock is free, which only one may find out. */
    private void assertFree() {
        assertThat(store.acquire(request(99).waitingAtMost(Duration.ZERO))
                        .toCompletableFuture()
                        .join())
                .isInstanceOf(Acquisition.Granted.class);
    }

    @Test
    void aWaiterWhoseCallerIsGoneIsTakenBackExactlyAfterTheGrace() {
        Delivery gone = new Delivery();
        CompletableFuture<Acquisition> waiting = acquire(gone, request(2));
        gone.lost();
        time.advance(GRACE.minusNanos(1));
        assertThat(waiting).isNotDone();
        time.advance(Duration.ofNanos(1));
        assertThat(waiting.join()).isInstanceOf(Acquisition.Gone.class);
        release(holder);
        assertFree();
        assertThat(acquires.count()).isZero();
    }

    @Test
    void aCallerThatIsGoneAlreadyIsNotWaitedFor() {
        Delivery gone = new Delivery();
        gone.lost();
        CompletableFuture<Acquisition> waiting = acquire(gone, request(2));
        time.advance(GRACE);
        assertThat(waiting.join()).isInstanceOf(Acquisition.Gone.class);
    }

    @Test
    void aRepeatWithinTheGraceKeepsThePlace() {
        Delivery gone = new Delivery();
        acquire(gone, request(2));
        CompletableFuture<Acquisition> behind = acquire(never, request(3));
        gone.lost();
        time.advance(GRACE.minusNanos(1));
        CompletableFuture<Acquisition> repeated = acquire(never, request(2));
        time.advance(GRACE.multipliedBy(3));
        release(holder);
        release(granted(repeated));
        granted(behind);
    }

    @Test
    void aRepeatBeforeTheFirstCallersEndIsNotTakenBackWithIt() {
        Delivery gone = new Delivery();
        acquire(gone, request(2));
        CompletableFuture<Acquisition> repeated = acquire(never, request(2));
        gone.lost();
        time.advance(GRACE.multipliedBy(3));
        release(holder);
        release(granted(repeated));
    }

    @Test
    void aRepeatWhoseCallerIsGoneTooIsTakenBack() {
        Delivery first = new Delivery();
        Delivery second = new Delivery();
        acquire(first, request(2));
        CompletableFuture<Acquisition> repeated = acquire(second, request(2));
        first.lost();
        second.lost();
        time.advance(GRACE);
        assertThat(repeated.join()).isInstanceOf(Acquisition.Gone.class);
    }

    @Test
    void aGrantThatWasToldIsNotTakenBackWithARepeatThatIsLost() {
        time.advance(Duration.ofSeconds(1));
        Delivery lost = new Delivery();
        assertThat(granted(acquire(lost, request(1)))).isEqualTo(holder);
        lost.lost();
        time.advance(GRACE.multipliedBy(3));
        release(holder);
        assertFree();
    }

    @Test
    void aGrantThatCameAfterItsCallersEndIsTakenBack() {
        Delivery gone = new Delivery();
        CompletableFuture<Acquisition> waiting = acquire(gone, request(2));
        gone.lost();
        release(holder);
        granted(waiting);
        time.advance(GRACE);
        assertFree();
    }

    @Test
    void aGrantThatCameAfterItsCallersEndIsThereForARepeat() {
        Delivery gone = new Delivery();
        acquire(gone, request(2));
        gone.lost();
        release(holder);
        Grant grant = granted(acquire(never, request(2)));
        time.advance(GRACE.multipliedBy(3));
        release(grant);
    }

    @Test
    void aGrantThatWasAnsweredButNeverSentIsTakenBack() {
        Delivery delivery = new Delivery();
        release(holder);
        granted(acquire(delivery, request(2)));
        delivery.lost();
        time.advance(GRACE);
        assertFree();
        assertThat(acquires.count()).isZero();
    }

    @Test
    void aGrantThatWasSentStays() {
        Delivery delivery = new Delivery();
        release(holder);
        Grant grant = granted(acquire(delivery, request(2)));
        delivery.delivered();
        delivery.lost();
        time.advance(GRACE.multipliedBy(3));
        release(grant);
        assertThat(acquires.count()).isZero();
    }

    @Test
    void anUnsentGrantThatWasRepeatedAndSentStays() {
        Delivery unsent = new Delivery();
        release(holder);
        granted(acquire(unsent, request(2)));
        Delivery sent = new Delivery();
        Grant grant = granted(acquire(sent, request(2)));
        sent.delivered();
        unsent.lost();
        time.advance(GRACE.multipliedBy(3));
        release(grant);
    }

    @Test
    void lockRequestsAreCountedByTheirIdAndNotByTheirCalls() {
        Delivery gone = new Delivery();
        acquire(gone, request(2));
        for (int i = 0; i < 10; i++) {
            acquire(never, request(3));
        }
        acquire(never, request(4));
        assertThatExceptionOfType(CallFailedException.class)
                .isThrownBy(() -> acquire(never, request(5)))
                .satisfies(refused ->
                        assertThat(refused.failure().getLimit()).isEqualTo("acquires under way"));
        acquire(never, request(4));
        gone.lost();
        time.advance(GRACE);
        assertThat(acquire(never, request(5))).isNotDone();
    }

    @Test
    void callsWhoseCallersAreGoneDoNotGatherWhileAnotherCallerWaits() {
        acquire(never, request(2));
        for (int i = 0; i < 1000; i++) {
            Delivery gone = new Delivery();
            acquire(gone, request(2));
            gone.lost();
        }
        // the one who waits, the 16 that the store keeps, and one for all that it gave up
        assertThat(acquires.calls()).isLessThanOrEqualTo(18);
    }

    // ---- takes back only what nobody has

    @Test
    void aWaiterThatWentOnAtAnotherServerKeepsWhatItGotThere() {
        Acquires other = server();
        Delivery broken = new Delivery();
        acquire(broken, request(2));
        CompletableFuture<Acquisition> goesOn = acquire(other, new Delivery(), request(2));
        broken.lost();
        time.advance(GRACE.dividedBy(2));
        release(holder);
        Grant grant = granted(goesOn);
        time.advance(GRACE.multipliedBy(3));
        assertHeld();
        release(grant);
    }

    @Test
    void aWaiterThatWentOnAtAnotherServerKeepsItsPlaceThere() {
        Acquires other = server();
        Delivery broken = new Delivery();
        acquire(broken, request(2));
        CompletableFuture<Acquisition> goesOn = acquire(other, new Delivery(), request(2));
        broken.lost();
        time.advance(GRACE.multipliedBy(3));
        assertThat(goesOn).isNotDone();
        release(holder);
        granted(goesOn);
    }

    @Test
    void aCopyThatHangsUpTakesNothingFromTheOneThatWasTold() {
        Delivery told = new Delivery();
        Delivery copy = new Delivery();
        CompletableFuture<Acquisition> first = acquire(told, request(2));
        acquire(copy, request(2));
        release(holder);
        Grant grant = granted(first);
        told.delivered();
        copy.lost();
        time.advance(GRACE.multipliedBy(3));
        assertHeld();
        release(grant);
        assertThat(acquires.count()).isZero();
    }

    @Test
    void aCopyThatHungUpTakesNothingFromTheOneThatStillWaits() {
        Delivery copy = new Delivery();
        CompletableFuture<Acquisition> first = acquire(new Delivery(), request(2));
        acquire(copy, request(2));
        copy.lost();
        time.advance(GRACE.multipliedBy(3));
        assertThat(first).isNotDone();
        release(holder);
        granted(first);
    }

    @Test
    void aLateRepeatTakesNothingFromALeaseThatWasRenewedForLessThanItsTtl() {
        Delivery told = new Delivery();
        release(holder);
        Grant grant = granted(acquire(told, request(2)));
        told.delivered();
        renew(grant, Duration.ofMinutes(10).minusSeconds(1));
        Delivery late = new Delivery();
        granted(acquire(late, request(2)));
        late.lost();
        time.advance(GRACE.multipliedBy(3));
        assertHeld();
        release(grant);
    }

    @Test
    void aLeaseThatWasRenewedIsNotTakenBackThoughItsAnswerSeemedLost() {
        Delivery lost = new Delivery();
        release(holder);
        Grant grant = granted(acquire(lost, request(2)));
        lost.lost();
        renew(grant, grant.ttl());
        time.advance(GRACE.multipliedBy(3));
        assertHeld();
        release(grant);
    }

    @Test
    void aWithdrawalThatFailedIsRepeatedUntilItIsAnswered() {
        Delivery gone = new Delivery();
        AtomicInteger failures = new AtomicInteger(5);
        LeaseStore flaky = new FlakyWithdrawals(store, failures);
        CompletableFuture<Acquisition> waiting = acquires.acquire(
                        new Caller(ANYONE, gone), new Acquires.Order("default", flaky, request(2)))
                .toCompletableFuture();
        gone.lost();
        time.advance(Duration.ofMinutes(3));
        assertThat(waiting).isCompleted();
        assertThat(waiting.join()).isInstanceOf(Acquisition.Gone.class);
        assertThat(failures).hasNonPositiveValue();
        release(holder);
        assertFree();
        assertThat(acquires.count()).isZero();
    }

    @Test
    void whoIsTurnedAwayWhileTheWithdrawalFailsIsToldThatItIsUnknown() {
        LeaseStore flaky = new FlakyWithdrawals(store, new AtomicInteger(1));
        CompletableFuture<Acquisition> waiting = acquires.acquire(
                        new Caller(ANYONE, new Delivery()),
                        new Acquires.Order("default", flaky, request(2)))
                .toCompletableFuture();
        acquires.turnAway();
        assertThat(waiting)
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void whoGoesOnAtAnotherServerIsNotTurnedAwayThere() {
        Acquires other = server();
        CompletableFuture<Acquisition> here = acquire(new Delivery(), request(2));
        CompletableFuture<Acquisition> there = acquire(other, new Delivery(), request(2));
        acquires.turnAway();
        assertThat(here)
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(OutcomeUnknownException.class);
        assertThat(there).isNotDone();
        release(holder);
        granted(there);
    }

    @Test
    void whoWaitsIsTurnedAwayAtAStopAndNothingIsGrantedToThem() {
        CompletableFuture<Acquisition> waiting = acquire(never, request(2));
        acquires.turnAway();
        assertThat(waiting).isCompletedExceptionally();
        assertThat(waiting.handle((answer, failure) -> failure).join())
                .satisfiesAnyOf(
                        failure ->
                                assertThat(failure).isInstanceOf(StoreUnavailableException.class),
                        failure -> assertThat(failure)
                                .isInstanceOf(CompletionException.class)
                                .hasCauseInstanceOf(StoreUnavailableException.class));
        release(holder);
        assertFree();
    }
}
