// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.spi.Guarantees;
import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * What the operations run with.
 *
 * @param version the server's, as it is told
 * @param guarantees the engine's
 * @param bounds how much there may be of everything
 * @param surroundings time, chance and threads
 */
public record OperationsOptions(
        String version, Guarantees guarantees, Bounds bounds, Surroundings surroundings) {

    /**
     * How much there may be at one time.
     *
     * @param acquires what acquires may take
     * @param others of the calls that change something, under way
     * @param reads what listings and other reads may take
     * @param watches open
     * @param eventsKept of each namespace, for watchers that come back
     * @param grace how long an acquire outlives its caller's connection
     */
    public record Bounds(
            Acquires acquires,
            int others,
            Reads reads,
            int watches,
            int eventsKept,
            Duration grace) {

        /** With the usual room for acquires and for listings. */
        public Bounds(
                int acquires, int others, int reads, int watches, int eventsKept, Duration grace) {
            this(Acquires.of(acquires), others, Reads.of(reads), watches, eventsKept, grace);
        }

        public static Bounds defaults() {
            return new Bounds(50_000, 100_000, 1_000, 1_000, 8_192, Duration.ofSeconds(5));
        }
    }

    /**
     * What acquires may take at one time.
     *
     * @param underWay those that wait included
     * @param bytes of memory that they take
     */
    public record Acquires(int underWay, long bytes) {

        /** So many, in a fifth of the heap. */
        public static Acquires of(int underWay) {
            return new Acquires(underWay, Runtime.getRuntime().maxMemory() / 5);
        }
    }

    /**
     * What reads may take at one time.
     *
     * @param underWay those that wait for room included
     * @param bytes of listings between the stores and the network, at least 12 MiB
     */
    public record Reads(int underWay, long bytes) {

        /** So many, with an eighth of the heap for their answers. */
        public static Reads of(int underWay) {
            return new Reads(underWay, Runtime.getRuntime().maxMemory() / 8);
        }
    }

    /**
     * What is given from outside.
     *
     * @param time the only clock
     * @param random the source of secrets
     * @param herald on which watchers are woken
     * @param readers on which stores are read
     */
    public record Surroundings(
            Time time, RandomGenerator random, Executor herald, Executor readers) {

        /** With one executor for both. */
        public Surroundings(Time time, RandomGenerator random, Executor executor) {
            this(time, random, executor, executor);
        }
    }

    Time time() {
        return surroundings.time();
    }

    RandomGenerator random() {
        return surroundings.random();
    }

    Executor herald() {
        return surroundings.herald();
    }

    Executor readers() {
        return surroundings.readers();
    }
}
