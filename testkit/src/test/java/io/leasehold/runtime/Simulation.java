// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.guard.MemoryGuard;
import io.leasehold.model.Claim;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
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

/**
 * Four clients that acquire, hold, write and release at random, over networks that fail, with
 * clocks that drift and processes that stop. All of it follows from the seed.
 */
final class Simulation {

    static final Duration TTL = Duration.ofSeconds(2);
    static final Duration MAX_WAIT = Duration.ofSeconds(4);

    private static final Duration PATIENCE = Duration.ofMillis(800);
    private static final Duration LENGTH = Duration.ofSeconds(8);
    private static final Duration STEP = Duration.ofMillis(100);

    final SplittableRandom random;
    final World world;
    final MemoryGuard<List<Long>> guard;
    private final List<Long> written = new ArrayList<>();
    final List<String> violations =
            new ArrayList<>(); // noted, since callbacks swallow what they throw
    private final List<Simulated> clients = new ArrayList<>();
    private long lastGranted;

    Simulation(long seed) {
        random = new SplittableRandom(seed);
        guard = MemoryGuard.around("resource", written);
        VirtualTime time = VirtualTime.startingAt(random.nextLong());
        world = World.on(time, SkewedTime.of(time, Duration.ZERO, World.rate(random)));
        world.store.subscribe(this::tokensRise);
        for (int i = 0; i < 4; i++) {
            SkewedTime clocks = SkewedTime.of(
                    time, Duration.ofSeconds(random.nextInt(1000)), World.rate(random));
            Node node = Node.of(world, "client-" + i, clocks, PATIENCE, random.nextLong());
            clients.add(new Simulated(this, node));
        }
    }

    private void tokensRise(LeaseEvent event) {
        if (event instanceof LeaseEvent.Changed changed
                && changed.change() == LeaseEvent.Change.GRANTED) {
            long token = changed.holding().token().value();
            if (token <= lastGranted) {
                violations.add("token " + token + " was granted after " + lastGranted);
            }
            lastGranted = token;
        }
    }

    void run() {
        clients.forEach(client -> client.node.network.change(randomFaults()));
        for (Duration past = Duration.ZERO; past.compareTo(LENGTH) < 0; past = past.plus(STEP)) {
            clients.forEach(Simulated::act);
            world.pass(STEP);
            check();
            assertThat(violations).isEmpty();
        }
        healAndFinish();
    }

    private Faults randomFaults() {
        return Faults.none()
                .losingRequests(random.nextDouble() / 8)
                .losingReplies(random.nextDouble() / 8)
                .duplicatingRequests(random.nextDouble() / 8)
                .turningAway(random.nextDouble() / 8)
                .breakingOff(random.nextDouble() / 8)
                .delaying(
                        Duration.ZERO,
                        Duration.ofMillis(random.nextInt(4) == 0 ? 0 : 1L << random.nextInt(11)));
    }

    /** One of three claims; the last two overlap. */
    Claim randomClaim() {
        Scope scope = List.of(Scope.name("a"), Scope.path("/x/y"), Scope.subtree("/x"))
                .get(random.nextInt(3));
        return new Claim(List.of(scope), random.nextInt(5) == 0 ? Mode.SHARED : Mode.EXCLUSIVE);
    }

    /** Nobody may believe to hold what conflicts with what another believes to hold. */
    void check() {
        List<Simulated.Held> valid = new ArrayList<>();
        for (Simulated client : clients) {
            for (Simulated.Held held : client.held) {
                if (held.lease().isValid()) {
                    valid.add(held);
                }
            }
        }
        for (int i = 0; i < valid.size(); i++) {
            for (Simulated.Held other : valid.subList(0, i)) {
                if (valid.get(i).claim().conflictsWith(other.claim())) {
                    violations.add(valid.get(i).lease() + " and " + other.lease() + " at once");
                }
            }
        }
    }

    /** A new holder comes after all whose claims conflict with its own. */
    void assertNewest(Simulated.Held obtained) {
        for (Simulated client : clients) {
            for (Simulated.Held earlier : client.everHeld) {
                if (earlier.claim().conflictsWith(obtained.claim())
                        && !earlier.lease().token().isOlderThan(obtained.lease().token())) {
                    violations.add(obtained.lease() + " after " + earlier.lease());
                }
            }
        }
    }

    private void healAndFinish() {
        clients.forEach(Simulated::heal);
        world.pass(MAX_WAIT.plus(TTL.multipliedBy(3)));
        check();
        clients.forEach(Simulated::closeAll);
        assertThat(world.leases()).as("leases after all were closed").isEmpty();
        for (Simulated client : clients) {
            assertThat(client.node.lock("a").tryUse(lease -> {})).isTrue();
            client.node.leasehold.close();
        }
        assertThat(written).isSorted();
        assertThat(violations).isEmpty();
        assertThat(world.time.pendingTimers()).as("timers at the end").isZero();
    }

    void countInto(Map<String, Long> counts) {
        for (Simulated client : clients) {
            for (Fault fault : Fault.values()) {
                counts.merge(fault.name(), client.node.network.fired(fault), Long::sum);
            }
            client.counts.forEach((what, count) -> counts.merge(what, count, Long::sum));
        }
    }
}
