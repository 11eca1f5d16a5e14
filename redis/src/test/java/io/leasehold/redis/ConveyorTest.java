// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.testkit.VirtualTime;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The conveyor against a hand-made call, on virtual time. */
final class ConveyorTest {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int MOST_QUEUED = 100_000;
    /** Calls within calls that no stack has room for. */
    private static final int DEEP = 20_000;

    /** A call that was made and is to be answered by the test. */
    private record Call(List<Operation> batch, CompletableFuture<List<Object>> arrival) {

        List<String> words() {
            return batch.stream()
                    .map(operation -> Wire.string(operation.words()[1]))
                    .toList();
        }

        /** Answers each operation with its own word. */
        void answer() {
            List<Object> answers = new ArrayList<>();
            batch.forEach(operation -> answers.add(List.of(operation.words()[1])));
            arrival.complete(answers);
        }
    }

    private final VirtualTime time = VirtualTime.create();
    private final List<Call> calls = new ArrayList<>();
    private final List<List<?>> deliveries = new ArrayList<>();
    private final AtomicInteger missed = new AtomicInteger();
    private final Conveyor.Extras extras = new Conveyor.Extras() {
        @Override
        public void deliver(List<?> fields) {
            deliveries.add(fields);
        }

        @Override
        public void missed() {
            missed.incrementAndGet();
        }
    };
    private final Conveyor conveyor =
            new Conveyor(this::call, () -> null, extras, time, PATIENCE, 2);

    private CompletionStage<List<Object>> call(List<Operation> batch) {
        Call call = new Call(batch, new CompletableFuture<>());
        calls.add(call);
        return call.arrival;
    }

    private CompletableFuture<List<Object>> send(int number) {
        return conveyor.send(operation(number));
    }

    private static Operation operation(int number) {
        return Operation.of('x', Wire.number(number));
    }

    private List<CompletableFuture<List<Object>>> sendAll(int from, int to) {
        return IntStream.range(from, to).mapToObj(this::send).toList();
    }

    /** It could stand in a write that the doubt would end. */
    @Test
    void theConnectionIsDoubtedBeforeMoreIsSentOnIt() {
        List<Integer> callsBefore = new ArrayList<>();
        Conveyor doubting = new Conveyor(
                this::call,
                () -> null,
                new Conveyor.Extras() {
                    @Override
                    public void deliver(List<?> fields) {}

                    @Override
                    public void missed() {
                        callsBefore.add(calls.size());
                    }
                },
                time,
                PATIENCE,
                1);
        doubting.send(operation(1));
        time.advance(PATIENCE.dividedBy(2));
        doubting.send(operation(2));

        time.advance(PATIENCE.dividedBy(2));

        assertThat(callsBefore).containsExactly(1);
        assertThat(calls).hasSize(2);
    }

    @Test
    void anOperationForWhichNoTimerCanBeHadFailsUnsentAndTheNextOneGoes() {
        TimersThatFail timers = new TimersThatFail(time);
        Conveyor starved = new Conveyor(this::call, () -> null, extras, timers, PATIENCE, 1);
        timers.fail = true;
        CompletableFuture<List<Object>> first = starved.send(operation(1));
        assertThat(calls).isEmpty();
        assertThatThrownBy(first::join).hasCauseInstanceOf(StoreUnavailableException.class);
        timers.fail = false;

        CompletableFuture<List<Object>> second = starved.send(operation(2));

        assertThat(calls).extracting(Call::words).containsExactly(List.of("2"));
        time.advance(PATIENCE);
        assertThat(second).isCompletedExceptionally();
        assertThatThrownBy(second::join).hasCauseInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void aLoneOperationGoesAtOnceAndIsAnswered() {
        CompletableFuture<List<Object>> answer = send(1);
        assertThat(calls).hasSize(1);
        assertThat(answer).isNotDone();
        calls.get(0).answer();
        assertThat(Wire.string(answer.join().get(0))).isEqualTo("1");
        assertNoTimerIsLeft();
    }

    @Test
    void twoCallsAreUnderWayAtMostAndWhatComesMeanwhileGoesTogether() {
        sendAll(1, 6);
        assertThat(calls).extracting(Call::words).containsExactly(List.of("1"), List.of("2"));
        calls.get(1).answer();
        assertThat(calls).hasSize(3);
        assertThat(calls.get(2).words()).containsExactly("3", "4", "5");
        send(6);
        assertThat(calls).hasSize(3);
        calls.get(0).answer();
        assertThat(calls).hasSize(4);
        assertThat(calls.get(3).words()).containsExactly("6");
    }

    @Test
    void whoWaitsAmongFewTakesACourierAndInACrowdGoesWithTheOthers() {
        List<Call> couriers = new ArrayList<>();
        AtomicInteger read = new AtomicInteger();
        Conveyor.Courier courier = new Conveyor.Courier() {
            @Override
            public CompletionStage<List<Object>> call(Operation operation) {
                Call call = new Call(List.of(operation), new CompletableFuture<>());
                couriers.add(call);
                return call.arrival;
            }

            @Override
            public void read() {
                read.incrementAndGet();
            }
        };
        Conveyor both = new Conveyor(this::call, () -> courier, extras, time, PATIENCE, 2);
        CompletableFuture<List<Object>> other = both.send(operation(0));
        List<CompletableFuture<List<Object>>> few = new ArrayList<>();
        for (int i = 1; i <= Conveyor.ALONE; i++) {
            few.add(both.sendWaiting(operation(i)));
        }
        assertThat(couriers).hasSize(Conveyor.ALONE);
        assertThat(read).hasValue(Conveyor.ALONE);
        CompletableFuture<List<Object>> oneTooMany = both.sendWaiting(operation(100));
        assertThat(couriers).hasSize(Conveyor.ALONE);
        assertThat(calls).extracting(Call::words).containsExactly(List.of("0"), List.of("100"));
        List.copyOf(couriers).forEach(Call::answer);
        calls.forEach(Call::answer);
        assertThat(few).allMatch(CompletableFuture::isDone);
        assertThat(List.of(other, oneTooMany)).allMatch(CompletableFuture::isDone);
        CompletableFuture<List<Object>> alone = both.sendWaiting(operation(101));
        couriers.get(Conveyor.ALONE).answer();
        assertThat(alone).isDone();
        assertNoTimerIsLeft();
    }

    @Test
    void theOrderIsKeptOverAllBatches() {
        List<CompletableFuture<List<Object>>> answers = sendAll(0, 1000);
        // grows while it is gone through
        for (int i = 0; i < calls.size(); i++) {
            assertThat(calls.get(i).batch.size()).isLessThanOrEqualTo(128);
            calls.get(i).answer();
        }
        assertThat(calls.stream().flatMap(call -> call.words().stream()))
                .containsExactlyElementsOf(
                        IntStream.range(0, 1000).mapToObj(Integer::toString).toList());
        for (int i = 0; i < 1000; i++) {
            assertThat(Wire.string(answers.get(i).join().get(0))).isEqualTo(Integer.toString(i));
        }
    }

    @Test
    void aBatchIsBoundedByWeight() {
        fillBothPlaces();
        conveyor.send(Operation.of('r', 500, Wire.number(3)));
        conveyor.send(Operation.of('r', 100, Wire.number(4)));
        conveyor.send(Operation.of('r', 28, Wire.number(5)));
        conveyor.send(Operation.of('r', 1, Wire.number(6)));
        calls.get(0).answer();
        calls.get(1).answer();
        assertThat(calls.get(2).words()).containsExactly("3");
        assertThat(calls.get(3).words()).containsExactly("4", "5");
    }

    @Test
    void aBatchIsBoundedByBytes() {
        fillBothPlaces();
        for (int i = 3; i < 6; i++) {
            conveyor.send(Operation.of('a', Wire.number(i), new byte[1 << 19]));
        }
        conveyor.send(Operation.of('a', Wire.number(6), new byte[1 << 21]));
        for (int i = 0; i < 5; i++) {
            calls.get(i).answer();
        }
        assertThat(calls.subList(2, 6))
                .extracting(Call::words)
                .containsExactly(List.of("3"), List.of("4"), List.of("5"), List.of("6"));
    }

    private void fillBothPlaces() {
        send(1);
        send(2);
        assertThat(calls).hasSize(2);
    }

    @Test
    void aFullQueueTurnsAwayWhatDidNotHappen() {
        fillBothPlaces();
        sendAll(0, MOST_QUEUED);
        assertFailed(send(7), StoreUnavailableException.class, "can't keep up");
        calls.get(0).answer();
        assertThat(send(8)).isNotDone();
    }

    @Test
    void withoutAnAnswerInTimeTheOutcomeIsUnknownAndThePlaceIsFree() {
        CompletableFuture<List<Object>> first = send(1);
        CompletableFuture<List<Object>> second = send(2);
        time.advance(PATIENCE.minusNanos(1));
        CompletableFuture<List<Object>> third = send(3);
        assertThat(first).isNotDone();
        time.advance(Duration.ofNanos(1));
        assertFailed(
                first, OutcomeUnknownException.class, "Redis did not answer in time: within PT5S");
        assertFailed(second, OutcomeUnknownException.class, "did not answer");
        assertThat(missed).hasValue(2);
        assertThat(calls).hasSize(3);
        // too late to count, and too late to do harm
        calls.get(0).answer();
        calls.get(2).answer();
        assertThat(third).isCompleted();
        assertNoTimerIsLeft();
    }

    @Test
    void whatCouldNotBeSentInTimeDidNotHappen() {
        sendAll(0, 3000);
        time.advance(PATIENCE.multipliedBy(2));
        assertThat(calls).hasSize(2);
        CompletableFuture<List<Object>> late = send(4000);
        assertThat(calls.get(2).words()).containsExactly("4000");
        calls.get(2).answer();
        assertThat(late).isCompleted();
    }

    @Test
    void whoeverWaitsBehindAServerThatDoesNotAnswerIsToldSo() {
        List<CompletableFuture<List<Object>>> answers = sendAll(0, 3000);
        time.advance(PATIENCE);
        assertFailed(answers.get(1), OutcomeUnknownException.class, "did not answer");
        for (CompletableFuture<List<Object>> answer : answers.subList(2, 3000)) {
            assertFailed(answer, StoreUnavailableException.class, "could not be sent");
        }
    }

    @Test
    void whatWasNotBegunIsSentAgain() {
        CompletableFuture<List<Object>> first = send(1);
        CompletableFuture<List<Object>> second = send(2);
        calls.get(0).arrival.complete(List.of(List.of(Wire.text("A"))));
        assertThat(first).isNotDone();
        assertThat(calls).hasSize(3);
        assertThat(calls.get(2).words()).containsExactly("1");
        calls.get(2).answer();
        assertThat(first).isCompleted();
        assertThat(second).isNotDone();
    }

    @Test
    void whatIsNotBegunAgainAndAgainIsSentWithPausesAndGivenUpInTheEnd() {
        CompletableFuture<List<Object>> answer = send(1);
        for (int answered = 0; answered < calls.size(); answered++) {
            calls.get(answered).arrival.complete(List.of(List.of(Wire.text("A"))));
            // from here on calls are only made when time passes
            if (answered > 10) {
                assertThat(calls).hasSize(answered + 1);
            }
            time.advance(Duration.ofMillis(100));
        }
        assertThat(calls.size()).isBetween(30, 100);
        assertFailed(answer, StoreUnavailableException.class, "overdue");
        assertNoTimerIsLeft();
    }

    @Test
    void whatASlotThatMovesRefusedIsSentAgain() {
        CompletableFuture<List<Object>> answer = send(1);
        for (int i = 0; i < 10; i++) {
            calls.get(calls.size() - 1)
                    .arrival
                    .completeExceptionally(new RedisCommandExecutionException(
                            "TRYAGAIN Multiple keys request during rehashing of slot"));
            assertThat(answer).isNotDone();
            time.advance(Duration.ofMillis(100));
        }
        assertThat(calls).hasSize(11);
        calls.get(10).answer();
        assertThat(answer).isCompleted();
    }

    @Test
    void whatFailedInTheScriptFailsAlone() {
        fillBothPlaces();
        List<CompletableFuture<List<Object>>> answers = sendAll(3, 6);
        calls.get(0).answer();
        calls.get(2)
                .arrival
                .complete(List.of(
                        List.of(Wire.text("E")),
                        List.of(Wire.text("!"), Wire.text("OOM command not allowed")),
                        List.of()));
        assertThat(answers.get(0)).isCompleted();
        assertFailed(answers.get(1), StoreUnavailableException.class, "OOM");
        assertThat(answers.get(2)).isCompletedWithValue(List.of());
    }

    @Test
    void aCallThatFailsFailsItsBatchAlone() {
        fillBothPlaces();
        CompletableFuture<List<Object>> third = send(3);
        calls.get(0).arrival.completeExceptionally(new IllegalStateException("broken"));
        assertThat(calls).hasSize(3);
        calls.get(1).answer();
        calls.get(2).answer();
        assertFailed(calls.get(0).batch.get(0).answer(), OutcomeUnknownException.class, "broken");
        assertThat(calls.get(1).batch.get(0).answer()).isCompleted();
        assertThat(third).isCompleted();
    }

    @Test
    void aCallThatThrowsFailsItsBatchAlone() {
        AtomicInteger made = new AtomicInteger();
        Conveyor throwing = new Conveyor(
                batch -> {
                    if (made.getAndIncrement() == 0) {
                        throw new IllegalStateException("shut down");
                    }
                    return call(batch);
                },
                () -> null,
                extras,
                time,
                PATIENCE,
                2);
        assertFailed(throwing.send(operation(1)), OutcomeUnknownException.class, "shut down");
        CompletableFuture<List<Object>> second = throwing.send(operation(2));
        calls.get(0).answer();
        assertThat(second).isCompleted();
    }

    @Test
    void answersThatCantBeReadLeaveNobodyWaiting() {
        CompletableFuture<List<Object>> first = send(1);
        calls.get(0).arrival.complete(List.of());
        assertFailed(first, OutcomeUnknownException.class, "can't be read");
        CompletableFuture<List<Object>> second = send(2);
        calls.get(1).arrival.complete(List.of("text"));
        assertFailed(second, OutcomeUnknownException.class, "can't be read");
        CompletableFuture<List<Object>> third = send(3);
        calls.get(2).answer();
        assertThat(third).isCompleted();
    }

    @Test
    void whatComesBesideTheAnswersIsDeliveredBeforeThem() {
        CompletableFuture<List<Object>> first = send(1);
        List<Integer> seen = new ArrayList<>();
        first.thenRun(() -> seen.add(deliveries.size()));
        calls.get(0).arrival.complete(List.of(List.of("E"), List.of("x"), List.of("y")));
        assertThat(deliveries).containsExactly(List.of("x"), List.of("y"));
        assertThat(seen).containsExactly(2);
    }

    @Test
    void closingAnswersEverythingThatWasNotSentAndAllThatComes() {
        List<CompletableFuture<List<Object>>> answers = sendAll(1, 500);
        StoreUnavailableException reason = new StoreUnavailableException("closed");
        conveyor.close(reason);
        conveyor.close(reason);
        for (CompletableFuture<List<Object>> answer : answers.subList(2, answers.size())) {
            assertFailed(answer, StoreUnavailableException.class, "closed");
        }
        assertFailed(send(1000), StoreUnavailableException.class, "closed");
        calls.get(0).answer();
        assertThat(answers.get(0)).isCompleted();
        calls.get(1).arrival.complete(List.of(List.of("A")));
        assertFailed(answers.get(1), StoreUnavailableException.class, "closed");
        assertThat(calls).hasSize(2);
    }

    @Test
    void callsThatFailAtOnceDoNotDeepenTheStack() {
        AtomicInteger answered = new AtomicInteger();
        Conveyor failing = new Conveyor(
                batch -> CompletableFuture.failedFuture(new IllegalStateException("no")),
                () -> null,
                extras,
                time,
                PATIENCE,
                2);
        sendNext(failing, answered);
        assertThat(answered).hasValue(DEEP);
    }

    private static void sendNext(Conveyor failing, AtomicInteger answered) {
        Operation operation = operation(1);
        operation.answer().whenComplete((done, error) -> {
            if (answered.incrementAndGet() < DEEP) {
                sendNext(failing, answered);
            }
        });
        failing.send(operation);
    }

    @Test
    void manyQueuedOperationsThatFailAtOnceDoNotDeepenTheStack() {
        fillBothPlaces();
        List<CompletableFuture<List<Object>>> answers = sendAll(0, MOST_QUEUED);
        calls.get(0).arrival.completeExceptionally(new IllegalStateException("no"));
        // grows while it is gone through
        for (int i = 1; i < calls.size(); i++) {
            calls.get(i).arrival.completeExceptionally(new IllegalStateException("no"));
        }
        assertThat(answers).allMatch(CompletableFuture::isCompletedExceptionally);
        assertNoTimerIsLeft();
    }

    private static void assertFailed(
            CompletableFuture<?> answer, Class<? extends Throwable> type, String words) {
        assertThat(answer).isCompletedExceptionally();
        assertThat(answer.handle((done, error) -> error).join())
                .isInstanceOf(type)
                .hasMessageContaining(words);
    }

    /** The one for all calls looks a last time, and is not set again. */
    private void assertNoTimerIsLeft() {
        assertThat(time.pendingTimers()).isLessThanOrEqualTo(1);
        time.advance(PATIENCE);
        assertThat(time.pendingTimers()).isZero();
    }
}
