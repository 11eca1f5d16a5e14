// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

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
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls that meet the withdrawal of their own request, in virtual time. */
final class TakenBackTest {

    private static final Duration GRACE = Duration.ofSeconds(5);
    private static final Principal ANYONE =
            Access.open().identify(RequestHeaders.of(HttpMethod.GET, "/"), null);

    private final VirtualTime time = VirtualTime.create();
    private final LeaseStore memory = MemoryLeaseStore.create(TableOptions.defaults(), time);
    private final FlakyWithdrawals store =
            new FlakyWithdrawals(memory, withdrawal -> this.fate.of(withdrawal));
    private final Acquires acquires =
            new Acquires(time, GRACE, OperationsOptions.Acquires.of(3), new SplittableRandom(18));
    private FlakyWithdrawals.Fate fate = Supplier::get;

    @AfterEach
    void whatIsOverTakesNoMemory() {
        assertThat(acquires.bytes() == 0).isEqualTo(acquires.count() == 0);
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

    private Grant tell(LeaseRequest request) {
        return tell(acquires, request);
    }

    private Grant tell(Acquires server, LeaseRequest request) {
        Delivery told = new Delivery();
        Grant grant = granted(acquire(server, told, request));
        told.delivered();
        return grant;
    }

    private static Grant granted(CompletableFuture<Acquisition> answer) {
        assertThat(answer).isCompleted();
        return ((Acquisition.Granted) answer.join()).grant();
    }

    private void release(Grant grant) {
        assertThat(memory.release(grant).toCompletableFuture().join())
                .isInstanceOf(Ending.Ended.class);
    }

    private void assertHeld() {
        assertThat(memory.acquire(request(98).waitingAtMost(Duration.ZERO))
                        .toCompletableFuture()
                        .join())
                .isInstanceOf(Acquisition.Held.class);
    }

    private static void assertUnknown(CompletableFuture<Acquisition> answer) {
        assertThat(answer)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(OutcomeUnknownException.class);
    }

    private CompletionStage<Ending> first(
            Runnable task, Supplier<CompletionStage<Ending>> withdrawal) {
        fate = Supplier::get;
        task.run();
        return withdrawal.get();
    }

    @Test
    void aRepeatThatIsToldWhileItsRequestIsBeingTakenBackKeepsTheLease() {
        Delivery lost = new Delivery();
        granted(acquire(lost, request(2)));
        lost.lost();
        List<Grant> told = new ArrayList<>();
        fate = withdrawal -> first(() -> told.add(tell(request(2))), withdrawal);
        time.advance(GRACE.multipliedBy(3));
        assertThat(told).hasSize(1);
        assertHeld();
        release(told.get(0));
        assertThat(acquires.count()).isZero();
    }

    @Test
    void aRepeatThatComesWhileItsRequestIsBeingTakenBackKeepsItsPlace() {
        Grant holder = tell(request(1));
        Delivery lost = new Delivery();
        acquire(lost, request(2));
        CompletableFuture<Acquisition> behind = acquire(new Delivery(), request(3));
        lost.lost();
        List<CompletableFuture<Acquisition>> repeats = new ArrayList<>();
        fate = withdrawal ->
                first(() -> repeats.add(acquire(new Delivery(), request(2))), withdrawal);
        time.advance(GRACE.multipliedBy(3));
        assertThat(repeats).hasSize(1);
        release(holder);
        release(granted(repeats.get(0)));
        granted(behind);
    }

    @Test
    void aRepeatThatComesAfterItsRequestWasTakenBackWaitsAnew() {
        Grant holder = tell(request(1));
        Delivery lost = new Delivery();
        acquire(lost, request(2));
        lost.lost();
        List<CompletableFuture<Acquisition>> repeats = new ArrayList<>();
        fate = withdrawal -> {
            fate = Supplier::get;
            CompletionStage<Ending> ending = withdrawal.get();
            repeats.add(acquire(new Delivery(), request(2)));
            return ending;
        };
        time.advance(GRACE.multipliedBy(3));
        release(holder);
        granted(repeats.get(0));
    }

    @Test
    void aRepeatThatIsLostTakesNothingFromOneThatWasToldDuringAWithdrawal() {
        Delivery lost = new Delivery();
        granted(acquire(lost, request(2)));
        lost.lost();
        CompletableFuture<Ending> pending = new CompletableFuture<>();
        fate = withdrawal -> pending;
        time.advance(GRACE);
        Grant told = tell(request(2));
        Delivery late = new Delivery();
        granted(acquire(late, request(2)));
        late.lost();
        fate = Supplier::get;
        pending.completeExceptionally(new OutcomeUnknownException("the connection broke"));
        time.advance(GRACE.multipliedBy(3));
        assertHeld();
        release(told);
        assertThat(acquires.count()).isZero();
    }

    @Test
    void noCallJoinsARequestWhoseCallerWasToldOfTheLease() {
        LeaseRequest request = request(2).sentBy(7);
        AcquireRoom.Place place =
                new AcquireRoom(1 << 20).take(new Caller(ANYONE, new Delivery()), request);
        AcquireCalls calls = new AcquireCalls(
                store, request, new AcquireCalls.Surroundings(time, GRACE, place, empty -> {}));
        AcquireCalls.Call told = new AcquireCalls.Call();
        assertThat(calls.join(told)).isTrue();
        calls.answered(told, store.acquire(request).toCompletableFuture().join(), null);
        calls.told(told);
        assertThat(calls.join(new AcquireCalls.Call())).isFalse();
    }

    @Test
    void aRequestThatIsBeingTakenBackCountsForTheLimitAlsoWhenItCameAgain() {
        Grant holder = tell(request(1));
        Delivery lost = new Delivery();
        acquire(lost, request(2));
        lost.lost();
        CompletableFuture<Ending> pending = new CompletableFuture<>();
        fate = withdrawal -> pending;
        time.advance(GRACE);
        acquire(new Delivery(), request(2));
        assertThat(acquires.count()).isEqualTo(2);
        assertThat(acquires.calls()).isEqualTo(2);
        fate = Supplier::get;
        pending.completeExceptionally(new OutcomeUnknownException("the connection broke"));
        time.advance(GRACE);
        assertThat(acquires.count()).isEqualTo(1);
        release(holder);
    }

    // ---- at a stop

    @Test
    void aStopDoesNotTakeBackALeaseThatACallerIsBeingTold() {
        Grant holder = tell(request(1));
        CompletableFuture<Acquisition> first = acquire(new Delivery(), request(2));
        CompletableFuture<Acquisition> second = acquire(new Delivery(), request(2));
        CompletableFuture<?> unused = CompletableFuture.anyOf(first, second)
                .thenRun(acquires::turnAway); // when one is answered and the other is not
        release(holder);
        assertHeld();
        Grant grant = granted(first);
        assertThat(granted(second)).isEqualTo(grant);
        release(grant);
    }

    @Test
    void aRepeatThatIsToldElsewhereWhileAStopTakesItsRequestBackKeepsTheLease() {
        Acquires other = new Acquires(
                time, GRACE, OperationsOptions.Acquires.of(3), new SplittableRandom(19));
        Grant holder = tell(request(1));
        CompletableFuture<Acquisition> waiting = acquire(new Delivery(), request(2));
        List<Grant> told = new ArrayList<>();
        fate = withdrawal -> first(
                () -> {
                    release(holder);
                    told.add(tell(other, request(2)));
                },
                withdrawal);
        acquires.turnAway();
        assertThat(told).hasSize(1);
        assertHeld();
        assertThat(granted(waiting)).isEqualTo(told.get(0));
    }

    @Test
    void aGrantIsUnknownWhileTheWithdrawalOfAStopHasNoAnswer() {
        Grant holder = tell(request(1));
        CompletableFuture<Acquisition> waiting = acquire(new Delivery(), request(2));
        List<Supplier<CompletionStage<Ending>>> underWay = new ArrayList<>();
        fate = withdrawal -> {
            underWay.add(withdrawal);
            return new CompletableFuture<>();
        };
        acquires.turnAway();
        release(holder);
        assertThat(waiting).isNotDone();
        time.advance(Duration.ofSeconds(10));
        assertUnknown(waiting);
        assertThat(underWay.get(0).get().toCompletableFuture().join())
                .isInstanceOf(Ending.Ended.class);
    }

    /** The lock is free, and nobody waits for it. */
    private void assertFree() {
        assertThat(memory.acquire(request(99).waitingAtMost(Duration.ZERO))
                        .toCompletableFuture()
                        .join())
                .isInstanceOf(Acquisition.Granted.class);
    }

    private static void assertTurnedAway(CompletableFuture<Acquisition> answer) {
        assertThat(answer)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(StoreUnavailableException.class);
    }

    /** A stop begins when the server is about to ask the store, once. */
    private void stopBeforeTheStoreIsAsked() {
        store.acquiring = acquire -> {
            store.acquiring = Supplier::get;
            acquires.turnAway();
            return acquire.get();
        };
    }

    @Test
    void aRequestThatIsOnItsWayToTheStoreWhenAStopBeginsIsTurnedAway() {
        Grant holder = tell(request(1));
        stopBeforeTheStoreIsAsked();
        CompletableFuture<Acquisition> waiting = acquire(new Delivery(), request(2));
        assertTurnedAway(waiting);
        release(holder);
        assertFree();
    }

    @Test
    void aRepeatThatIsOnItsWayToTheStoreWhenAStopBeginsIsTurnedAwayWithItsRequest() {
        Grant holder = tell(request(1));
        CompletableFuture<Acquisition> waiting = acquire(new Delivery(), request(2));
        stopBeforeTheStoreIsAsked();
        CompletableFuture<Acquisition> repeat = acquire(new Delivery(), request(2));
        assertTurnedAway(waiting);
        assertTurnedAway(repeat);
        release(holder);
        assertFree();
    }

    @Test
    void noRequestIsTakenOnceAStopHasBegun() {
        acquires.turnAway();
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> acquire(new Delivery(), request(2)));
        assertFree();
    }

    @Test
    void aRequestThatFailsInTheStoreWhileAStopBeginsKeepsNoOtherFromBeingTurnedAway() {
        Grant holder = tell(request(1));
        CompletableFuture<Acquisition> waiting = acquire(new Delivery(), request(2));
        store.acquiring = acquire -> {
            acquires.turnAway();
            throw new IllegalStateException("a defect of the store");
        };
        assertThatIllegalStateException().isThrownBy(() -> acquire(new Delivery(), request(2)));
        assertTurnedAway(waiting);
        release(holder);
        assertFree();
    }

    // ---- many calls for one lease

    @Test
    void ofManyCallsForOneLeaseThatTheStoreKeepsWaitingTheOldestGiveWay() {
        List<CompletableFuture<Acquisition>> asked = new ArrayList<>();
        List<CompletableFuture<Acquisition>> answers = new ArrayList<>();
        store.acquiring = acquire -> {
            answers.add(new CompletableFuture<>());
            return answers.get(answers.size() - 1);
        };
        int most = AcquireCalls.MOST_WAITING;
        for (int i = 0; i < most + 4; i++) {
            asked.add(acquire(new Delivery(), request(2)));
        }
        asked.subList(0, 4).forEach(TakenBackTest::assertUnknown);
        assertThat(asked.subList(4, most + 4)).noneMatch(CompletableFuture::isDone);
        Acquisition granted = memory.acquire(request(2)).toCompletableFuture().join();
        answers.forEach(answer -> answer.complete(granted));
        asked.subList(4, most + 4).forEach(TakenBackTest::granted);
    }
}
