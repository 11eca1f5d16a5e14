// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Codec;
import io.leasehold.Flight;
import io.leasehold.SingleFlight;
import io.leasehold.SingleFlightOptions;
import io.leasehold.model.FencingToken;
import io.leasehold.model.InProgressException;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.NotSharedException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.WorkFailedException;
import io.leasehold.spi.LeaseView;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One caller in the whole cluster works; all share what comes of it. */
@Tag("essential")
abstract class SingleFlightRules extends PrimitiveRules {

    private final AtomicInteger runs = new AtomicInteger();
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    private SingleFlight<String> of(Peer peer) {
        return of(peer, Duration.ZERO);
    }

    private SingleFlight<String> of(Peer peer, Duration keepFor) {
        SingleFlightOptions options = SingleFlightOptions.defaults()
                .withTtl(ttl())
                .withWait(ttl().multipliedBy(6))
                .withKeepFor(keepFor);
        return peer.leasehold().singleFlight("reports", Codec.strings(), options);
    }

    /** Work that ends when it may. */
    private String slowly(String value) throws InterruptedException {
        runs.incrementAndGet();
        mayEnd.await();
        return value;
    }

    private String quickly(String value) {
        runs.incrementAndGet();
        return value;
    }

    private void awaitRuns(int count) {
        await(() -> runs.get() == count);
    }

    @Test
    void oneCallerWorksAndCallersInOtherProcessesShareItsValue() {
        CompletableFuture<Flight<String>> first =
                of(alice).getAsync("june", token -> slowly("by alice"));
        awaitRuns(1);
        CompletableFuture<Flight<String>> second =
                of(bob).getAsync("june", token -> slowly("by bob"));
        CompletableFuture<Flight<String>> third =
                of(peer("carol")).getAsync("june", token -> slowly("by carol"));
        awaitWaiters(2);

        mayEnd.countDown();

        assertThat(get(first).value()).isEqualTo("by alice");
        assertThat(get(first).shared()).isFalse();
        assertThat(get(second)).isEqualTo(get(third));
        assertThat(get(second))
                .isEqualTo(new Flight<>("by alice", true, get(first).token()));
        assertThat(runs).hasValue(1);
    }

    @Test
    void callersInOneProcessJoinWithoutAskingTheStore() {
        SingleFlight<String> flights = of(alice);
        CompletableFuture<Flight<String>> first =
                flights.getAsync("june", token -> slowly("first"));
        awaitRuns(1);
        alice.dies();
        CompletableFuture<Flight<String>> second =
                flights.getAsync("june", token -> slowly("second"));
        assertThat(second).isNotDone();
        alice.comesBack();

        mayEnd.countDown();

        assertThat(get(first)).isEqualTo(new Flight<>("first", false, get(first).token()));
        assertThat(get(second)).isEqualTo(new Flight<>("first", true, get(first).token()));
    }

    @Test
    void differentKeysAreDifferentFlights() {
        assertThat(of(alice).get("june", token -> quickly("6")).value()).isEqualTo("6");
        assertThat(of(alice).get("july", token -> quickly("7")).value()).isEqualTo("7");
        assertThat(runs).hasValue(2);
    }

    @Test
    void runningWorkIsListedAsRunning() {
        CompletableFuture<Flight<String>> flight =
                of(alice).getAsync("june", token -> slowly("done"));
        awaitRuns(1);

        assertThat(listed()).singleElement().satisfies(row -> {
            assertThat(row.status()).isEqualTo(LeaseView.Status.RUNNING);
            assertThat(row.holding().claim()).hasToString("name:reports/june");
        });
        mayEnd.countDown();
        get(flight);
        assertThat(listed())
                .singleElement()
                .satisfies(row -> assertThat(row.status()).isEqualTo(LeaseView.Status.COMPLETED));
    }

    @Test
    void anErrorIsSharedWithThoseWhoWaitedForItAndWithNobodyElse() {
        CompletableFuture<Flight<String>> first = of(alice).getAsync("june", token -> {
            slowly("");
            throw new IOException("no paper");
        });
        awaitRuns(1);
        CompletableFuture<Flight<String>> second =
                of(bob).getAsync("june", token -> quickly("by bob"));
        awaitWaiters(1);

        mayEnd.countDown();

        WorkFailedException here = failure(first, WorkFailedException.class);
        WorkFailedException there = failure(second, WorkFailedException.class);
        assertThat(here).hasCauseInstanceOf(IOException.class);
        assertThat(there).hasNoCause();
        assertThat(there.errorType()).isEqualTo("java.io.IOException");
        assertThat(there.errorMessage()).isEqualTo("no paper");
        assertThat(there.token()).isEqualTo(here.token());
        assertThat(of(bob, ttl()).get("june", token -> quickly("again")).value())
                .isEqualTo("again");
    }

    @Test
    void withoutRetentionWhoeverComesAfterWorksAnewUnderAHigherToken() {
        FencingToken first = of(alice).get("june", token -> quickly("1")).token();
        Flight<String> second = of(bob).get("june", token -> quickly("2"));

        assertThat(second.value()).isEqualTo("2");
        assertThat(second.shared()).isFalse();
        assertThat(first.isOlderThan(second.token())).isTrue();
    }

    @Test
    void withRetentionWhoeverComesAfterGetsTheValueForThatTime() {
        Duration keepFor = ttl().multipliedBy(2);
        Flight<String> first = of(alice, keepFor).get("june", token -> quickly("1"));

        assertThat(of(bob, keepFor).get("june", token -> quickly("2")))
                .isEqualTo(new Flight<>("1", true, first.token()));
        pass(keepFor.plus(keepFor.dividedBy(4)));
        assertThat(of(bob, keepFor).get("june", token -> quickly("2")).value()).isEqualTo("2");
        assertThat(runs).hasValue(2);
    }

    @Test
    void forgettingDropsWhatIsKeptAndWhatIsUnderWay() {
        Duration keepFor = ttl().multipliedBy(4);
        of(alice, keepFor).get("june", token -> quickly("1"));
        of(bob, keepFor).forget("june");
        CompletableFuture<Flight<String>> second =
                of(alice, keepFor).getAsync("june", token -> slowly("2"));
        awaitRuns(2);
        CompletableFuture<Void> forgetting =
                CompletableFuture.runAsync(() -> of(bob, keepFor).forget("june"));
        awaitWaiters(1);

        mayEnd.countDown();

        assertThat(get(second).value()).isEqualTo("2");
        get(forgetting);
        assertThat(of(alice, keepFor).get("june", token -> quickly("3")).value())
                .isEqualTo("3");
    }

    @Test
    void whoWaitsForOneGenerationIsNotAnsweredWithTheLast() {
        of(alice).get("june", token -> quickly("1"));
        CompletableFuture<Flight<String>> second = of(alice).getAsync("june", token -> slowly("2"));
        awaitRuns(2);
        CompletableFuture<Flight<String>> follower =
                of(bob).getAsync("june", token -> quickly("3"));
        awaitWaiters(1);

        mayEnd.countDown();

        assertThat(get(follower)).isEqualTo(new Flight<>("2", true, get(second).token()));
    }

    @Test
    void theDeathOfTheProcessAtWorkStartsANewGenerationElsewhere() {
        CompletableFuture<Flight<String>> first = stubborn();
        FencingToken before = listed().get(0).holding().token();
        CompletableFuture<Flight<String>> second =
                of(bob).getAsync("june", token -> quickly("by bob"));
        awaitWaiters(1);

        alice.dies();
        passTtl();

        assertThat(get(second).value()).isEqualTo("by bob");
        assertThat(get(second).shared()).isFalse();
        assertThat(before.isOlderThan(get(second).token())).isTrue();
        passUntil(first::isDone);
        failure(first, OutcomeUnknownException.class);
        mayEnd.countDown();
    }

    @Test
    void callersAreNotKeptWaitingForWorkWhoseLeaseIsLost() {
        CompletableFuture<Flight<String>> first = stubborn();
        FencingToken before = listed().get(0).holding().token();
        alice.dies();
        passUntil(() -> listed().isEmpty());
        alice.comesBack();
        passUntil(first::isDone);

        assertThat(get(first).value()).isEqualTo("at the second try");
        assertThat(before.isOlderThan(get(first).token())).isTrue();
        mayEnd.countDown();
    }

    /** Work that does not end when it is interrupted, only the second time it is tried. */
    private CompletableFuture<Flight<String>> stubborn() {
        CompletableFuture<Flight<String>> flight = of(alice).getAsync("june", token -> {
            if (runs.incrementAndGet() == 1) {
                awaitUninterruptibly(mayEnd);
                return "late";
            }
            return "at the second try";
        });
        awaitRuns(1);
        return flight;
    }

    @Test
    void aCallerThatLeavesReachesNobodyElse() {
        SingleFlight<String> flights = of(alice);
        CompletableFuture<Flight<String>> first = flights.getAsync("june", token -> slowly("1"));
        awaitRuns(1);
        CompletableFuture<Flight<String>> second = flights.getAsync("june", token -> slowly("2"));

        first.cancel(true);
        mayEnd.countDown();

        assertThat(get(second).value()).isEqualTo("1");
        assertThat(runs).hasValue(1);
    }

    @Test
    void whenTheLastCallerHasLeftTheWorkIsInterruptedAndItsLeaseGivenBack() {
        CountDownLatch interrupted = new CountDownLatch(1);
        CompletableFuture<Flight<String>> only = of(alice).getAsync("june", token -> {
            try {
                return slowly("1");
            } catch (InterruptedException e) {
                interrupted.countDown();
                throw e;
            }
        });
        awaitRuns(1);

        only.cancel(true);

        await(interrupted);
        await(() -> listed().isEmpty());
        assertThat(of(alice).get("june", token -> quickly("2")).value()).isEqualTo("2");
    }

    @Test
    void aCallerThatLeavesWhileWaitingLeavesTheQueue() {
        CompletableFuture<Flight<String>> first = of(alice).getAsync("june", token -> slowly("1"));
        awaitRuns(1);
        CompletableFuture<Flight<String>> second = of(bob).getAsync("june", token -> slowly("2"));
        awaitWaiters(1);

        second.cancel(true);

        awaitWaiters(0);
        mayEnd.countDown();
        assertThat(get(first).value()).isEqualTo("1");
        assertThat(runs).hasValue(1);
    }

    @Test
    void aProcessWaitsForAnotherOneAsLongAsTheOptionsSay() {
        CompletableFuture<Flight<String>> first = of(alice).getAsync("june", token -> slowly("1"));
        awaitRuns(1);
        SingleFlight<String> impatient = bob.leasehold()
                .singleFlight(
                        "reports",
                        Codec.strings(),
                        SingleFlightOptions.defaults().withTtl(ttl()).withWait(Duration.ZERO));

        InProgressException busy = failure(
                impatient.getAsync("june", token -> quickly("2")), InProgressException.class);

        assertThat(busy.runner()).isPresent();
        assertThat(busy.runner().get().holder()).hasToString("alice");
        assertThat(busy).hasMessageContaining("'reports/june' is in progress at alice");
        mayEnd.countDown();
        get(first);
    }

    @Test
    void aValueThatIsTooLargeReachesTheCallersWithTheWordThatItWasNotShared() {
        String large = "x".repeat(LeaseRecord.MAX_BYTES);
        NotSharedException error = failure(
                of(alice).getAsync("june", token -> quickly(large)), NotSharedException.class);

        assertThat(error.value()).isEqualTo(large);
        assertThat(error).hasCauseInstanceOf(LimitExceededException.class);
        assertThat(error).hasMessageContaining("'reports/june' was done under token");
        assertThat(of(bob).get("june", token -> quickly("small")).value()).isEqualTo("small");
    }

    @Test
    void workThatReturnsNullFails() {
        WorkFailedException error =
                failure(of(alice).getAsync("june", token -> nothing()), WorkFailedException.class);
        assertThat(error).hasMessageContaining("the work returned null");
    }

    @Test
    void aBadKeyIsRefusedAndLeavesNothingBehind() {
        SingleFlight<String> flights = of(alice);
        Assertions.assertThatIllegalArgumentException()
                .isThrownBy(() -> flights.getAsync("x".repeat(600), token -> quickly("")));
        Assertions.assertThatIllegalArgumentException()
                .isThrownBy(() -> flights.getAsync("x".repeat(600), token -> quickly("")));
        assertThat(runs).hasValue(0);
    }

    @SuppressWarnings("NullAway") // just what must not be
    private static String nothing() {
        return null;
    }
}
