// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.Codec;
import io.leasehold.Digest;
import io.leasehold.Idempotency;
import io.leasehold.IdempotencyOptions;
import io.leasehold.IdempotentCall;
import io.leasehold.Outcome;
import io.leasehold.model.IdempotencyConflictException;
import io.leasehold.model.InProgressException;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.NotSharedException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.model.WorkFailedException;
import io.leasehold.spi.LeaseView;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The first call with a key runs; all others get what came of it. */
abstract class IdempotencyRules extends PrimitiveRules {

    private static final Digest TEN = Digest.of("alice", "bob", "10.00");
    private static final Digest TWENTY = Digest.of("alice", "bob", "20.00");

    private final AtomicInteger runs = new AtomicInteger();
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    private IdempotencyOptions options() {
        return IdempotencyOptions.keeping(ttl().multipliedBy(20))
                .withTtl(ttl())
                .withWait(Duration.ZERO);
    }

    private Idempotency<String> of(Peer peer) {
        return of(peer, options());
    }

    private static Idempotency<String> of(Peer peer, IdempotencyOptions options) {
        return peer.leasehold().idempotency("payments", Codec.strings(), options);
    }

    private CompletableFuture<Outcome<String>> slowly(Peer peer, String receipt) {
        CompletableFuture<Outcome<String>> call = of(peer).onceAsync(
                        IdempotentCall.of("k", TEN), token -> {
                            runs.incrementAndGet();
                            awaitUninterruptibly(mayEnd);
                            return receipt;
                        });
        await(() -> runs.get() == 1);
        return call;
    }

    private String receipt(String text) {
        runs.incrementAndGet();
        return text;
    }

    @Test
    void theFirstCallRunsAndARepeatGetsItsStoredAnswer() {
        Outcome<String> first = of(alice).once("k", TEN, token -> receipt("paid under " + token));
        Outcome<String> repeat = of(alice).once("k", TEN, token -> receipt("twice"));
        Outcome<String> elsewhere = of(bob).once("k", TEN, token -> receipt("thrice"));

        assertThat(first.value()).isEqualTo("paid under " + first.token());
        assertThat(first.replayed()).isFalse();
        assertThat(repeat).isEqualTo(new Outcome<>(first.value(), true, first.token()));
        assertThat(elsewhere).isEqualTo(repeat);
        assertThat(runs).hasValue(1);
    }

    @Test
    void anotherPayloadUnderTheSameKeyIsAConflict() {
        of(alice).once("k", TEN, token -> receipt("10"));

        assertThatExceptionOfType(IdempotencyConflictException.class)
                .isThrownBy(() -> of(bob).once("k", TWENTY, token -> receipt("20")))
                .withMessageContaining("'k' was used before with another payload");
        assertThat(runs).hasValue(1);
    }

    @Test
    void anotherPayloadIsAConflictAtOnceAlsoWhileTheFirstStillRuns() {
        CompletableFuture<Outcome<String>> first = slowly(alice, "10");

        assertThatExceptionOfType(IdempotencyConflictException.class)
                .isThrownBy(() -> of(bob, options().withWait(ttl().multipliedBy(10)))
                        .once("k", TWENTY, token -> receipt("20")));
        assertThat(first).as("the first call").isNotDone();
        mayEnd.countDown();
        assertThat(get(first).value()).isEqualTo("10");
    }

    @Test
    void anotherPayloadIsAConflictAlsoForACallThatDoesNotWait() {
        CompletableFuture<Outcome<String>> first = slowly(alice, "10");

        assertThatExceptionOfType(IdempotencyConflictException.class)
                .isThrownBy(() -> of(bob).once("k", TWENTY, token -> receipt("20")));
        failure(
                of(bob).onceAsync(IdempotentCall.of("k", TWENTY), token -> receipt("20")),
                IdempotencyConflictException.class);
        mayEnd.countDown();
        assertThat(get(first).value()).isEqualTo("10");
        assertThat(runs).hasValue(1);
    }

    @Test
    void aCallThatRunsElsewhereIsInProgressWithWhoAndHowLong() {
        CompletableFuture<Outcome<String>> first = slowly(alice, "10");

        assertThatExceptionOfType(InProgressException.class)
                .isThrownBy(() -> of(bob).once("k", TEN, token -> receipt("again")))
                .satisfies(busy -> {
                    assertThat(busy.runner().orElseThrow().holder()).hasToString("alice");
                    assertThat(busy.remaining()).isPositive().isLessThanOrEqualTo(ttl());
                })
                .withMessageContaining("'payments/k' is in progress at alice");
        mayEnd.countDown();
        get(first);
        assertThat(of(bob).once("k", TEN, token -> receipt("again")).value()).isEqualTo("10");
    }

    @Test
    void aCallThatWaitsGetsTheAnswerOfTheOneThatRuns() {
        CompletableFuture<Outcome<String>> first = slowly(alice, "10");
        IdempotentCall patient = IdempotentCall.of("k", TEN).waitingAtMost(ttl().multipliedBy(10));
        CompletableFuture<Outcome<String>> second =
                of(bob).onceAsync(patient, token -> receipt("again"));
        awaitWaiters(1);

        mayEnd.countDown();

        assertThat(get(second)).isEqualTo(new Outcome<>("10", true, get(first).token()));
        assertThat(runs).hasValue(1);
    }

    @Test
    void aCallThatIsCancelledWhileItWaitsLeavesTheQueue() {
        CompletableFuture<Outcome<String>> first = slowly(alice, "10");
        IdempotentCall patient = IdempotentCall.of("k", TEN).waitingAtMost(ttl().multipliedBy(10));
        CompletableFuture<Outcome<String>> second =
                of(bob).onceAsync(patient, token -> receipt("again"));
        awaitWaiters(1);

        second.cancel(false);

        awaitWaiters(0);
        mayEnd.countDown();
        assertThat(get(first).replayed()).isFalse();
    }

    @Test
    void statesAreListed() {
        CompletableFuture<Outcome<String>> first = slowly(alice, "10");
        assertThat(listed())
                .singleElement()
                .satisfies(row -> assertThat(row.status()).isEqualTo(LeaseView.Status.RUNNING));
        mayEnd.countDown();
        get(first);
        Idempotency<String> remembering = of(bob, options().remembering(IOException.class));
        failure(
                remembering.onceAsync(IdempotentCall.of("bad", TEN), token -> {
                    throw new IOException("refused");
                }),
                IOException.class);

        assertThat(listed())
                .extracting(LeaseView::status)
                .containsExactly(LeaseView.Status.COMPLETED, LeaseView.Status.FAILED);
    }

    @Test
    void afterACrashAnotherMayRunOnceTheLeaseIsOver() {
        slowly(alice, "10");
        alice.dies();
        assertThatExceptionOfType(InProgressException.class)
                .isThrownBy(() -> of(bob).once("k", TEN, token -> receipt("10 by bob")));

        passTtl();

        assertThat(of(bob).once("k", TEN, token -> receipt("10 by bob")).value())
                .isEqualTo("10 by bob");
        mayEnd.countDown();
    }

    @Test
    void aWorkerThatLostItsLeaseCannotStoreAndItsCallerGetsTheWinnersAnswer() {
        CompletableFuture<Outcome<String>> first = slowly(alice, "late");
        alice.dies();
        passTtl();
        Outcome<String> winner = of(bob).once("k", TEN, token -> receipt("in time"));
        alice.comesBack();

        mayEnd.countDown();

        assertThat(get(first)).isEqualTo(new Outcome<>("in time", true, winner.token()));
        assertThat(of(bob).once("k", TEN, token -> receipt("")).value()).isEqualTo("in time");
    }

    @Test
    void aWorkerThatLostItsLeaseToNobodySaysSo() {
        CompletableFuture<Outcome<String>> first = slowly(alice, "late");
        alice.dies();
        passTtl();
        alice.comesBack();

        mayEnd.countDown();

        LeaseLostException lost = failure(first, LeaseLostException.class);
        assertThat(lost).hasMessageContaining("no other is stored");
        Outcome<String> next = of(bob).once("k", TEN, token -> receipt("in time"));
        assertThat(next.replayed()).isFalse();
        assertThat(lost.holding().token().isOlderThan(next.token())).isTrue();
    }

    @Test
    void aFailureIsThrownAsItIsAndTheNextCallRunsAgain() throws Exception {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> of(alice).once("k", TEN, token -> {
                    throw new IOException("try later");
                }))
                .withMessage("try later");

        assertThat(of(bob).once("k", TEN, token -> receipt("paid")).replayed()).isFalse();
    }

    @Test
    void theStoreHasHeardOfAFailureWhenTheCallerHearsOfIt() {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> of(alice).once("blocking", TEN, token -> {
                    throw new IOException("try later");
                }));
        assertThat(listed()).as("after the blocking form").isEmpty();

        failure(
                of(alice).onceAsync(IdempotentCall.of("async", TEN), token -> {
                    throw new IOException("try later");
                }),
                IOException.class);
        assertThat(listed()).as("after the asynchronous form").isEmpty();

        failure(
                of(alice).onceAsync(IdempotentCall.of("error", TEN), token -> {
                    throw new AssertionError("a bug");
                }),
                AssertionError.class);
        assertThat(listed()).as("after an error").isEmpty();
        assertThat(of(bob).once("async", TEN, token -> receipt("paid")).replayed())
                .isFalse();
    }

    @Test
    void aFailureOfARememberedTypeIsTheAnswerToRepeats() {
        IdempotencyOptions remembering = options().remembering(IOException.class);
        assertThatExceptionOfType(FileNotFoundException.class)
                .isThrownBy(() -> of(alice, remembering).once("k", TEN, token -> {
                    throw new FileNotFoundException("no such account");
                }));

        assertThatExceptionOfType(WorkFailedException.class)
                .isThrownBy(() -> of(bob).once("k", TEN, token -> receipt("paid")))
                .satisfies(failed -> {
                    assertThat(failed.errorType()).isEqualTo("java.io.FileNotFoundException");
                    assertThat(failed.errorMessage()).isEqualTo("no such account");
                });
        assertThatExceptionOfType(IdempotencyConflictException.class)
                .isThrownBy(() -> of(bob).once("k", TWENTY, token -> receipt("paid")));
        assertThat(runs).hasValue(0);
    }

    @Test
    void retentionIsPerKey() {
        of(alice)
                .once(
                        IdempotentCall.of("short", TEN).keptFor(ttl().multipliedBy(2)),
                        token -> receipt("s"));
        of(alice).once(IdempotentCall.of("long", TEN), token -> receipt("l"));

        pass(ttl().multipliedBy(3));

        assertThat(of(bob).once("short", TWENTY, token -> receipt("new")).replayed())
                .isFalse();
        assertThat(of(bob).once("long", TEN, token -> receipt("new")).replayed())
                .isTrue();
    }

    @Test
    void aResultThatIsTooLargeReachesItsCallerWithTheWordThatItWasNotStored() {
        String large = "x".repeat(LeaseRecord.MAX_BYTES);

        assertThatExceptionOfType(NotSharedException.class)
                .isThrownBy(() -> of(alice).once("k", TEN, token -> receipt(large)))
                .satisfies(error -> assertThat(error.value()).isEqualTo(large))
                .withMessageContaining("A repeat will run again");
        assertThat(of(bob).once("k", TEN, token -> receipt("small")).replayed()).isFalse();
    }

    @Test
    void aCallThatIsUnderWayWhenItsLeaseholdClosesIsStoredAndNoOtherBegins() {
        CompletableFuture<Outcome<String>> first = slowly(alice, "late");
        alice.leasehold().close();

        mayEnd.countDown();

        assertThat(get(first).value()).isEqualTo("late");
        assertThat(of(bob).once("k", TEN, token -> receipt("again")).value()).isEqualTo("late");
        failure(
                of(alice).onceAsync(IdempotentCall.of("k", TEN), token -> receipt("closed")),
                StoreUnavailableException.class);
    }
}
