// SPDX-License-Identifier: Apache-2.0
package io.leasehold.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.table.TableOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the store adds to the table: timers, delivery and its end. */
final class MemoryLeaseStoreTest {

    private static final Duration TTL = Duration.ofSeconds(2);
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Claim A = Claim.exclusive(Scope.name("a"));
    private static final Claim SPANNING =
            Claim.exclusive(Scope.name("a"), Scope.name("b"), Scope.inode(3));
    private static final LeaseRequest REQUEST =
            LeaseRequest.of(new LeaseId(9, 9), A, new Holder("h"), TTL);
    private static final Grant GRANT =
            new Grant(new Holding(A, REQUEST.holder(), new FencingToken(1)), REQUEST.id(), TTL);

    private final ManualTime time = new ManualTime();
    private final MemoryLeaseStore store = MemoryLeaseStore.create(TableOptions.defaults(), time);
    private long lastId;

    private CompletableFuture<Acquisition> acquire(Claim claim, Duration wait) {
        LeaseRequest request =
                LeaseRequest.of(new LeaseId(1, ++lastId), claim, new Holder("h"), TTL);
        return store.acquire(request.waitingAtMost(wait)).toCompletableFuture();
    }

    private static Grant grant(CompletableFuture<Acquisition> answer) {
        assertThat(answer).isCompleted();
        return ((Acquisition.Granted) answer.join()).grant();
    }

    @Test
    @SuppressWarnings("NullAway") // the mistake that is tested
    void aWaiterIsAnsweredThoughTheOperationThatServesItFails() {
        Grant unused = grant(acquire(A, Duration.ZERO));
        CompletableFuture<Acquisition> first = acquire(A, LONG);
        CompletableFuture<Acquisition> second = acquire(A, LONG);
        time.passUnnoticed(TTL);

        assertThatThrownBy(() -> store.check(Scope.name("a"), null))
                .isInstanceOf(NullPointerException.class);

        assertThat(first).isCompleted();
        time.pass(TTL);
        assertThat(second).isCompleted();
    }

    @Test
    void aWaiterIsAnsweredThoughNoTimerCanBeHadForTheNext() {
        Grant unused = grant(acquire(A, Duration.ZERO));
        CompletableFuture<Acquisition> first = acquire(A, LONG);
        CompletableFuture<Acquisition> second = acquire(A, LONG);
        time.noTimers = true;
        assertThatThrownBy(() -> time.pass(TTL)).isInstanceOf(InternalError.class);
        assertThat(first).isCompleted();

        time.noTimers = false;
        assertThat(store.check(Scope.name("a"), new FencingToken(1))).isCompleted();
        time.pass(TTL);
        assertThat(second).isCompleted();
    }

    @Test
    void aWaiterIsWokenWhenTheLeaseInFrontRunsOutAndNotBefore() {
        for (Claim claim : List.of(A, SPANNING)) {
            Grant first = grant(acquire(A, Duration.ZERO));
            CompletableFuture<Acquisition> waiter = acquire(claim, LONG);
            time.pass(TTL.minusNanos(1));
            assertThat(waiter).isNotDone();

            time.pass(Duration.ofNanos(1));

            assertThat(grant(waiter).token()).isGreaterThan(first.token());
            assertThat(time.timers()).isZero();
            time.pass(TTL);
        }
    }

    @Test
    void aRenewalKeepsTheWaiterWaiting() {
        Grant first = grant(acquire(A, Duration.ZERO));
        CompletableFuture<Acquisition> waiter = acquire(A, LONG);
        time.pass(TTL.dividedBy(2));
        assertThat(store.renew(RenewalRequest.of(first, TTL))).isCompleted();
        time.pass(TTL.minusNanos(1));
        assertThat(waiter).isNotDone();

        time.pass(Duration.ofNanos(1));

        assertThat(grant(waiter).token().value()).isEqualTo(2);
    }

    @Test
    void aWaitEndsByItselfAtItsTimeWithTheNameOfTheHolder() {
        Grant first = grant(acquire(A, Duration.ZERO));
        CompletableFuture<Acquisition> waiter = acquire(SPANNING, Duration.ofSeconds(1));
        time.pass(Duration.ofSeconds(1).minusNanos(1));
        assertThat(waiter).isNotDone();

        time.pass(Duration.ofNanos(1));

        assertThat(waiter).isCompleted();
        assertThat(((Acquisition.Held) waiter.join()).blocker()).isEqualTo(first.holding());
        assertThat(time.timers()).isZero();
    }

    @Test
    void noTimerIsSetWhileNobodyWaits() {
        Grant first = grant(acquire(A, LONG));
        assertThat(acquire(A, Duration.ZERO)).isCompleted();
        assertThat(time.timers()).isZero();
        assertThat(acquire(A, LONG)).isNotDone();
        assertThat(time.timers()).isEqualTo(1);

        assertThat(store.release(first)).isCompletedWithValue(new Ending.Ended());

        assertThat(time.timers()).isZero();
    }

    @Test
    void aListenerThatThrowsKeepsNoAnswerFromItsWaiter() {
        List<LeaseEvent> heard = new ArrayList<>();
        LeaseEvents.Subscription broken = store.subscribe(event -> {
            if (event.toString().contains("RELEASED")) {
                throw new Unprintable();
            }
        });
        LeaseEvents.Subscription sound = store.subscribe(heard::add);
        Grant first = grant(acquire(A, Duration.ZERO));
        CompletableFuture<Acquisition> waiter = acquire(A, LONG);

        assertThat(store.release(first)).isCompletedWithValue(new Ending.Ended());

        assertThat(grant(waiter).token().value()).isEqualTo(2);
        assertThat(heard).hasSize(3);
        broken.close();
        sound.close();
        sound.close();
        assertThat(store.release(grant(waiter))).isCompletedWithValue(new Ending.Ended());
        assertThat(heard).hasSize(3);
    }

    /** An error without a trace, which would only fill the log. */
    private static final class Unprintable extends Error {
        private static final long serialVersionUID = 1;

        Unprintable() {
            super("thrown by a test's listener", null, false, false);
        }
    }

    @Test
    void aListenerThatThrowsWhatItDoesNotDeclareStopsNothing() {
        List<LeaseEvent> heard = new ArrayList<>();
        List<LeaseEvent> heardByTheBroken = new ArrayList<>();
        store.subscribe(event -> {
            heardByTheBroken.add(event);
            Exception undeclared = new IOException("thrown by a test's listener");
            undeclared.setStackTrace(new StackTraceElement[0]);
            MemoryLeaseStoreTest.<RuntimeException>raise(undeclared);
        });
        store.subscribe(heard::add);
        Grant first = grant(acquire(A, Duration.ZERO));
        CompletableFuture<Acquisition> waiter = acquire(A, LONG);

        assertThat(store.release(first)).isCompletedWithValue(new Ending.Ended());

        assertThat(grant(waiter).token().value()).isEqualTo(2);
        assertThat(heard).hasSize(3).isEqualTo(heardByTheBroken);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void raise(Throwable undeclared) throws E {
        throw (E) undeclared;
    }

    @Test
    void aListenerThatFallsBehindIsToldHowMuchItMissed() {
        List<LeaseEvent> heard = new ArrayList<>();
        store.subscribe(event -> {
            heard.add(event);
            if (heard.size() == 1) { // what happens from here on waits for this listener to return
                for (int i = 0; i < 10_000; i++) {
                    assertThat(store.renew(RenewalRequest.of(GRANT, TTL))).isCompleted();
                }
            }
        });

        assertThat(store.acquire(REQUEST)).isCompleted();

        assertThat(heard).hasSize(1 + 8192 + 1).contains(new LeaseEvent.Missed(10_000 - 8192));
    }

    static Stream<Function<LeaseStore, CompletionStage<?>>> operations() {
        return Stream.of(
                store -> store.acquire(REQUEST),
                store -> store.withdraw(REQUEST),
                store -> store.renew(RenewalRequest.of(GRANT, TTL)),
                store -> store.renewAll(List.of(RenewalRequest.of(GRANT, TTL))),
                store -> store.rotate(GRANT),
                store -> store.release(GRANT),
                store -> store.complete(GRANT, LeaseRecord.of("x"), TTL),
                store -> store.list(LeaseQuery.all()));
    }

    @ParameterizedTest
    @MethodSource("operations")
    void aClosedStoreIsUnavailableToEveryOperation(
            Function<LeaseStore, CompletionStage<?>> operation) {
        store.close();
        store.close();

        assertThat(operation.apply(store).toCompletableFuture())
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingRootCause()
                .isInstanceOf(StoreUnavailableException.class)
                .withMessage("the memory store is closed");
    }

    @Test
    void closingAnswersEveryWaiterAndCancelsItsTimer() {
        assertThat(acquire(A, Duration.ZERO)).isCompleted();
        List<CompletableFuture<Acquisition>> waiters =
                List.of(acquire(A, LONG), acquire(SPANNING, LONG));

        store.close();

        assertThat(waiters)
                .allSatisfy(waiter -> assertThat(waiter)
                        .failsWithin(Duration.ZERO)
                        .withThrowableThat()
                        .withCauseInstanceOf(StoreUnavailableException.class));
        assertThat(time.timers()).isZero();
    }
}
