// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.TcpProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Whoever is first in line is no longer there; the lease goes to the next. */
@Execution(ExecutionMode.CONCURRENT)
final class DeadWaitersTest {

    /** So long that nobody gets anything because a lease ran out. */
    private static final Duration LONG = Duration.ofMinutes(10);

    private static final String NAME = "wanted";

    @Test
    void aProcessThatWasKilledIsPassedOverAtOnce() throws Exception {
        try (RealRedis redis = new RealRedis(RedisServer.start())) {
            RedisOptions options = redis.options();
            try (RedisLeaseStore store = RedisLeaseStore.connect(options)) {
                Grant first = Leases.grant(store, NAME, LONG);
                Process process = new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-Xshare:auto",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Waiting.class.getName(),
                                options.uri(),
                                options.namespace())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
                try {
                    awaitWaiters(store, 1);
                    CompletionStage<Acquisition> next = queue(store);
                    awaitWaiters(store, 2);
                    process.destroyForcibly().waitFor();
                    RealTime.until("the server knows", () -> clients(redis) <= 4);
                    RealTime.answer(store.release(first));
                    assertThat(Leases.granted(next).token()).isGreaterThan(first.token());
                } finally {
                    process.destroyForcibly();
                }
            }
        }
    }

    /** Waits for the name until it is killed. */
    static final class Waiting {

        private Waiting() {}

        public static void main(String[] args) {
            try (RedisLeaseStore store =
                    RedisLeaseStore.connect(RedisOptions.at(args[0]).withNamespace(args[1]))) {
                Grant unexpected = Leases.granted(
                        store.acquire(Leases.request(NAME, LONG).waitingAtMost(LONG)));
                System.out.println(unexpected);
            }
        }
    }

    @Test
    void aClientWhoseConnectionsAreGoneIsPassedOverAtOnce() {
        try (RealRedis redis = new RealRedis(RedisServer.start());
                TcpProxy network = TcpProxy.to(redis.server().port())) {
            RedisOptions options = redis.options();
            try (RedisLeaseStore store = RedisLeaseStore.connect(options);
                    RedisLeaseStore dead = RedisLeaseStore.connect(through(network, options))) {
                Grant first = Leases.grant(store, NAME, LONG);
                CompletionStage<Acquisition> passedOver = queue(dead);
                awaitWaiters(
                        dead, 1); // behind the word that it waits, without which it knows nothing
                CompletionStage<Acquisition> next = queue(store);
                network.refuse();
                network.cut();
                RealTime.until("the server knows", () -> clients(redis) <= 4);
                RealTime.answer(store.release(first));
                Grant second = Leases.granted(next);
                assertThat(passedOver.toCompletableFuture()).isNotDone();
                // it comes back and queues again
                network.heal();
                awaitWaiters(store, 1);
                RealTime.answer(store.release(second));
                assertThat(Leases.granted(passedOver).token()).isGreaterThan(second.token());
            }
        }
    }

    @Test
    void aClientThatIsNotHeardOfAnyMoreIsPassedOverAfterTenSeconds() {
        try (RealRedis redis = new RealRedis(RedisServer.start());
                TcpProxy network = TcpProxy.to(redis.server().port())) {
            RedisOptions options = redis.options();
            try (RedisLeaseStore store = RedisLeaseStore.connect(options);
                    RedisLeaseStore silent = RedisLeaseStore.connect(through(network, options))) {
                Grant first = Leases.grant(store, NAME, LONG);
                CompletionStage<Acquisition> passedOver = queue(silent);
                awaitWaiters(store, 1);
                CompletionStage<Acquisition> next = queue(store);
                network.loseRequests();
                network.loseReplies();
                // its connections look alive, so only its silence tells
                RealTime.pass(Duration.ofSeconds(11));
                RealTime.answer(store.release(first));
                Grant second = Leases.granted(next);
                assertThat(second.token()).isGreaterThan(first.token());
                assertThat(passedOver.toCompletableFuture()).isNotDone();
            }
        }
    }

    /** Without a fault nobody is taken for dead, however long the wait. */
    @Test
    void aClientThatWaitsForLongIsNotPassedOver() {
        try (RealRedis redis = new RealRedis(RedisServer.start())) {
            RedisOptions options = redis.options();
            try (RedisLeaseStore store = RedisLeaseStore.connect(options);
                    RedisLeaseStore patient = RedisLeaseStore.connect(options)) {
                Grant first = Leases.grant(store, NAME, LONG);
                CompletionStage<Acquisition> longest = queue(patient);
                awaitWaiters(store, 1);
                CompletionStage<Acquisition> next = queue(store);
                RealTime.pass(Duration.ofSeconds(12));
                RealTime.answer(store.release(first));
                Grant second = Leases.granted(longest);
                assertThat(next.toCompletableFuture()).isNotDone();
                RealTime.answer(patient.release(second));
                Leases.granted(next);
            }
        }
    }

    private static CompletionStage<Acquisition> queue(RedisLeaseStore store) {
        return store.acquire(Leases.request(NAME, LONG).waitingAtMost(LONG));
    }

    private static void awaitWaiters(RedisLeaseStore store, int count) {
        RealTime.until(
                count + " waiters",
                () -> Leases.list(store).stream().anyMatch(row -> row.waiters() == count));
    }

    /** All connections at the server, the one that asks included. */
    private static int clients(RealRedis redis) {
        return Integer.parseInt(
                redis.server().info("clients").getOrDefault("connected_clients", "0"));
    }

    private static RedisOptions through(TcpProxy network, RedisOptions options) {
        return RedisOptions.at("redis://127.0.0.1:" + network.port())
                .withNamespace(options.namespace());
    }
}
