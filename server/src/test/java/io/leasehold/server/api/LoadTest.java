// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What becomes of the limit, and of the caller, when a call fails in any way. */
final class LoadTest {

    private final Load load = new Load("calls", 1, Failures::ofReading);

    @Test
    void aCallThatFailsWithAnErrorGivesItsPlaceBack() {
        Supplier<CompletableFuture<String>> broken = () -> {
            throw new NoClassDefFoundError("gone");
        };
        assertThat(load.carry(CallId.NONE, broken, answer -> answer)).isCompletedExceptionally();
        assertThat(load.underWay()).isZero();
        assertThat(load.carry(
                        CallId.NONE,
                        () -> CompletableFuture.completedFuture("done"),
                        answer -> answer))
                .isCompletedWithValue("done");
    }

    @Test
    void anAnswerThatCantBeWrittenForAnErrorIsAFailureOfTheCall() {
        CompletableFuture<String> asked = new CompletableFuture<>();
        CompletableFuture<?> reply = load.carry(CallId.NONE, () -> asked, answer -> {
                    throw new StackOverflowError();
                })
                .toCompletableFuture();
        assertThat(reply).isNotDone();
        asked.complete("done");
        assertThat(reply).isCompletedExceptionally();
        assertThat(load.underWay()).isZero();
    }

    @Test
    void aCallOverTheLimitIsRefusedAndTakesNoPlace() {
        CompletableFuture<String> first = new CompletableFuture<>();
        assertThat(load.carry(CallId.NONE, () -> first, answer -> answer)).isNotDone();
        assertThat(load.carry(CallId.NONE, () -> first, answer -> answer))
                .isCompletedExceptionally();
        first.complete("done");
        assertThat(load.carry(CallId.NONE, () -> first, answer -> answer))
                .isCompletedWithValue("done");
    }
}
