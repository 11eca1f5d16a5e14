// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import io.leasehold.spi.Time;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what a server does on its own threads and tells nobody about. */
public final class Await {

    private Await() {}

    public static void until(BooleanSupplier condition) {
        long end = Time.system().nanos() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            if (Time.system().nanos() - end >= 0) {
                throw new AssertionError("it did not come true within 30 s");
            }
            aMoment();
        }
    }

    public static void aMoment() {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }
}
