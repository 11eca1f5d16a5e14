// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.redis.RedisLeaseStore;
import io.leasehold.spi.LeaseStore;
import io.leasehold.testkit.RedisServer;

import java.io.PrintStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Locks on one real Redis: those of the libraries that people use for it, side by side. */
final class RedisSuite {

    /**
     * Loggers, kept so that their level is: many clients in one process are what is
     * measured here, and Spring's listeners hear messages after their end.
     */
    private static final List<Logger> SILENCED = List.of(
            Logger.getLogger("io.netty.util.HashedWheelTimer"),
            Logger.getLogger("io.lettuce.core.pubsub.PubSubEndpoint"),
            // of the settings, once for each client
            Logger.getLogger("io.leasehold.redis.RedisLeaseStore"));

    private RedisSuite() {}

    static List<Row> run(Effort effort, PrintStream progress) {
        return run(server -> RedisLeaseStore.connect(server.toString()), effort, progress);
    }

    /** With the given engine as ours. */
    static List<Row> run(Function<URI, LeaseStore> engine, Effort effort, PrintStream progress) {
        SILENCED.forEach(logger -> logger.setLevel(Level.OFF));
        List<Contestant> field = new ArrayList<>(Contestant.others());
        field.addAll(Contestant.ours(engine));
        List<Row> rows = new ArrayList<>();
        try (RedisServer server = RedisServer.start()) {
            rows.addAll(RedisPairs.run(server, field, effort, progress));
            rows.addAll(RedisHandOffs.run(server, field, effort, progress));
            rows.addAll(RedisRenewals.run(server, engine, effort, progress));
        }
        return rows;
    }
}
