// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.time.Duration;

/**
 * Runs a random sequence of commands against a store and against the reference rules, {@link
 * io.leasehold.table.LeaseTable}, and compares every answer, including the late ones to requests that queued. The
 * commands are decided by the seed: acquire, repeat, withdraw, also unless used, renew, rotate, release, also by
 * force, complete, list, check, with live, stale and forged grants, on few overlapping scopes, with time passing in between.
 *
 * <pre>{@code
 * DifferentialDriver.of(seed).steps(10_000).run(opened);
 * }</pre>
 *
 * <p>Tokens may have other values than the table's, but must be in the same order. The store must be empty, its bounds
 * the usual ones, and its retry window at least 60 {@linkplain #unit units}. Immutable.
 *
 * @param seed decides the commands
 * @param steps how many commands
 * @param unit of which all ttls, waits and retentions are multiples; at least 100 ms
 * @param tolerance how far the store's idea of time may be off; zero where time is virtual. Otherwise no command is
 *     sent within that distance of a moment at which something ends, and no two such moments may decide about the same
 *     waiter
 * @param patience how long to wait, in real time, for an answer that is due
 * @param tick the least time that the store can tell apart, where time is virtual
 */
public record DifferentialDriver(
        long seed, int steps, Duration unit, Duration tolerance, Duration patience, Duration tick) {

    public DifferentialDriver {
        if (steps < 0
                || tick.isNegative()
                || tick.isZero()
                || tolerance.isNegative()
                || patience.isNegative()) {
            throw new IllegalArgumentException(
                    "steps, tolerance and patience can't be negative, a tick not zero");
        }
        if (unit.compareTo(Duration.ofMillis(100)) < 0
                || unit.compareTo(tolerance.multipliedBy(8)) < 0) {
            throw new IllegalArgumentException(
                    "a unit of " + unit + " is below 100 ms or 8 times the tolerance");
        }
    }

    /** A thousand commands in virtual time. */
    public static DifferentialDriver of(long seed) {
        return new DifferentialDriver(
                seed,
                1000,
                Duration.ofSeconds(1),
                Duration.ZERO,
                Duration.ofSeconds(5),
                Duration.ofNanos(1));
    }

    public DifferentialDriver steps(int changed) {
        return new DifferentialDriver(seed, changed, unit, tolerance, patience, tick);
    }

    public DifferentialDriver unit(Duration changed) {
        return new DifferentialDriver(seed, steps, changed, tolerance, patience, tick);
    }

    public DifferentialDriver tolerance(Duration changed) {
        return new DifferentialDriver(seed, steps, unit, changed, patience, tick);
    }

    public DifferentialDriver patience(Duration changed) {
        return new DifferentialDriver(seed, steps, unit, tolerance, changed, tick);
    }

    public DifferentialDriver tick(Duration changed) {
        return new DifferentialDriver(seed, steps, unit, tolerance, patience, changed);
    }

    /**
     * Runs the commands.
     *
     * @return what was seen, so that a test can demand that a run was not vacuous
     * @throws AssertionError at the first difference, with the seed, the step, the command and both answers
     */
    public DifferentialReport run(StoreUnderTest opened) {
        return new DifferentialRun(this, opened).run();
    }
}
