// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import java.time.Duration;

/**
 * What a simulation has to bear.
 *
 * @param loss of a message, a probability
 * @param duplication of a request
 * @param longDelay of a message, instead of a few milliseconds
 * @param late by how much a message with a long delay is late at most
 * @param crash of a node, at each turn of the adversary
 * @param forgetting whether a node that crashes forgets, a probability
 * @param drift how far the rates of clocks are off at most
 */
record Weather(
        double loss,
        double duplication,
        double longDelay,
        Duration late,
        double crash,
        double forgetting,
        double drift) {

    private static final Duration LATE = Duration.ofSeconds(5);

    static Weather fair() {
        return new Weather(0, 0, 0, LATE, 0, 0, 0.005);
    }

    /** All that the engine is made to bear. */
    static Weather rough() {
        return new Weather(0.01, 0.01, 0.01, LATE, 0.1, 0.3, 0.0099);
    }

    /** Nodes that go down often and then remember nothing. */
    static Weather forgetful() {
        return new Weather(0.01, 0.01, 0.01, LATE, 0.5, 1, 0.0099);
    }

    /** A network that loses, doubles and delays messages, between machines that stay up. */
    static Weather lossy() {
        return new Weather(0.03, 0.03, 0.01, LATE, 0, 0, 0.0099);
    }

    /** A network in which hardly anything arrives in order, so that much is asked again. */
    static Weather storm() {
        return new Weather(0.06, 0.1, 0.25, Duration.ofMillis(400), 0, 0, 0);
    }

    /** Clocks that run at rates that no bound allows. */
    static Weather wildClocks() {
        return new Weather(0.01, 0.01, 0.01, LATE, 0.1, 0, 0.4);
    }

    /** How many of eight times a lease is held for long: always, if clocks or memory matter. */
    int longHolds() {
        return drift > 0.01 || forgetting > 0.5 ? 8 : 1;
    }

    /** The same with healthy machines and no messages lost or late. */
    Weather calm() {
        return new Weather(0, 0, 0, LATE, 0, 0, drift);
    }
}
