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
    private static final int REST = 4; // as a part of the interval
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

    /** One whole pass: from the end of a rest until all locks have been renewed once. */
    private double watch(int locks) {
        awaitRest();
        long giveUp = Time.system().nanos() + PATIENCE * interval.toNanos();
        long before = renewals();
        long start = Time.system().nanos();
        for (long renewed = 0; renewed < locks; renewed = renewals() - before) {
            long now = Time.system().nanos();
            if (now - giveUp > 0) {
                throw new IllegalStateException("of " + locks + " locks it renewed " + renewed);
            }
            start = renewed == 0 ? now : start;
            LockSupport.parkNanos(BETWEEN_LOOKS);
        }
        return locks / ((Time.system().nanos() - start) / 1e9);
    }

    /** Returns when nothing was renewed for longer than the machine makes anybody wait. */
    private void awaitRest() {
        long rest = interval.dividedBy(REST).toNanos();
        long renewals = renewals();
        long last = Time.system().nanos();
        while (Time.system().nanos() - last < rest) {
            LockSupport.parkNanos(BETWEEN_LOOKS);
            long seen = renewals();
            last = seen == renewals ? last : Time.system().nanos();
            renewals = seen;
        }
    }

    private long renewals() {
        return load.calls("pexpire");
    }
}
