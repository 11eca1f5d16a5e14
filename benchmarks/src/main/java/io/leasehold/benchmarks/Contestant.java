// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.spi.LeaseStore;

import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * A library with locks on Redis.
 *
 * @param name what the table calls it
 * @param kind how it is judged
 * @param parts what is measured of it
 * @param connector makes its clients
 */
record Contestant(String name, Kind kind, Set<Part> parts, Connector connector) {

    static final String LETTUCE = "raw Lettuce";
    static final String FENCED = "Redisson RFencedLock";

    /** How a contestant is judged. */
    enum Kind {
        /** What Redis and a client library give by hand. */
        LIMIT,
        PEER,
        OURS
    }

    /** What there is to measure. */
    enum Part {
        UNCONTENDED,
        CONTENDED,
        HAND_OFF
    }

    /** Makes a client. */
    interface Connector {

        /** Connects a client that so many threads will share. */
        LockClient connect(URI server, int threads);
    }

    /** All but ourselves, in the order of their turns. */
    static List<Contestant> others() {
        Set<Part> all = Set.of(Part.values());
        Set<Part> alone = Set.of(Part.UNCONTENDED);
        Set<Part> together = Set.of(Part.CONTENDED, Part.HAND_OFF);
        Set<Part> spinning = Set.of(Part.UNCONTENDED, Part.CONTENDED);
        return List.of(
                new Contestant(LETTUCE, Kind.LIMIT, alone, LettuceLocks::connect),
                new Contestant("Redisson RLock", Kind.PEER, all, RedissonLocks::plain),
                new Contestant(FENCED, Kind.PEER, all, RedissonLocks::fenced),
                new Contestant("Redisson FairLock", Kind.PEER, together, RedissonLocks::fair),
                new Contestant("ShedLock on Jedis", Kind.PEER, spinning, ShedLocks::onJedis),
                new Contestant("ShedLock on Spring", Kind.PEER, alone, ShedLocks::onSpring),
                new Contestant("Spring registry", Kind.PEER, all, SpringLocks::connect));
    }

    /** Ourselves: as users have it, and the engine alone. */
    static List<Contestant> ours(Function<URI, LeaseStore> engine) {
        Set<Part> all = Set.of(Part.values());
        return List.of(
                new Contestant(
                        "Leasehold FencedLock",
                        Kind.OURS,
                        all,
                        (server, threads) -> new FencedLocks(engine.apply(server))),
                new Contestant(
                        "Leasehold's engine",
                        Kind.OURS,
                        all,
                        (server, threads) -> new EngineLocks(engine.apply(server))));
    }

    /** Those of which a part is measured. */
    static List<Contestant> in(Part part, List<Contestant> field) {
        return field.stream()
                .filter(contestant -> contestant.parts().contains(part))
                .toList();
    }

    LockClient connect(URI server, int threads) {
        return connector.connect(server, threads);
    }

    @Override
    public String toString() {
        return name;
    }
}
