// SPDX-License-Identifier: Apache-2.0
package io.leasehold.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * On the machine's time: what is due by an alarm is done by a thread of the store's. The JDK's delay
 * thread, on which every time-out in the process depends, does none of it.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class MemoryThreadsTest {

    private static final Duration SHORT = Duration.ofMillis(500); // until somebody is to be told
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration TOO_LONG = Duration.ofSeconds(30); // for a release

    private final MemoryLeaseStore store = MemoryLeaseStore.create();
    private long lastId;
    private CompletableFuture<Acquisition> waiter = new CompletableFuture<>();
    private Scope scope = Scope.name("a");

    @AfterEach
    void close() {
        store.close();
    }

    private CompletableFuture<Acquisition> acquire(Duration ttl, Duration wait) {
        LeaseRequest request = LeaseRequest.of(
                new LeaseId(1, ++lastId), Claim.exclusive(scope), new Holder("h"), ttl);
        return store.acquire(request.waitingAtMost(wait)).toCompletableFuture();
    }

    private void hold(Duration ttl) {
        assertThat(acquire(ttl, Duration.ZERO).join()).isInstanceOf(Acquisition.Granted.class);
    }

    /**
     * The thread that tells whoever waits behind a lease of the given length. Asks anew, at another scope, if
     * the answer came before anybody could wait for it, as it may on a busy machine.
     */
    private Thread tellerOf(Duration held, Duration wait) {
        Thread teller = Thread.currentThread();
        for (int i = 0; i < 20 && teller == Thread.currentThread(); i++) {
            scope = Scope.name("a" + i);
            hold(held);
            waiter = acquire(LONG, wait);
            teller = waiter.thenApply(came -> Thread.currentThread()).join();
        }
        return teller;
    }

    @Test
    void whoIsServedWhenALeaseRunsOutIsToldByAThreadOfTheStore() {
        CompletableFuture<String> teller = new CompletableFuture<>();
        store.subscribe(event -> {
            if (event instanceof LeaseEvent.Changed changed
                    && changed.change() == LeaseEvent.Change.EXPIRED) {
                teller.complete(Thread.currentThread().getName());
            }
        });

        assertThat(tellerOf(SHORT, LONG).getName()).isEqualTo("leasehold-memory-alarms");
        assertThat(waiter.join()).isInstanceOf(Acquisition.Granted.class);
        assertThat(teller.join()).isEqualTo("leasehold-memory-events");
    }

    @Test
    void whoHasWaitedInVainIsToldByAThreadOfTheStore() {
        assertThat(tellerOf(LONG, SHORT).getName()).isEqualTo("leasehold-memory-alarms");
        assertThat(waiter.join()).isInstanceOf(Acquisition.Held.class);
    }

    @Test
    void theThreadOfTheAlarmsIsADaemon() {
        assertThat(tellerOf(LONG, SHORT).isDaemon()).isTrue();
    }

    @Test
    void aWaiterMayCloseTheStoreWhenItsWaitIsOver() {
        hold(LONG);

        acquire(LONG, SHORT).thenAccept(came -> store.close()).join();

        assertThat(acquire(LONG, Duration.ZERO)).isCompletedExceptionally();
    }

    @Test
    void aListenerMayCloseTheStore() {
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        store.subscribe(event -> {
            store.close();
            closed.complete(true);
        });

        hold(LONG);

        assertThat(closed.join()).isTrue();
        assertThat(acquire(LONG, Duration.ZERO)).isCompletedExceptionally();
    }

    /** Two that hand a lease over to each other for as long as the caller is kept. */
    @Test
    void aCallerIsNotKeptByTheAnswersToOthers() {
        AtomicBoolean free = new AtomicBoolean();
        long start = Time.system().nanos();
        BooleanSupplier over =
                () -> free.get() || Time.system().nanos() - start > TOO_LONG.toNanos();
        Acquisition.Granted first =
                (Acquisition.Granted) acquire(LONG, Duration.ZERO).join();
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        handOn(over, ended);
        handOn(over, ended);

        store.release(first.grant()).toCompletableFuture().join();

        free.set(true);
        assertThat(ended.join()).as("it went on until the caller was free").isTrue();
        assertThat(Duration.ofNanos(Time.system().nanos() - start)).isLessThan(TOO_LONG);
    }

    /** Waits for the lease, gives it back, and so on until it is over. */
    private void handOn(BooleanSupplier over, CompletableFuture<Boolean> ended) {
        acquire(LONG, LONG).thenAccept(came -> {
            if (over.getAsBoolean()) {
                ended.complete(true);
            } else {
                handOn(over, ended);
            }
            store.release(((Acquisition.Granted) came).grant());
        });
    }
}
