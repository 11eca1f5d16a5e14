// SPDX-License-Identifier: Apache-2.0
package io.leasehold.http;

import static java.util.concurrent.CompletableFuture.supplyAsync;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.FencingToken;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The check of a token and the handler behind it are one step: nobody comes in between. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class OneStepTest {

    private static final int OK = 200;
    private static final int CONFLICT = 409;

    private final ExecutorService threads = Executors.newFixedThreadPool(4);
    private final CountDownLatch paused = new CountDownLatch(1);
    private final CountDownLatch resume = new CountDownLatch(1);

    /** A request with the header {@code Pause} stops between its check and its write. */
    private final Ledgers ledgers = new Ledgers((request, response) -> {
        if (request.getHeader("Pause") != null) {
            paused.countDown();
            await(resume);
        }
    });

    @AfterEach
    void stop() {
        resume.countDown();
        threads.shutdownNow();
    }

    @Test
    void aHolderThatIsPausedInItsHandlerHoldsUpTheNextAndIsOverwrittenByIt() throws Exception {
        try (Server server = Server.start(ledgers.filter(), ledgers)) {
            CompletableFuture<Integer> older = begin(server, 1, true);
            await(paused);
            CompletableFuture<Integer> newer = begin(server, 2, false);
            assertThatExceptionOfType(TimeoutException.class)
                    .as("the newer holder waits")
                    .isThrownBy(() -> newer.get(500, TimeUnit.MILLISECONDS));
            resume.countDown();

            assertThat(older.get()).isEqualTo(OK);
            assertThat(newer.get()).isEqualTo(OK);
            assertThat(ledgers.text("/1")).isEqualTo("token 2");
        }
    }

    @Test
    void anOlderHolderThatComesWhileANewerIsPausedIsRefused() throws Exception {
        try (Server server = Server.start(ledgers.filter(), ledgers)) {
            CompletableFuture<Integer> newer = begin(server, 2, true);
            await(paused);
            CompletableFuture<Integer> older = begin(server, 1, false);
            resume.countDown();

            assertThat(newer.get()).isEqualTo(OK);
            assertThat(older.get()).isEqualTo(CONFLICT);
            assertThat(ledgers.text("/1")).isEqualTo("token 2");
        }
    }

    /** What {@code withAdmissionOnly} does not promise, and says so. */
    @Test
    void behindAMereAdmissionAPausedHandlerOverwritesTheNewer() throws Exception {
        try (Server server = Server.start(ledgers.filter().withAdmissionOnly(), ledgers)) {
            CompletableFuture<Integer> older = begin(server, 1, true);
            await(paused);
            assertThat(begin(server, 2, false).get()).isEqualTo(OK);
            resume.countDown();

            assertThat(older.get()).isEqualTo(OK);
            assertThat(ledgers.text("/1")).isEqualTo("token 1");
        }
    }

    @Test
    void inWhateverOrderTwoRequestsArriveTheTextIsThatOfTheNewest() throws Exception {
        SplittableRandom random = new SplittableRandom(11);
        try (Server server = Server.start(ledgers.filter(), ledgers)) {
            for (long round = 0; round < 300; round++) {
                long older = 2 * round + 1;
                long newer = 2 * round + 2;
                boolean olderFirst = random.nextBoolean();
                CyclicBarrier start = new CyclicBarrier(2);
                CompletableFuture<Integer> one = race(server, start, olderFirst ? older : newer);
                CompletableFuture<Integer> other = race(server, start, olderFirst ? newer : older);
                CompletableFuture.allOf(one, other).get();

                assertThat((olderFirst ? other : one).get()).isEqualTo(OK);
                assertThat((olderFirst ? one : other).get()).isIn(OK, CONFLICT);
                assertThat(ledgers.text("/1")).isEqualTo("token " + newer);
            }
        }
    }

    private CompletableFuture<Integer> race(Server server, CyclicBarrier start, long token) {
        return supplyAsync(
                () -> {
                    try {
                        start.await();
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                    return put(server, token, false);
                },
                threads);
    }

    private CompletableFuture<Integer> begin(Server server, long token, boolean pausing) {
        return supplyAsync(() -> put(server, token, pausing), threads);
    }

    private static int put(Server server, long token, boolean pausing) {
        var request =
                FencingHeaders.set(server.put("/1", "token " + token), new FencingToken(token));
        return server.send(pausing ? request.header("Pause", "please") : request)
                .statusCode();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
