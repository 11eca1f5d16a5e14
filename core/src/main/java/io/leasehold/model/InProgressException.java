// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

import java.time.Duration;
import java.util.Optional;

/**
 * The work is still under way, here or elsewhere, and the wait for its result is over. It goes on
 * without this caller: come back later, with the same key.
 */
public final class InProgressException extends LeaseholdException {

    private static final long serialVersionUID = 1;

    private final transient Optional<Holding> runner;
    private final Duration remaining;

    private InProgressException(Optional<Holding> runner, Duration remaining, String message) {
        super(message, null);
        this.runner = runner;
        this.remaining = remaining;
    }

    /** Somebody is at work, and its lease still runs for the given time unless renewed. */
    public static InProgressException at(Holding runner, Duration remaining) {
        return new InProgressException(
                Optional.of(runner),
                remaining,
                "'" + runner.claim().label() + "' is in progress at " + runner.holder()
                        + ", which holds it for another " + Text.seconds(remaining)
                        + " unless renewed (token " + runner.token() + ")");
    }

    /** The wait was over before it was known who does the work. */
    public static InProgressException somewhere(String work) {
        return new InProgressException(
                Optional.empty(),
                Duration.ZERO,
                "'" + Text.excerpt(work) + "' is in progress; the wait for its result is over");
    }

    /** Who is at work, under which token, if that is known. */
    public Optional<Holding> runner() {
        return runner;
    }

    /** How long its lease still runs unless it is renewed. */
    public Duration remaining() {
        return remaining;
    }
}
