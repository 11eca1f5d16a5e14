// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.LimitExceededException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the callers of one process cost, and that they leave nothing behind. */
final class LocalFlightTest {

    private final Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create());
    private final SingleFlight<String> flights = leasehold.singleFlight("reports", Codec.strings());
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    @AfterEach
    void close() {
        mayEnd.countDown();
        leasehold.close();
    }

    private CompletableFuture<Flight<String>> join() {
        return flights.getAsync("june", token -> {
            mayEnd.await();
            return "done";
        });
    }

    private static int seatsBehind(CompletableFuture<Flight<String>> newest) {
        int count = 0;
        for (Seat<String> seat = (Seat<String>) newest; seat != null; seat = seat.before) {
            count++;
        }
        return count;
    }

    @Test
    void theSeatsOfCallersWhoLeftAreGivenUp() {
        CompletableFuture<Flight<String>> stays = join();
        for (int i = 0; i < 100_000; i++) {
            assertThat(join().cancel(false)).isTrue();
        }

        CompletableFuture<Flight<String>> newest = join();

        assertThat(seatsBehind(newest)).isLessThan(200);
        mayEnd.countDown();
        assertThat(stays.join().value()).isEqualTo("done");
        assertThat(newest.join().value()).isEqualTo("done");
    }

    @Test
    void whoeverKeepsOneAnswerDoesNotKeepAllSeats() {
        CompletableFuture<Flight<String>> first = join();
        CompletableFuture<Flight<String>> last = first;
        for (int i = 0; i < 100; i++) {
            last = join();
        }
        assertThat(seatsBehind(last)).isEqualTo(101);

        mayEnd.countDown();

        assertThat(first.join().shared()).isFalse();
        assertThat(flights.flights).isEmpty();
        assertThat(last.join().shared()).isTrue();
        assertThat(seatsBehind(last)).isEqualTo(1);
    }

    @Test
    void allWhoStayedAreAnsweredWhoeverLeaves() {
        CompletableFuture<?>[] seats = new CompletableFuture<?>[3_000];
        for (int i = 0; i < seats.length; i++) {
            seats[i] = join();
        }
        for (int i = 0; i < seats.length; i++) {
            if (i % 7 != 3) {
                seats[i].cancel(false);
            }
        }

        mayEnd.countDown();

        for (int i = 3; i < seats.length; i += 7) {
            assertThat(seats[i].join()).isInstanceOf(Flight.class);
        }
    }

    @Test
    void withoutAThreadForItTheWorkIsRefusedAndNothingIsLeftBehind() {
        LeaseholdOptions busy = LeaseholdOptions.defaults().withWorkers(task -> {
            throw new RejectedExecutionException("full");
        });
        try (MemoryLeaseStore store = MemoryLeaseStore.create();
                Leasehold full = Leasehold.on(store, busy.withStoreLeftOpen())) {
            assertThatExceptionOfType(LimitExceededException.class)
                    .isThrownBy(() -> full.singleFlight("reports", Codec.strings())
                            .get("june", token -> "done"))
                    .withMessage("no thread was free for the work of 'reports/june'");
            assertThatExceptionOfType(CompletionException.class)
                    .isThrownBy(() -> full.idempotency(
                                    "payments", Codec.strings(), Duration.ofDays(1))
                            .onceAsync(IdempotentCall.of("k", Digest.of("10")), token -> "paid")
                            .join())
                    .withCauseInstanceOf(LimitExceededException.class);
            assertThat(full.lock("reports/june").tryUse(lease -> {})).isTrue();
            assertThat(full.lock("payments/k").tryUse(lease -> {})).isTrue();
        }
    }
}
