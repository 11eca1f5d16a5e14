// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.spi.Time;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** Renewing by hand: a script for some locks at a time, one call after another. */
final class RenewalScripts {

    private static final int AT_ONCE = 100;
    private static final long TTL_MILLIS = Requests.LONG_TTL.toMillis();
    private static final String HOLDER = "benchmark";

    private RenewalScripts() {}

    /** Renewals a second, of all the locks once. */
    static double perSecond(URI server, int locks) {
        RedisClient client = RedisClient.create(server.toString());
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            String script = connection.sync().scriptLoad(LettuceLocks.script("renew"));
            List<String[]> parts = parts(locks);
            parts.forEach(part -> acquire(connection, part));
            long start = Time.system().nanos();
            for (String[] part : parts) {
                Long renewed = connection
                        .sync()
                        .evalsha(
                                script,
                                ScriptOutputType.INTEGER,
                                part,
                                Long.toString(TTL_MILLIS),
                                HOLDER);
                if (!Objects.equals(renewed, (long) part.length)) {
                    throw new IllegalStateException("only " + renewed + " were renewed");
                }
            }
            double seconds = (Time.system().nanos() - start) / 1e9;
            parts.forEach(connection.sync()::unlink);
            return locks / seconds;
        } finally {
            client.shutdown();
        }
    }

    private static List<String[]> parts(int locks) {
        List<String[]> parts = new ArrayList<>();
        for (int from = 0; from < locks; from += AT_ONCE) {
            parts.add(IntStream.range(from, Math.min(locks, from + AT_ONCE))
                    .mapToObj(number -> "by-hand:" + Requests.name(number))
                    .toArray(String[]::new));
        }
        return parts;
    }

    private static void acquire(StatefulRedisConnection<String, String> connection, String[] keys) {
        List<RedisFuture<String>> answers = new ArrayList<>();
        for (String key : keys) {
            answers.add(connection.async().set(key, HOLDER, SetArgs.Builder.px(TTL_MILLIS)));
        }
        boolean done = LettuceFutures.awaitAll(
                Duration.ofSeconds(30), answers.toArray(RedisFuture<?>[]::new));
        if (!done) {
            throw new IllegalStateException("the server does not answer");
        }
    }
}
