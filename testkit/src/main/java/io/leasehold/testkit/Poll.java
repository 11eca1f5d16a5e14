// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what a foreign process does and tells nobody about: asks again every few milliseconds. */
final class Poll {

    private static final Duration PAUSE = Duration.ofMillis(5);

    private Poll() {}

    /**
     * Returns as soon as the condition holds.
     *
     * @throws IllegalStateException with the given words if it does not in time, or on an interrupt
     */
    static void until(Duration bound, BooleanSupplier condition, Supplier<String> otherwise) {
        long end = Time.system().nanos() + bound.toNanos();
        while (!condition.getAsBoolean()) {
            if (Time.system().nanos() - end >= 0) {
                throw new IllegalStateException(otherwise.get());
            }
            LockSupport.parkNanos(PAUSE.toNanos());
            if (Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("interrupted: " + otherwise.get());
            }
        }
    }
}
