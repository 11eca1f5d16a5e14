// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.spi.Time;

import java.time.Duration;

/** A time for whose timers there is no thread while the machine has none to give. */
final class TimersThatFail implements Time {

    private final Time time;
    boolean fail;

    TimersThatFail(Time time) {
        this.time = time;
    }

    @Override
    public long nanos() {
        return time.nanos();
    }

    @Override
    public long wallMillis() {
        return time.wallMillis();
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        if (fail) {
            throw new InternalError("no thread can be had (thrown by a test)");
        }
        return time.schedule(delay, task);
    }
}
