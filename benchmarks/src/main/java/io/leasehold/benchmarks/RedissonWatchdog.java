// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.spi.Time;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.redisson.Redisson;
import org.redisson.api.RFuture;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * How fast Redisson's watchdog gets through many locks, seen from the server: it renews all of them
 * every so often, and rests in between.
 */
final class RedissonWatchdog {

    private static final int AT_ONCE = 500; // asked for
    private static final long BETWEEN_LOOKS = Duration.ofMillis(2).toNanos();
    private static final long REST = Duration.ofMillis(50).toNanos();
    private static final int PATIENCE = 20; // intervals

    private final ServerLoad load;
    private final Duration interval;

    private RedissonWatchdog(ServerLoad load, Duration interval) {
        this.load = load;
        this.interval = interval;
    }

    /** Renewals a second, while the watchdog is at it. */
    static double perSecond(URI server, ServerLoad load, int locks, Duration interval) {
        Config config = RedissonLocks.config(server, AT_ONCE);
        config.setLockWatchdogTimeout(3 * interval.toMillis());
        RedissonClient client = Redisson.create(config);
        try {
            acquire(client, locks);
            return new RedissonWatchdog(load, interval).watch(locks);
        } finally {
            client.getKeys().unlinkByPattern("watched:*");
            client.shutdown();
        }
    }

    private static void acquire(RedissonClient client, int locks) {
        long holder = Thread.currentThread().getId();
        for (int from = 0; from < locks; from += AT_ONCE) {
            List<RFuture<Void>> answers = new ArrayList<>();
            for (int i = from; i < Math.min(locks, from + AT_ONCE); i++) {
                answers.add(client.getLock("watched:" + Requests.name(i)).lockAsync(holder));
            }
            CompletableFuture.allOf(answers.stream()
                            .map(RFuture::toCompletableFuture)
                            .toArray(CompletableFuture<?>[]::new))
                    .join();
        }
    }

    /** One whole pass: what was renewed from the end of a rest to the begin of the next. */
    private double watch(int locks) {
        awaitRest();
        long before = load.calls("pexpire");
        long start = Time.system().nanos();
        long giveUp = start + PATIENCE * interval.toNanos();
        long calls = before;
        while (calls == before) {
            start = Time.system().nanos();
            if (start - giveUp > 0) {
                throw new IllegalStateException("the watchdog sleeps");
            }
            LockSupport.parkNanos(BETWEEN_LOOKS);
            calls = load.calls("pexpire");
        }
        long end = awaitRest();
        long renewed = load.calls("pexpire") - before;
        if (renewed != locks) {
            throw new IllegalStateException("of " + locks + " locks it renewed " + renewed);
        }
        return renewed / ((end - start) / 1e9);
    }

    /** Returns when the last renewal before a rest was seen. */
    private long awaitRest() {
        long calls = load.calls("pexpire");
        long last = Time.system().nanos();
        while (Time.system().nanos() - last < REST) {
            LockSupport.parkNanos(BETWEEN_LOOKS);
            long seen = load.calls("pexpire");
            if (seen != calls) {
                calls = seen;
                last = Time.system().nanos();
            }
        }
        return last;
    }
}
