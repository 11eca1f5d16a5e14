// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Polled;
import io.leasehold.spi.Time;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class WaitsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final VirtualTime time = VirtualTime.create();
    private final List<CompletableFuture<List<Object>>> looks = new ArrayList<>();
    private final Waits waits = waits(time);

    private Waits waits(Time timers) {
        return new Waits(this::look, new Answers(TableOptions.defaults()), timers, PATIENCE);
    }

    private CompletableFuture<List<Object>> look(Operation operation) {
        CompletableFuture<List<Object>> answer = new CompletableFuture<>();
        looks.add(answer);
        return answer;
    }

    private CompletableFuture<Polled<Acquisition>> acquire(
            Function<Operation, CompletableFuture<List<Object>>> way) {
        Duration length = Duration.ofSeconds(30);
        return waits.acquire(Leases.request("ledger", length).waitingAtMost(length), null, way);
    }

    private static List<Object> answer(String letter, Object... rest) {
        List<Object> answer = new ArrayList<>(List.of(letter.getBytes(US_ASCII)));
        answer.addAll(List.of(rest));
        return answer;
    }

    private static void assertUnknown(
            CompletableFuture<Polled<Acquisition>> acquiring, Class<? extends Throwable> cause) {
        assertThat(acquiring).isCompletedExceptionally();
        assertThat(acquiring
                        .<@Nullable Throwable>handle((came, failure) -> failure)
                        .join())
                .isInstanceOf(OutcomeUnknownException.class)
                .hasCauseInstanceOf(cause);
    }

    @Test
    void aClientThatOnceHadNoTimerGivesSignsOfLifeAllTheSame() {
        TimersThatFail timers = new TimersThatFail(time);
        Waits starved = waits(timers);
        timers.fail = true;
        assertThatThrownBy(() -> join(starved)).isInstanceOf(InternalError.class);
        timers.fail = false;
        join(starved);

        time.advance(Duration.ofMinutes(1));

        assertThat(looks).isNotEmpty();
    }

    /** A request that is not answered yet. */
    private static void join(Waits waits) {
        Duration length = Duration.ofMinutes(5);
        CompletableFuture<Polled<Acquisition>> unused = waits.acquire(
                Leases.request("ledger", length).waitingAtMost(length),
                null,
                operation -> new CompletableFuture<>());
    }

    @Test
    void aGrantThatCanNotBeReadIsAnUnknownOutcome() {
        assertUnknown(
                acquire(operation -> CompletableFuture.completedFuture(answer("G"))),
                IndexOutOfBoundsException.class);
    }

    @Test
    void anAnswerWithoutALetterIsAnUnknownOutcomeAndNobodyLooksForTheRequestAgain() {
        assertUnknown(
                acquire(operation -> CompletableFuture.completedFuture(List.of())),
                IndexOutOfBoundsException.class);
        waits.lookAgain();
        assertThat(looks).isEmpty();
    }

    @Test
    void aPlaceInTheQueueThatCanNotBeReadIsAnUnknownOutcomeAndNobodyLooksForTheRequestAgain() {
        assertUnknown(
                acquire(operation -> CompletableFuture.completedFuture(answer("Q"))),
                IndexOutOfBoundsException.class);
        waits.lookAgain();
        assertThat(looks).isEmpty();
    }

    @Test
    void aRequestWhoseWaitIsOverAndThatNobodyCanAskForIsAnUnknownOutcome() {
        CompletableFuture<Polled<Acquisition>> acquiring = acquire(
                operation -> CompletableFuture.completedFuture(answer("Q", 1L, 1_000_000L)));
        StoreUnavailableException moving = new StoreUnavailableException("TRYAGAIN");
        for (int second = 0; second < 34; second++) {
            time.advance(Duration.ofSeconds(1));
            looks.forEach(look -> look.completeExceptionally(moving));
        }
        assertThat(acquiring).isNotDone();
        time.advance(Duration.ofSeconds(1));
        looks.forEach(look -> look.completeExceptionally(moving));
        time.advance(Duration.ofSeconds(1));
        looks.forEach(look -> look.completeExceptionally(moving));
        assertUnknown(acquiring, StoreUnavailableException.class);
        int before = looks.size();
        time.advance(Duration.ofSeconds(2));
        assertThat(looks).hasSize(before);
    }

    @Test
    void aRequestThatCanNotBeSentIsAnUnknownOutcomeAndNobodyLooksForItAgain() {
        assertUnknown(
                acquire(operation -> {
                    throw new NoClassDefFoundError("com/example/Gone");
                }),
                NoClassDefFoundError.class);
        waits.lookAgain();
        assertThat(looks).isEmpty();
    }

    @Test
    void whatIsFoundOfARequestAndCanNotBeReadIsAnUnknownOutcome() {
        CompletableFuture<Polled<Acquisition>> acquiring =
                acquire(operation -> CompletableFuture.completedFuture(answer("Q", 1L, 1_000L)));
        waits.lookAgain();
        assertThat(acquiring).isNotDone();
        looks.get(0).complete(List.of());
        assertUnknown(acquiring, IndexOutOfBoundsException.class);
    }
}
