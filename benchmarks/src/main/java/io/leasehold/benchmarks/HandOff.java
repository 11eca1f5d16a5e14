// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.time.Duration;

/** A contended lock: somebody holds it, others wait, and whoever has it gives it up at once and waits again. */
interface HandOff {

    /**
     * Lets the lock go round for the given time, once all have joined, and returns how long each release took to reach
     * the next holder.
     */
    Latencies run(int waiters, Duration length);
}
