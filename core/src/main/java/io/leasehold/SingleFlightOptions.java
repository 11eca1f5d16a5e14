// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.spi.Limits;

import java.time.Duration;

/**
 * How a {@link SingleFlight} behaves. Start from {@link #defaults} and vary it by the {@code with…}
 * methods.
 *
 * @param ttl how long after the death of the process at work another begins
 * @param waitAtMost how long a process waits for another one's work
 * @param keepFor how long callers that come after the work was done still get its value; zero for
 *     only those that were waiting
 */
public record SingleFlightOptions(Duration ttl, Duration waitAtMost, Duration keepFor) {

    public SingleFlightOptions {
        Limits.ttl(ttl);
        Limits.waiting(waitAtMost);
        Limits.keepFor(keepFor);
    }

    /** A lease of 10 s, a wait of a minute, nothing kept. */
    public static SingleFlightOptions defaults() {
        return new SingleFlightOptions(
                Duration.ofSeconds(10), Duration.ofMinutes(1), Duration.ZERO);
    }

    public SingleFlightOptions withTtl(Duration newTtl) {
        return new SingleFlightOptions(newTtl, waitAtMost, keepFor);
    }

    public SingleFlightOptions withWait(Duration atMost) {
        return new SingleFlightOptions(ttl, atMost, keepFor);
    }

    public SingleFlightOptions withKeepFor(Duration retention) {
        return new SingleFlightOptions(ttl, waitAtMost, retention);
    }
}
