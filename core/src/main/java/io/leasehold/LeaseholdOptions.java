// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.listener.LeaseholdListener;
import io.leasehold.model.Holder;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * The settings of a {@link Leasehold}. Start from {@link #defaults} and vary it by the {@code
 * with…} methods.
 *
 * @param holder the label that others see; by default this process and host
 * @param clockBounds how far clocks may disagree
 * @param patience how long a call waits for a store that does not answer, beyond any wait for a
 *     lock
 * @param closeStore whether closing the {@code Leasehold} closes the store too; true by default
 * @param closeGrace how long {@link Leasehold#close} waits for bodies that still run; 10 s by
 *     default, at most an hour, zero not to wait
 * @param environment time, threads and randomness; by default the machine's, with threads of its
 *     own
 * @param workers where the work of single flights and the bodies of elections run; by default
 *     daemon threads of its own, a thousand at most. It must not queue work behind other work
 *     without bound: virtual threads are a good choice where there are any
 * @param listener hears what this process sees of its locks, for meters and traces; by default none
 */
public record LeaseholdOptions(
        Holder holder,
        ClockBounds clockBounds,
        Duration patience,
        boolean closeStore,
        Duration closeGrace,
        Optional<Environment> environment,
        Optional<Executor> workers,
        LeaseholdListener listener) {

    public LeaseholdOptions {
        if (patience.compareTo(Duration.ofMillis(10)) < 0
                || patience.compareTo(Duration.ofMinutes(1)) > 0) {
            throw new IllegalArgumentException(
                    "patience " + patience + " is outside 10 ms to 1 min");
        }
        if (closeGrace.isNegative() || closeGrace.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException(
                    "closeGrace " + closeGrace + " is outside zero to 1 h");
        }
    }

    public static LeaseholdOptions defaults() {
        return new LeaseholdOptions(
                ThisProcess.holder(),
                ClockBounds.defaults(),
                Duration.ofSeconds(5),
                true,
                Duration.ofSeconds(10),
                Optional.empty(),
                Optional.empty(),
                LeaseholdListener.none());
    }

    public LeaseholdOptions withHolder(String label) {
        return new LeaseholdOptions(
                new Holder(label),
                clockBounds,
                patience,
                closeStore,
                closeGrace,
                environment,
                workers,
                listener);
    }

    public LeaseholdOptions withClockBounds(ClockBounds bounds) {
        return new LeaseholdOptions(
                holder, bounds, patience, closeStore, closeGrace, environment, workers, listener);
    }

    public LeaseholdOptions withPatience(Duration newPatience) {
        return new LeaseholdOptions(
                holder,
                clockBounds,
                newPatience,
                closeStore,
                closeGrace,
                environment,
                workers,
                listener);
    }

    /** Waits so long for bodies that still run when the {@code Leasehold} closes. */
    public LeaseholdOptions withCloseGrace(Duration newGrace) {
        return new LeaseholdOptions(
                holder,
                clockBounds,
                patience,
                closeStore,
                newGrace,
                environment,
                workers,
                listener);
    }

    /** Leaves the store open when the {@code Leasehold} closes, for a store that several share. */
    public LeaseholdOptions withStoreLeftOpen() {
        return new LeaseholdOptions(
                holder, clockBounds, patience, false, closeGrace, environment, workers, listener);
    }

    public LeaseholdOptions withEnvironment(Environment given) {
        return new LeaseholdOptions(
                holder,
                clockBounds,
                patience,
                closeStore,
                closeGrace,
                Optional.of(given),
                workers,
                listener);
    }

    public LeaseholdOptions withWorkers(Executor given) {
        return new LeaseholdOptions(
                holder,
                clockBounds,
                patience,
                closeStore,
                closeGrace,
                environment,
                Optional.of(given),
                listener);
    }

    /** Tells the listener what this process sees of its locks. */
    public LeaseholdOptions withListener(LeaseholdListener given) {
        return new LeaseholdOptions(
                holder, clockBounds, patience, closeStore, closeGrace, environment, workers, given);
    }
}
