// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * How much trouble to take.
 *
 * @param rounds how often everything is measured, in turn; the medians are reported
 * @param timing of each measurement with JMH
 * @param sizes how many leases and calls there are
 * @param handOff how long each contended lock or office is measured
 * @param renewal for how long the cost of renewing is watched
 * @param disk a directory on a real disk, for suites that write; made if it is missing
 */
record Effort(
        int rounds, Timing timing, Sizes sizes, Duration handOff, Duration renewal, Path disk) {

    private static final Path DISK = Path.of("target", "disk");

    /**
     * One measurement with JMH.
     *
     * @param forks 1 for a process of its own, 0 for this one
     * @param threads how many threads to try where that matters, ascending
     */
    record Timing(int forks, List<Integer> threads, Duration warmUp, Duration measurement) {}

    /**
     * How many leases and calls there are.
     *
     * @param names numbers of live names among which to acquire, ascending
     * @param ranges numbers of live byte ranges among which to acquire, ascending
     * @param idle how many leases to weigh
     * @param renewed how many leases to renew
     * @param calls how many calls there are on a hot key
     * @param clients how many clients of a server wait for a lock at most
     */
    record Sizes(
            List<Integer> names,
            List<Integer> ranges,
            int idle,
            int renewed,
            int calls,
            int clients) {}

    /** For figures to be quoted: about sixteen minutes, half of them for Redis. */
    static Effort full() {
        return new Effort(
                3,
                new Timing(1, List.of(1, 2, 64), Duration.ofSeconds(3), Duration.ofSeconds(1)),
                new Sizes(
                        List.of(1_000, 10_000, 100_000, 1_000_000),
                        List.of(10, 100, 1_000, 10_000),
                        1_000_000,
                        100_000,
                        1_000_000,
                        64),
                Duration.ofSeconds(1),
                Duration.ofSeconds(20),
                DISK);
    }

    /** For a first look: about four minutes. */
    static Effort quick() {
        return new Effort(
                1,
                new Timing(1, List.of(1, 2, 64), Duration.ofMillis(1_000), Duration.ofMillis(300)),
                new Sizes(
                        List.of(1_000, 1_000_000),
                        List.of(10, 10_000),
                        1_000_000,
                        100_000,
                        200_000,
                        64),
                Duration.ofMillis(200),
                Duration.ofSeconds(5),
                DISK);
    }

    /** To see that everything runs; the figures mean nothing. */
    static Effort smoke() {
        return new Effort(
                1,
                new Timing(0, List.of(1, 2), Duration.ofMillis(1), Duration.ofMillis(1)),
                new Sizes(List.of(10, 100), List.of(10, 100), 1_000, 100, 1_000, 2),
                Duration.ofMillis(10),
                Duration.ofMillis(100),
                DISK);
    }

    /** The same on another disk. */
    Effort withDisk(Path directory) {
        return new Effort(rounds, timing, sizes, handOff, renewal, directory);
    }
}
