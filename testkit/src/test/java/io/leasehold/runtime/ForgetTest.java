// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Codec;
import io.leasehold.Flight;
import io.leasehold.SingleFlight;
import io.leasehold.SingleFlightOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** After {@code forget} has returned nobody gets what was made before. */
final class ForgetTest {

    private final World world = World.create();
    private final Node one = world.client("one");
    private final SingleFlight<String> flights = one.leasehold.singleFlight(
            "reports",
            Codec.strings(),
            SingleFlightOptions.defaults().withKeepFor(Duration.ofHours(1)));

    @Test
    void aCallerThatComesAfterForgetDoesNotJoinOneThatCameWhileItRan() {
        flights.get("june", token -> "old");
        List<CompletableFuture<Flight<String>>> during = new ArrayList<>();
        one.wire.beforeSending = () -> { // forget has begun, and the store does not know yet
            one.wire.beforeSending = () -> {};
            one.delay(Duration.ofSeconds(1));
            during.add(flights.getAsync("june", token -> "new"));
            world.pass(Duration.ofSeconds(1)); // the store has answered with the old value
            one.heal();
        };

        flights.forget("june");
        CompletableFuture<Flight<String>> after = flights.getAsync("june", token -> "new");
        world.pass(Duration.ofSeconds(1));

        assertThat(during).hasSize(1).allMatch(CompletableFuture::isDone);
        assertThat(during.get(0).join().value()).isEqualTo("old");
        assertThat(after.join().value()).isEqualTo("new");
    }
}
