// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.Environment;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LeaseholdOptions;
import io.leasehold.LockOptions;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.testkit.FaultyStore;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.SimulatedDisk;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A disk that does not return from a call for long keeps back answers, and no thread but the store's own. */
final class StalledDiskTest {

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration HOLD = Duration.ofSeconds(10);
    private static final Duration WAIT = Duration.ofSeconds(1);

    // its half is over before the store writes by itself, which it does after a second
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final VirtualTime time = VirtualTime.create();
    private final SimulatedDisk disk = Stores.disk(1);
    private final JournalLeaseStore store = JournalLeaseStore.open(
            Stores.DIRECTORY, Stores.SMALL, time, disk); // with threads of its own
    private final FaultyStore way = FaultyStore.to(store, time);
    private final Leasehold leasehold = Leasehold.on(
            way,
            LeaseholdOptions.defaults()
                    .withPatience(PATIENCE)
                    .withCloseGrace(Duration.ZERO)
                    .withEnvironment(
                            new Environment(time, Runnable::run, new SplittableRandom(1))));
    private final CompletableFuture<Boolean> stalled = new CompletableFuture<>();
    private final CompletableFuture<Boolean> goesOn = new CompletableFuture<>();

    @AfterEach
    void close() {
        goesOn.complete(true);
        RealTime.answer(elsewhere(() -> {
            store.close();
            return true;
        }));
    }

    /** From now on the log can't be forced. */
    private void stallForces() {
        disk.duringForces(() -> {
            if (!Thread.currentThread().getName().endsWith("-housekeeper")) {
                stall();
            }
        });
    }

    private void stall() {
        stalled.complete(true);
        boolean unused = goesOn.join();
    }

    private static <T> CompletableFuture<T> elsewhere(Supplier<T> work) {
        CompletableFuture<T> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                done.complete(work.get());
            } catch (RuntimeException | Error e) {
                done.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return done;
    }

    /** Lets time pass, on a thread that thereby is the timers' one. */
    private CompletableFuture<Boolean> passed(Duration span) {
        return elsewhere(() -> {
            time.advance(span);
            return true;
        });
    }

    @Test
    void renewalsAndTimeOutsGoOnWhileAnAcquireOfTheTimersThreadIsBeingForced() {
        Lease kept = leasehold.lock("kept").acquire(Duration.ZERO);
        Lease lost = leasehold
                .lock(LockOptions.defaults().withHoldAtMost(HOLD), Scope.name("lost"))
                .acquire(Duration.ZERO);
        CompletableFuture<Long> lostAt = new CompletableFuture<>();
        lost.onLost(loss -> lostAt.complete(time.nanos()));
        way.cutOff(true);
        CompletableFuture<Lease> repeated = leasehold.lock("repeated").acquireAsync(WAIT);
        way.cutOff(false);
        stallForces();

        CompletableFuture<Boolean> timers = passed(LONG); // the first of them repeats the acquire

        RealTime.answer(stalled);
        assertThat(RealTime.answer(timers)).isTrue();
        assertThat(kept.isValid()).as("was renewed all the time").isTrue();
        assertThat(lostAt).isCompletedWithValue(HOLD.toNanos());
        assertThatExceptionOfType(OutcomeUnknownException.class)
                .isThrownBy(() -> RealTime.answer(repeated));
    }

    @Test
    void anAcquireComesBackAfterItsWaitThoughTheForceDoesNot() {
        stallForces();

        CompletableFuture<Lease> acquire = elsewhere(() -> leasehold.lock("a").acquire(WAIT));

        RealTime.answer(stalled);
        assertThat(RealTime.answer(passed(WAIT.plus(PATIENCE)))).isTrue();
        assertThatExceptionOfType(OutcomeUnknownException.class)
                .isThrownBy(() -> RealTime.answer(acquire));
    }

    @Test
    void aLeaseIsClosedThoughTheForceOfItsReleaseDoesNotReturn() {
        Lease lease = leasehold.lock("a").acquire(Duration.ZERO);
        stallForces();

        CompletableFuture<Boolean> closed = elsewhere(() -> {
            lease.close();
            return true;
        });

        RealTime.answer(stalled);
        RealTime.until("its patience is over", () -> {
            time.advance(PATIENCE);
            return closed.isDone();
        });
        assertThat(RealTime.answer(closed)).isTrue();
    }

    @Test
    void neitherTimersNorCallersLookForTheLockFile() {
        Grant grant = World.granted(answered(store.acquire(World.request("a", LONG))));
        disk.duringLockChecks(this::stall);

        CompletableFuture<Boolean> timers = passed(Duration.ofSeconds(5));

        RealTime.answer(stalled);
        assertThat(RealTime.answer(timers)).isTrue();
        CompletableFuture<CompletionStage<Renewal>> renewal =
                elsewhere(() -> store.renew(RenewalRequest.of(grant, LONG)));
        assertThat(World.answer(RealTime.answer(renewal))).isInstanceOf(Renewal.Renewed.class);
        CompletableFuture<CompletionStage<Acquisition>> acquire =
                elsewhere(() -> store.acquire(World.request("b", LONG)));
        assertThat(World.isAnswered(RealTime.answer(acquire)))
                .as("granted though nobody has looked")
                .isFalse();
    }

    private static <T> CompletionStage<T> answered(CompletionStage<T> stage) {
        T unused = RealTime.answer(stage);
        return stage;
    }
}
