// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.Ending;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

final class RepeatedWithdrawalTest {

    private final VirtualTime time = VirtualTime.create();
    private Supplier<CompletionStage<Ending>> store =
            () -> CompletableFuture.completedFuture(new Ending.Ended());
    private final RepeatedWithdrawal withdrawal = new RepeatedWithdrawal(time, () -> store.get());

    @Test
    void aStoreThatThrowsAnErrorIsAFailureLikeAnyOther() {
        store = () -> {
            throw new NoClassDefFoundError("com/example/Gone");
        };
        assertThat(withdrawal.attempt().toCompletableFuture()).isCompletedExceptionally();
        assertThat(withdrawal.attempt().toCompletableFuture()).isCompletedExceptionally();
        assertThat(withdrawal.pause()).as("grows").isEqualTo(Duration.ofSeconds(2));
        assertThat(time.pendingTimers()).isZero();

        store = () -> CompletableFuture.completedFuture(new Ending.Ended());

        assertThat(withdrawal.attempt().toCompletableFuture())
                .isCompletedWithValue(new Ending.Ended());
        assertThat(withdrawal.pause()).isEqualTo(Duration.ofSeconds(1));
    }
}
