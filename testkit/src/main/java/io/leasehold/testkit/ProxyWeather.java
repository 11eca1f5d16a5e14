// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** What a {@link TcpProxy} does at present to the bytes of one direction. Thread-safe. */
final class ProxyWeather {

    enum Fate {
        ARRIVES,
        LOST,
        /** Only some of them arrive, and the connection breaks. */
        TORN,
        /** The connection ended while the bytes waited. */
        TOO_LATE
    }

    // guards the fields below
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private long delayNanos;
    private boolean loses;
    private boolean tears;

    void delay(Duration delay) {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("a delay below zero: " + delay);
        }
        change(() -> delayNanos = delay.toNanos());
    }

    void lose() {
        change(() -> loses = true);
    }

    void tear() {
        change(() -> tears = true);
    }

    void heal() {
        change(() -> {
            delayNanos = 0;
            tears = false;
            loses = false;
        });
    }

    /** Lets those who wait look again whether their connection lives. */
    void wake() {
        change(() -> {});
    }

    private void change(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits as long as bytes that came now have to, and says what becomes of them. */
    Fate await(BooleanSupplier alive) throws InterruptedException {
        long came = Time.system().nanos();
        lock.lock();
        try {
            long left = delayNanos;
            while (left > 0 && alive.getAsBoolean()) {
                changed.awaitNanos(left);
                left = came + delayNanos - Time.system().nanos();
            }
            if (!alive.getAsBoolean()) {
                return Fate.TOO_LATE;
            }
            if (tears) {
                return Fate.TORN;
            }
            return loses ? Fate.LOST : Fate.ARRIVES;
        } finally {
            lock.unlock();
        }
    }
}
