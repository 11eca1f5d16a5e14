// SPDX-License-Identifier: Apache-2.0
package io.leasehold.lincheck;

import io.leasehold.spi.Time;

import java.time.Duration;

/**
 * Time that stands still and whose timers never fire: the simplest there is, so that a model checker spends its
 * schedules on the code under test.
 */
final class StillTime implements Time {

    @Override
    public long nanos() {
        return 0;
    }

    @Override
    public long wallMillis() {
        return 0;
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        return () -> {};
    }
}
