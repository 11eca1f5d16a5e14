// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import java.util.List;

/**
 * What an engine promises beyond the rules that all obey; shown by server, command line and docs.
 *
 * @param engine the engine's name: "memory"
 * @param durable acknowledged grants survive {@code kill -9} of the store
 * @param survivesFailover acknowledged grants survive the loss of the machine they were made on
 * @param clock whose clock decides
 * @param fairQueue waiters are served first come first served
 * @param caveats what in the way it is set up weakens the promise, for people; each says what to do
 */
public record Guarantees(
        String engine,
        boolean durable,
        boolean survivesFailover,
        Clock clock,
        boolean fairQueue,
        List<String> caveats) {

    public Guarantees {
        caveats = List.copyOf(caveats);
    }

    /** Whose clock decides about expiry. */
    public enum Clock {
        /** A monotonic clock that no one can set. */
        MONOTONIC,
        /** A server's wall clock, safe while it is slewed and not stepped. */
        WALL
    }
}
