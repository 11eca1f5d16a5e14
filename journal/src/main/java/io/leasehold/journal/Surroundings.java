// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.spi.Disk;
import io.leasehold.spi.Time;
import io.leasehold.table.Deliveries;

import java.security.SecureRandom;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * What a store is given to live in, so that a test or a simulation can own all of it.
 *
 * @param time clock and timers
 * @param disk files
 * @param threads who does the work, once there is any
 * @param deliveries who tells the events
 * @param random where the ids of new stores come from
 */
record Surroundings(
        Time time,
        Disk disk,
        Supplier<Threads> threads,
        Deliveries deliveries,
        RandomGenerator random) {

    /** One in which events are told by the thread that delivers answers. */
    Surroundings(Time time, Disk disk, Supplier<Threads> threads) {
        this(time, disk, threads, new Deliveries(), new SecureRandom());
    }

    /** Who writes and who tidies up. */
    interface Threads {

        /** Runs one task at a time: to write the log. */
        Executor writer();

        /** Runs tasks one after the other: to lay out segments, write snapshots, look for the lock file. */
        Executor housekeeper();

        /** Runs what is due by an alarm, which takes no time and no disk. */
        Executor alarms();

        /** Waits for the tasks that have begun; others are dropped. */
        void close();
    }
}
