// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.LeaseEvent;
import io.leasehold.testkit.Fault;
import io.leasehold.testkit.Faults;
import io.leasehold.testkit.SkewedTime;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Eight processes on one store, over networks that fail, with clocks that drift and processes that
 * stop, doing what a test has them do. All of it follows from the seed.
 */
final class Cluster {

    static final Duration TTL = Duration.ofSeconds(2);
    static final Duration STEP = Duration.ofMillis(50);
    private static final Duration PATIENCE = Duration.ofMillis(800);
    private static final Duration LONGEST_WORK = Duration.ofSeconds(3);

    final SplittableRandom random;
    final World world;
    final List<Node> nodes = new ArrayList<>();
    final List<String> violations = new ArrayList<>();
    final Map<String, Long> counts = new TreeMap<>();
    private boolean healing;

    Cluster(long seed) {
        random = new SplittableRandom(seed);
        VirtualTime time = VirtualTime.startingAt(random.nextLong());
        world = World.on(time, SkewedTime.of(time, Duration.ZERO, World.rate(random)));
        for (int i = 0; i < 8; i++) {
            SkewedTime clocks = SkewedTime.of(
                    time, Duration.ofSeconds(random.nextInt(1000)), World.rate(random));
            String name = "node-" + i + "-" + random.nextInt();
            nodes.add(Node.working(world, name, clocks, PATIENCE, LONGEST_WORK));
        }
        nodes.forEach(node -> node.network.change(randomFaults()));
        world.store.subscribe(event -> {
            if (event instanceof LeaseEvent.Changed changed) {
                count("store: " + changed.change());
            }
        });
    }

    private Faults randomFaults() {
        return Faults.none()
                .losingRequests(random.nextDouble() / 16)
                .losingReplies(random.nextDouble() / 16)
                .duplicatingRequests(random.nextDouble() / 16)
                .turningAway(random.nextDouble() / 16)
                .breakingOff(random.nextDouble() / 16)
                .delaying(
                        Duration.ZERO,
                        Duration.ofMillis(random.nextInt(3) == 0 ? 0 : 1L << random.nextInt(9)));
    }

    /** Lets a step pass, in which a process may stop or be cut off for a while, or come back. */
    void step() {
        if (random.nextInt(20) == 0) {
            Node node = oneOf(nodes);
            switch (random.nextInt(4)) {
                case 0 -> {
                    node.network.cutOff(true);
                    count("cut off");
                }
                case 1 -> {
                    node.process.pause();
                    count("paused");
                }
                default -> revive(node);
            }
        }
        world.pass(STEP);
        assertThat(violations).isEmpty();
    }

    /** Work that once in a while lasts for longer than its lease, because its process stops. */
    void workOn(Node node) {
        if (healing || random.nextInt(20) > 0) {
            return;
        }
        node.process.pause();
        count("paused at work");
        for (long i = TTL.multipliedBy(3).dividedBy(STEP); i > 0; i--) {
            step();
        }
        revive(node);
    }

    private static void revive(Node node) {
        node.network.cutOff(false);
        node.process.resume();
    }

    /** Everything works again, for as long as whoever waits may need. */
    void heal(Duration span) {
        healing = true;
        for (Node node : nodes) {
            node.heal();
            revive(node);
        }
        for (long i = span.dividedBy(STEP); i > 0; i--) {
            world.pass(STEP);
        }
        assertThat(violations).isEmpty();
    }

    void close() {
        nodes.forEach(node -> {
            for (Fault fault : Fault.values()) {
                counts.merge(fault.name(), node.network.fired(fault), Long::sum);
            }
            node.leasehold.close();
        });
    }

    long counted(String what) {
        return counts.getOrDefault(what, 0L);
    }

    <T> T oneOf(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    void count(String what) {
        counts.merge(what, 1L, Long::sum);
    }
}
