// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.memory.MemoryQuorumNode;
import io.leasehold.spi.Time;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.SkewedTime;

import java.time.Duration;
import java.util.SplittableRandom;

/** A machine with a node on it: it has a clock of its own, may be down, and may forget. */
final class SimulatedNode {

    private static final TableOptions BOUNDS =
            new TableOptions(100_000, 1000, Duration.ofMinutes(1), 4096);

    private final Time clock;
    private final SplittableRandom random;
    private MemoryQuorumNode node;
    private boolean down;
    private int crashes;

    SimulatedNode(Time time, double rate, SplittableRandom random) {
        this.clock = SkewedTime.of(time, Duration.ZERO, rate);
        this.random = random;
        this.node = fresh();
    }

    private MemoryQuorumNode fresh() {
        return MemoryQuorumNode.create(BOUNDS, clock, random.nextLong());
    }

    /** Goes down: what is under way there is lost. */
    void crash(boolean forgets) {
        down = true;
        crashes++;
        if (forgets) {
            node = fresh();
        }
    }

    void start() {
        down = false;
    }

    boolean isDown() {
        return down;
    }

    MemoryQuorumNode node() {
        return node;
    }

    /** Tells apart what was asked before a crash. */
    int crashes() {
        return crashes;
    }
}
