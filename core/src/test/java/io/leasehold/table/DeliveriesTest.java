// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.Scope;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.Time;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** In which order answers and events leave a store, and on whose thread. */
final class DeliveriesTest {

    private final Queue<Runnable> turns = new ArrayDeque<>();
    private final Queue<Runnable> answerTurns = new ArrayDeque<>();
    private final Deliveries deliveries = new Deliveries(answerTurns::add, turns::add);
    private final List<Object> seen = new ArrayList<>();

    private static LeaseEvent event(long token) {
        return new LeaseEvent.Changed(
                LeaseEvent.Change.GRANTED,
                new Holding(
                        Claim.exclusive(Scope.name("a")),
                        new Holder("h"),
                        new FencingToken(token)));
    }

    private static long number(LeaseEvent event) {
        return event instanceof LeaseEvent.Changed changed
                ? changed.holding().token().value()
                : 0;
    }

    private void happen(long... numbers) {
        for (long number : numbers) {
            deliveries.on(event(number));
        }
        deliveries.flush();
    }

    private void takeTurns() {
        while (!turns.isEmpty()) {
            turns.remove().run();
        }
    }

    @Test
    void answersGoOutBeforeEventsThatHappenedEarlier() {
        Deliveries direct = new Deliveries();
        direct.subscribe(event -> seen.add(number(event)));
        direct.on(event(1));
        direct.answer(() -> seen.add("answer"));
        direct.on(event(2));

        direct.flush();

        assertThat(seen).containsExactly("answer", 1L, 2L);
    }

    @Test
    void whatADependentOfAnAnswerCausesIsDeliveredBehindTheAnswersThatAreThere() {
        Deliveries direct = new Deliveries();
        direct.subscribe(event -> seen.add(number(event)));
        direct.answer(() -> {
            direct.on(event(1));
            direct.answer(() -> seen.add("third"));
            direct.flush();
            seen.add("first");
        });
        direct.answer(() -> seen.add("second"));

        direct.flush();

        assertThat(seen).containsExactly("first", "second", "third", 1L);
    }

    @Test
    void anAnswerThatCanNotBeDeliveredDoesNotKeepBackTheOthers() {
        deliveries.answer(() -> {
            throw new NoClassDefFoundError("on purpose");
        });
        deliveries.answer(() -> seen.add("second"));
        deliveries.flush();
        deliveries.answer(() -> seen.add("third"));
        deliveries.flush();

        assertThat(seen).containsExactly("second", "third");
    }

    private void answer(Deliveries to, int from, int upTo) {
        for (int number = from; number <= upTo; number++) {
            long mine = number;
            to.answer(() -> seen.add(mine));
        }
    }

    @Test
    void aThreadDeliversABoundedNumberOfAnswersAndLeavesTheRestToAnother() {
        answer(deliveries, 1, 600);
        deliveries.flush();

        assertThat(seen).hasSize(256);
        assertThat(deliveries.isDeliveredByThisThread()).isFalse();
        assertThat(answerTurns).hasSize(1);
        answer(deliveries, 601, 601);
        deliveries.flush();
        assertThat(seen).as("somebody else is at it").hasSize(256);
        answerTurns.remove().run();
        assertThat(seen).hasSize(512);
        answerTurns.remove().run();
        assertThat(seen).isEqualTo(LongStream.rangeClosed(1, 601).boxed().toList());
        assertThat(answerTurns).isEmpty();
        answer(deliveries, 602, 602);
        deliveries.flush();
        assertThat(seen).endsWith(602L);
    }

    @Test
    void whenNoThreadCanBeHadTheCallerDeliversAllAnswers() {
        Queue<Runnable> takenIn = new ArrayDeque<>();
        Deliveries starved = new Deliveries(
                turn -> {
                    takenIn.add(turn);
                    throw new RejectedExecutionException("on purpose");
                },
                turns::add);
        answer(starved, 1, 399);
        starved.answer(() -> {
            takenIn.remove().run(); // there is a thread again, and nothing left for it to do
            seen.add(400L);
        });
        answer(starved, 401, 600);

        starved.flush();

        assertThat(seen).isEqualTo(LongStream.rangeClosed(1, 600).boxed().toList());
    }

    @Test
    void onATimeOfATestTheCallerDeliversAllAnswers() {
        Deliveries direct = new Deliveries();
        answer(direct, 1, 600);

        direct.flush();

        assertThat(seen).hasSize(600);
    }

    @Test
    void eventsAreNotToldByTheThreadThatCausedThem() {
        deliveries.subscribe(event -> seen.add(number(event)));
        deliveries.answer(() -> seen.add("answer"));

        happen(1, 2);

        assertThat(seen).containsExactly("answer");
        takeTurns();
        assertThat(seen).containsExactly("answer", 1L, 2L);
    }

    @Test
    void eventsAreToldInBoundedTurnsAndInOrder() {
        deliveries.subscribe(event -> seen.add(number(event)));
        happen(LongStream.rangeClosed(1, 600).toArray());
        happen(601);

        assertThat(turns).as("one at a time").hasSize(1);
        turns.remove().run();
        assertThat(seen).hasSize(256);
        assertThat(turns).as("one at a time").hasSize(1);
        takeTurns();
        assertThat(seen).isEqualTo(LongStream.rangeClosed(1, 601).boxed().toList());
        happen(602);
        takeTurns();
        assertThat(seen).endsWith(602L);
    }

    @Test
    void anErrorOfTheMachineIsThrownWhenEverybodyHasBeenToldAndNothingIsLost() {
        deliveries.subscribe(event -> {
            seen.add("broken " + number(event));
            if (number(event) == 1) {
                Error error = new OutOfMemoryError("thrown by a test's listener");
                error.setStackTrace(new StackTraceElement[0]);
                throw error;
            }
        });
        deliveries.subscribe(event -> seen.add(number(event)));
        happen(1, 2);

        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> turns.remove().run());

        assertThat(seen).containsExactly("broken 1", 1L);
        takeTurns();
        assertThat(seen).containsExactly("broken 1", 1L, "broken 2", 2L);
    }

    @Test
    void aSubscriptionThatIsClosedWithinAnEventIsNotToldOfIt() {
        List<LeaseEvents.Subscription> other = new ArrayList<>();
        deliveries.subscribe(event -> other.forEach(LeaseEvents.Subscription::close));
        other.add(deliveries.subscribe(event -> seen.add(number(event))));

        happen(1, 2);
        takeTurns();

        assertThat(seen).isEmpty();
    }

    @Test
    void aListenerIsNotToldOfWhatHappenedBeforeItSubscribed() {
        deliveries.subscribe(event -> {});
        happen(1);
        deliveries.subscribe(event -> seen.add(number(event)));
        happen(2);

        takeTurns();

        assertThat(seen).containsExactly(2L);
    }

    @Test
    void whenNoThreadCanBeHadTheNextFlushAsksAgain() {
        boolean[] full = {true};
        Deliveries starved = new Deliveries(answerTurns::add, turn -> {
            if (full[0]) {
                throw new RejectedExecutionException("on purpose");
            }
            turn.run();
        });
        starved.subscribe(event -> seen.add(number(event)));
        starved.on(event(1));
        starved.flush();
        assertThat(seen).isEmpty();

        full[0] = false;
        starved.flush();

        assertThat(seen).containsExactly(1L);
    }

    @Test
    void theThreadOfTheStoreIsADaemonWithAName() {
        CompletableFuture<Thread> teller = new CompletableFuture<>();
        Deliveries onThread = Deliveries.onThreads("teller of a test");
        onThread.subscribe(event -> teller.complete(Thread.currentThread()));
        onThread.on(event(1));
        onThread.flush();

        assertThat(teller.join().getName()).isEqualTo("teller of a test-events");
        assertThat(teller.join().isDaemon()).isTrue();
    }

    @Test
    void deliveriesThatShareAThreadTakeTurnsOnIt() {
        Supplier<Deliveries> shared = Deliveries.sharedOn(Time.system(), "tellers of a test");
        Deliveries first = shared.get();
        Deliveries second = shared.get();
        CompletableFuture<Boolean> secondHasEvent = new CompletableFuture<>();
        CompletableFuture<Thread> firstTeller = new CompletableFuture<>();
        CompletableFuture<Thread> secondTeller = new CompletableFuture<>();
        first.subscribe(event -> {
            boolean unused = secondHasEvent.join();
            firstTeller.complete(Thread.currentThread());
        });
        second.subscribe(event -> secondTeller.complete(Thread.currentThread()));

        first.on(event(1));
        first.flush();
        second.on(event(2));
        second.flush();
        secondHasEvent.complete(true);

        assertThat(secondTeller.join()).isSameAs(firstTeller.join());
    }
}
