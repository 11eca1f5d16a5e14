// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.spi.QuorumNode;
import io.leasehold.spi.Time;
import io.leasehold.testkit.SkewedTime;
import io.leasehold.testkit.VirtualTime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Nodes, clients, an adversary and a history, all on one thread and one clock, decided by a seed.
 */
final class Cluster {

    static final Duration LONGEST_TTL = Duration.ofSeconds(3);
    static final Duration PATIENCE = Duration.ofMillis(100);
    static final QuorumOptions OPTIONS =
            QuorumOptions.defaults().withLongestTtl(LONGEST_TTL).withPatience(PATIENCE);
    private static final Duration TURN = Duration.ofMillis(400);

    private final VirtualTime time = VirtualTime.create();
    private final SplittableRandom random;
    private final Safeguards safeguards;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<SimulatedClient> clients = new ArrayList<>();
    private final History history;
    private Weather weather;

    Cluster(long seed, int size, int howManyClients, Weather weather, Safeguards safeguards) {
        this.random = new SplittableRandom(seed);
        this.weather = weather;
        this.safeguards = safeguards;
        this.history = new History(time);
        for (int i = 0; i < size; i++) {
            nodes.add(new SimulatedNode(time, rate(), random.split()));
        }
        for (int i = 0; i < howManyClients; i++) {
            clients.add(new SimulatedClient(this, "client-" + i));
        }
    }

    History run(Duration span) {
        found();
        clients.forEach(SimulatedClient::begin);
        after(TURN, this::turn);
        time.advance(span);
        return history;
    }

    /** Ends all trouble and lets everybody finish. */
    void heal() {
        weather = weather.calm();
        nodes.forEach(SimulatedNode::start);
        time.advance(LONGEST_TTL.multipliedBy(5));
        clients.forEach(SimulatedClient::stop);
        time.advance(LONGEST_TTL.multipliedBy(5));
    }

    /** Now and then a node goes down or comes back, or a client dies and another takes its place. */
    private void turn() {
        SimulatedNode node = nodes.get(random.nextInt(nodes.size()));
        if (node.isDown()) {
            node.start();
        } else if (happens(weather.crash())) {
            node.crash(happens(weather.forgetting()));
            history.note(weather.forgetting() > 0 ? "crash" : "crash with memory");
        }
        if (happens(weather.crash() / 4)) {
            clients.get(random.nextInt(clients.size())).die();
        }
        after(Duration.ofNanos(1 + random.nextLong(2 * TURN.toNanos())), this::turn);
    }

    /** Nodes that are new are admitted at once; from then on, whoever forgot is not. */
    void found() {
        Weather later = weather;
        weather = weather.calm();
        QuorumLeaseStore first = open(wires(), OPTIONS.asNew(), time);
        time.advance(PATIENCE.multipliedBy(2));
        weather = later;
        if (!first.guarantees().caveats().isEmpty()) {
            throw new AssertionError(first.guarantees().caveats());
        }
    }

    QuorumLeaseStore open(List<Wire> wires, Time clock) {
        return open(wires, OPTIONS, clock);
    }

    QuorumLeaseStore open(List<Wire> wires, QuorumOptions options, Time clock) {
        List<QuorumNode> ways = List.copyOf(wires);
        return new QuorumLeaseStore(options, ways, clock, random.split(), safeguards);
    }

    /** Lets time pass until the answer is there, for a minute at most. */
    <T> T await(CompletionStage<T> stage) {
        CompletableFuture<T> answer = stage.toCompletableFuture();
        for (int i = 0; i < 60_000 && !answer.isDone(); i++) {
            time.advance(Duration.ofMillis(1));
        }
        if (!answer.isDone()) {
            throw new AssertionError("no answer within a minute");
        }
        return answer.join();
    }

    void pass(Duration span) {
        time.advance(span);
    }

    Time time() {
        return time;
    }

    SimulatedNode node(int index) {
        return nodes.get(index);
    }

    List<Wire> wires() {
        return nodes.stream().map(node -> new Wire(this, node)).toList();
    }

    /** A clock of a machine: its rate is off, its date is not. */
    Time clock() {
        Time skewed = SkewedTime.of(time, Duration.ZERO, rate());
        return new Time() {
            @Override
            public long nanos() {
                return skewed.nanos();
            }

            @Override
            public long wallMillis() {
                return time.wallMillis();
            }

            @Override
            public Timer schedule(Duration delay, Runnable task) {
                return skewed.schedule(delay, task);
            }
        };
    }

    private double rate() {
        return 1 + weather.drift() * (2 * random.nextDouble() - 1);
    }

    List<SimulatedClient> clients() {
        return clients;
    }

    History history() {
        return history;
    }

    Weather weather() {
        return weather;
    }

    SplittableRandom random() {
        return random;
    }

    boolean happens(double chance) {
        return chance > 0 && random.nextDouble() < chance;
    }

    void after(Duration delay, Runnable task) {
        Time.Timer unused = time.schedule(delay, task);
    }
}
