// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Polled;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class WaitsTest {

    private final Waits waits = new Waits(
            operation -> new CompletableFuture<>(),
            new Answers(TableOptions.defaults()),
            VirtualTime.create());

    @Test
    void aGrantThatCanNotBeReadIsAnUnknownOutcome() {
        List<Object> nothingBehindTheLetter = List.of("G".getBytes(US_ASCII));
        CompletableFuture<Polled<Acquisition>> acquiring = waits.acquire(
                Leases.request("ledger", Duration.ofSeconds(30)),
                null,
                operation -> CompletableFuture.completedFuture(nothingBehindTheLetter));

        assertThat(acquiring).isCompletedExceptionally();
        assertThat(acquiring
                        .<@Nullable Throwable>handle((came, failure) -> failure)
                        .join())
                .isInstanceOf(OutcomeUnknownException.class)
                .hasCauseInstanceOf(IndexOutOfBoundsException.class);
    }
}
