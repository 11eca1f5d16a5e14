// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The machine's clocks, and timers on the delay thread that the JDK runs for {@link
 * CompletableFuture}.
 */
@SystemCalls
final class SystemTime implements Time {

    static final Time SHARED = new SystemTime();

    private SystemTime() {}

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public long wallMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        // true when it is time, false when it was cancelled: an exception for that would cost more
        // than all the rest
        CompletableFuture<Boolean> due = new CompletableFuture<>();
        CompletableFuture<Void> unused = due.completeOnTimeout(
                        true, delay.toNanos(), TimeUnit.NANOSECONDS)
                .thenAccept(inTime -> {
                    if (inTime) {
                        task.run();
                    }
                });
        return () -> due.complete(false);
    }
}
