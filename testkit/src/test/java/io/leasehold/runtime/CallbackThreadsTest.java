// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Codec;
import io.leasehold.Digest;
import io.leasehold.Election;
import io.leasehold.ElectionOptions;
import io.leasehold.FencedLock;
import io.leasehold.Flight;
import io.leasehold.IdempotentCall;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LeaseholdOptions;
import io.leasehold.LockOptions;
import io.leasehold.Outcome;
import io.leasehold.SingleFlightOptions;
import io.leasehold.Term;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.Scope;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The user's code runs on threads that nobody else needs: callbacks on those for callbacks, losses on
 * those for losses, work on workers.
 */
final class CallbackThreadsTest {

    private static final Duration WAIT = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofSeconds(1); // leases renewed after a third
    private static final int CALLBACK_THREADS = 4;

    private final MemoryLeaseStore store = MemoryLeaseStore.create();
    private final Leasehold leasehold = Leasehold.on(store);
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    @AfterEach
    void close() {
        mayEnd.countDown();
        leasehold.close();
    }

    private void awaitEnd() {
        try {
            mayEnd.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static <T> CompletableFuture<String> threadOf(CompletableFuture<T> future) {
        return future.handle((value, error) -> Thread.currentThread().getName());
    }

    private static void assertThread(CompletableFuture<String> thread, String name) {
        assertThat(OtherThread.await(thread)).startsWith(name);
    }

    private void loseInStore(Scope scope, FencingToken token) {
        store.forceRelease(scope, token).toCompletableFuture().join();
    }

    private void lose(Lease lease) {
        loseInStore(lease.scope(), lease.token());
        try {
            lease.renew();
        } catch (LeaseLostException expected) {
            return;
        }
        throw new AssertionError("it was renewed");
    }

    @Test
    void dependentsOfAcquireAsyncRunOnACallbackThread() {
        Lease held = leasehold.lock("ledger").acquire(WAIT);
        CompletableFuture<Lease> acquiring = leasehold.lock("ledger").acquireAsync(WAIT);
        CompletableFuture<String> thread = threadOf(acquiring);
        held.close();
        assertThread(thread, "leasehold-callback");
    }

    @Test
    void dependentsOfOnceAsyncRunOnACallbackThread() {
        CompletableFuture<Outcome<String>> call = leasehold
                .idempotency("payments", Codec.strings(), Duration.ofHours(1))
                .onceAsync(IdempotentCall.of("k", Digest.of("10")), token -> {
                    awaitEnd();
                    return Thread.currentThread().getName();
                });
        CompletableFuture<String> thread = threadOf(call);
        mayEnd.countDown();
        assertThread(thread, "leasehold-callback");
        assertThread(call.thenApply(Outcome::value), "leasehold-worker");
    }

    @Test
    void dependentsOfAFlightRunOnACallbackThread() {
        CompletableFuture<Flight<String>> flight = leasehold
                .singleFlight("reports", Codec.strings())
                .getAsync("june", token -> {
                    awaitEnd();
                    return Thread.currentThread().getName();
                });
        CompletableFuture<String> thread = threadOf(flight);
        mayEnd.countDown();
        assertThread(thread, "leasehold-callback");
        assertThread(flight.thenApply(Flight::value), "leasehold-worker");
    }

    @Test
    void aDependentOfOneCallersFlightDoesNotKeepAnotherWaiting() {
        CountDownLatch mayLand = new CountDownLatch(1);
        var reports = leasehold.singleFlight("reports", Codec.strings());
        CompletableFuture<Flight<String>> first = reports.getAsync("june", token -> {
            mayLand.await();
            return "made";
        });
        CompletableFuture<Flight<String>> second = reports.getAsync("june", token -> "again");
        first.thenRun(this::awaitEnd);
        second.thenRun(this::awaitEnd);
        CompletableFuture<Flight<String>> third = reports.getAsync("june", token -> "again");
        mayLand.countDown();
        assertThat(OtherThread.await(third).value()).isEqualTo("made");
        // not by get(), which would run their dependents here
        OtherThread.await(() -> first.isDone() && second.isDone());
    }

    @Test
    void lossesAreToldOnThreadsOfTheirOwn() {
        Lease lease = leasehold.lock("ledger").acquire(WAIT);
        CompletableFuture<String> thread = new CompletableFuture<>();
        lease.onLost(loss -> thread.complete(Thread.currentThread().getName()));
        lose(lease);
        assertThread(thread, "leasehold-loss");
    }

    @Test
    void slowDependentsDoNotSilenceLosses() {
        Lease lease = leasehold.lock("ledger").acquire(WAIT);
        CountDownLatch busy = new CountDownLatch(CALLBACK_THREADS);
        for (int i = 0; i < CALLBACK_THREADS; i++) {
            Lease held = leasehold.lock("other/" + i).acquire(WAIT);
            leasehold.lock("other/" + i).acquireAsync(WAIT).thenRun(() -> {
                busy.countDown();
                awaitEnd();
            });
            held.close();
        }
        OtherThread.await(() -> busy.getCount() == 0);
        CompletableFuture<LeaseLostException> told = new CompletableFuture<>();
        lease.onLost(told::complete);
        lose(lease);
        assertThat(OtherThread.await(told)).isInstanceOf(LeaseLostException.class);
    }

    /** Four listeners of losses that don't return: nobody else is told of a loss. */
    private void blockLosses(Leasehold at) {
        CountDownLatch busy = new CountDownLatch(CALLBACK_THREADS);
        for (int i = 0; i < CALLBACK_THREADS; i++) {
            Lease lease = at.lock("slow/" + i).acquire(WAIT);
            lease.onLost(loss -> {
                busy.countDown();
                awaitEnd();
            });
            lose(lease);
        }
        OtherThread.await(() -> busy.getCount() == 0);
    }

    @Test
    void slowListenersOfLossesDoNotKeepAFlightFromBeginningAnew() {
        blockLosses(leasehold);
        SingleFlightOptions options = SingleFlightOptions.defaults().withTtl(SHORT);
        AtomicInteger runs = new AtomicInteger();
        CompletableFuture<Flight<String>> flight = leasehold
                .singleFlight("reports", Codec.strings(), options)
                .getAsync("june", token -> {
                    int run = runs.incrementAndGet();
                    if (run == 1) {
                        loseInStore(Scope.name("reports/june"), token);
                        new CountDownLatch(1).await(); // until the loss is noticed
                    }
                    return "made by run " + run;
                });
        assertThat(OtherThread.await(flight).value()).isEqualTo("made by run 2");
    }

    @Test
    void slowListenersOfLossesDoNotKeepCloseFromSeeingThatALeaseIsLost() {
        LeaseholdOptions patient = LeaseholdOptions.defaults()
                .withCloseGrace(Duration.ofMinutes(5))
                .withStoreLeftOpen();
        Leasehold closed = Leasehold.on(store, patient);
        blockLosses(closed);
        CompletableFuture<Lease> held = new CompletableFuture<>();
        FencedLock lock = closed.lock(LockOptions.defaults().withTtl(SHORT), Scope.name("ledger"));
        OtherThread<Boolean> body = OtherThread.runs(() -> lock.use(WAIT, lease -> {
            held.complete(lease);
            awaitEnd();
        }));
        Lease lease = OtherThread.await(held);
        OtherThread<Boolean> closing = OtherThread.runs(closed::close).awaitBlocked();
        assertThat(closing.isDone()).as("a body runs").isFalse();

        loseInStore(lease.scope(), lease.token());

        assertThat(closing.result()).isTrue();
        mayEnd.countDown();
        assertThat(body.failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void termsRunOnWorkersAndTheirLossesAreToldOnThreadsOfTheirOwn() {
        CompletableFuture<String> body = new CompletableFuture<>();
        CompletableFuture<String> loss = new CompletableFuture<>();
        Election election =
                leasehold.election("billing", ElectionOptions.defaults().once(), term -> {
                    term.onLost(lost -> loss.complete(Thread.currentThread().getName()));
                    body.complete(Thread.currentThread().getName());
                    awaitEnd();
                });
        assertThread(body, "leasehold-worker");
        assertThat(election.term().map(Term::isValid)).contains(true);
        election.close(); // the body is told as of a loss
        assertThread(loss, "leasehold-loss");
    }

    @Test
    void observersAreToldOnACallbackThread() {
        CompletableFuture<String> thread = new CompletableFuture<>();
        leasehold
                .election("billing")
                .observe(leader -> thread.complete(Thread.currentThread().getName()));
        assertThread(thread, "leasehold-callback");
    }
}
