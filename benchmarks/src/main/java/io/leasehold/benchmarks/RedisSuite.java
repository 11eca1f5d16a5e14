// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.spi.LeaseStore;
import io.leasehold.testkit.RedisServer;

import java.io.PrintStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Locks on one real Redis: those of the libraries that people use for it, side by side. */
final class RedisSuite {

    /**
     * Loggers of others, kept so that their level is: many clients in one process are what is
     * measured here, and Spring's listeners hear messages after their end.
     */
    private static final List<Logger> SILENCED = List.of(
            Logger.getLogger("io.netty.util.HashedWheelTimer"),
            Logger.getLogger("io.lettuce.core.pubsub.PubSubEndpoint"));

    private RedisSuite() {}

    static List<Row> run(Effort effort, PrintStream progress) {
        return run(Optional.empty(), effort, progress);
    }

    /** With an engine of ours among them, if there is one. */
    static List<Row> run(
            Optional<Function<URI, LeaseStore>> engine, Effort effort, PrintStream progress) {
        SILENCED.forEach(logger -> logger.setLevel(Level.OFF));
        List<Contestant> field = new ArrayList<>(Contestant.others());
        engine.ifPresent(stores -> field.addAll(Contestant.ours(stores)));
        List<Row> rows = new ArrayList<>();
        try (RedisServer server = RedisServer.start()) {
            rows.addAll(RedisPairs.run(server, field, effort, progress));
            rows.addAll(RedisHandOffs.run(server, field, effort, progress));
            rows.addAll(RedisRenewals.run(server, engine, effort, progress));
        }
        return rows;
    }
}
