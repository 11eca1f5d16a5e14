// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait before the next attempt to connect: hardly at all until each server was tried,
 * then twice as long after every round, up to a few seconds, and never the same for all clients.
 * The count begins anew with the first answer on a connection, so that a server which takes
 * connections and drops them is not asked for ever without a pause. Used by one thread at a time.
 */
final class Pauses {

    private static final long FIRST_NANOS = 20_000_000;
    private static final int MAX_DOUBLINGS = 7;
    private static final int MAX_ROUNDS_OF_PROMISES = 3;

    private final int servers;
    private final RandomGenerator random;
    // without an answer in between
    private int row;
    private int failures;

    Pauses(int servers, RandomGenerator random) {
        this.servers = servers;
        this.random = random;
    }

    /** How many attempts and connections have failed so far: where in the round it is. */
    int failures() {
        return failures;
    }

    void failed() {
        failures = failures == Integer.MAX_VALUE ? 0 : failures + 1;
        row = Math.min(row + 1, Integer.MAX_VALUE - 1);
    }

    void succeeded() {
        row = 0;
    }

    /** A server is there, but whether it will do anything is yet to be seen. */
    void cameUp() {
        row = Math.min(row, MAX_ROUNDS_OF_PROMISES * servers);
    }

    /** Whether some server has not been tried yet since the last answer. */
    boolean isFirstRound() {
        return row < servers - 1;
    }

    /** Whether each server was tried, and none was to be had. */
    boolean isRoundOver() {
        return row >= servers;
    }

    Duration next() {
        long pause = FIRST_NANOS << Math.min((row - 1) / servers, MAX_DOUBLINGS);
        return Duration.ofNanos((long) (pause * (0.5 + random.nextDouble())));
    }
}
