// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.guard.MemoryGuard;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StaleTokenException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisSentinels;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A replica takes over, with or without what the primary had told its clients. */
@Execution(ExecutionMode.CONCURRENT)
final class FailOverTest {

    private static final Duration TTL = Duration.ofSeconds(3);
    private static final Duration LONG = Duration.ofMinutes(10);

    /**
     * The one thing that replication can't prevent: what the replica has not heard of is granted
     * again. Tokens and the guard keep the two apart.
     */
    @Test
    void twoHoldersOverlapAfterAFailOverToAReplicaThatLags() {
        try (RedisServer primary = RedisServer.start();
                RedisServer replica = RedisServer.start();
                TcpProxy replication = TcpProxy.to(primary.port())) {
            replica.command("REPLICAOF", "127.0.0.1", Integer.toString(replication.port()));
            replica.awaitReplication(primary);
            MemoryGuard<List<String>> guard = MemoryGuard.around("data", new ArrayList<>());
            try (RedisLeaseStore before = RedisLeaseStore.connect(primary.uri())) {
                Grant known = Leases.grant(before, "known", LONG);
                replica.awaitReplication(primary);
                replication.refuse();
                replication.cut();
                Grant lost = Leases.grant(before, "data", LONG);
                guard.write(lost.token(), data -> data.add("first"));
                primary.kill();
                replica.promote();
                try (RedisLeaseStore after = RedisLeaseStore.connect(replica.uri())) {
                    assertThat(Leases.renews(after, known)).isTrue();
                    assertThat(Leases.renews(after, lost)).isFalse();
                    // its holder has not heard of that, and believes in it for ten minutes
                    Grant second = Leases.grant(after, "data", LONG);
                    assertThat(second.token()).isGreaterThan(lost.token());
                    guard.write(second.token(), data -> data.add("second"));
                    assertThatExceptionOfType(StaleTokenException.class)
                            .isThrownBy(
                                    () -> guard.write(lost.token(), data -> data.add("too late")));
                }
            }
        }
    }

    @Test
    void aGrantIsTakenBackIfTheReplicaDoesNotHaveItInTime() {
        try (RedisServer primary = RedisServer.start();
                RedisServer replica = RedisServer.start()) {
            replica.replicaOf(primary);
            RedisOptions options =
                    RedisOptions.at(primary.uri()).withPatience(Duration.ofSeconds(2));
            try (RedisLeaseStore careful = RedisLeaseStore.connect(options.withReplicas(1));
                    RedisLeaseStore other = RedisLeaseStore.connect(options)) {
                Grant first = Leases.grant(careful, "name", LONG);
                var waiting = careful.acquire(
                        Leases.request("name", LONG).waitingAtMost(Leases.PATIENCE));
                RealTime.until("it waits", () -> Leases.list(other).get(0).waiters() == 1);
                RealTime.answer(other.release(first));
                Grant handedOver = Leases.granted(waiting);
                assertThat(Leases.renews(careful, handedOver)).isTrue();

                replica.pause();
                for (int i = 0; i < 2; i++) {
                    String name = "refused-" + i;
                    assertThatExceptionOfType(StoreUnavailableException.class)
                            .isThrownBy(() -> Leases.grant(careful, name, LONG))
                            .withMessageContaining("0 of 1 replicas");
                }
                assertThat(Leases.list(other)).hasSize(1);
                Grant free = Leases.grant(other, "refused-0", LONG);
                RealTime.answer(other.release(free));
                // so is one that was handed over
                Grant held = Leases.grant(other, "handed-over", LONG);
                var refused = careful.acquire(
                        Leases.request("handed-over", LONG).waitingAtMost(Leases.PATIENCE));
                RealTime.until(
                        "it waits",
                        () -> Leases.list(other).stream().anyMatch(row -> row.waiters() == 1));
                RealTime.answer(other.release(held));
                assertThatExceptionOfType(StoreUnavailableException.class)
                        .isThrownBy(() -> RealTime.answer(refused))
                        .withMessageContaining("0 of 1 replicas");
                assertThat(Leases.list(other)).hasSize(1);
                replica.resume();
                RealTime.eventually(() -> Leases.grant(careful, "refused-1", LONG));
            }
        }
    }

    @Test
    void manyWhoWaitForAReplicaAreAllRefusedInTime() {
        try (RedisServer primary = RedisServer.start();
                RedisServer replica = RedisServer.start()) {
            replica.replicaOf(primary);
            RedisOptions options = RedisOptions.at(primary.uri())
                    .withReplicas(1)
                    .withPatience(Duration.ofSeconds(3));
            try (RedisLeaseStore careful = RedisLeaseStore.connect(options);
                    RedisLeaseStore other = RedisLeaseStore.connect(options.withReplicas(0))) {
                replica.pause();
                List<CompletionStage<Acquisition>> asked = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    asked.add(careful.acquire(Leases.request("name-" + i, LONG)));
                    RealTime.pass(Duration.ofMillis(10));
                }
                for (var stage : asked) {
                    assertThatExceptionOfType(StoreUnavailableException.class)
                            .isThrownBy(() -> RealTime.answer(stage))
                            .withMessageContaining("0 of 1 replicas");
                }
                assertThat(Leases.list(other)).isEmpty();
                replica.resume();
            }
        }
    }

    /** It may be there, and only its end is certain. */
    @Test
    void aGrantThatCouldNotBeTakenBackIsNotCalledRefused() {
        try (RedisServer primary = RedisServer.start();
                RedisServer replica = RedisServer.start();
                TcpProxy network = TcpProxy.to(primary.port())) {
            replica.replicaOf(primary);
            RedisOptions options = RedisOptions.at("redis://127.0.0.1:" + network.port())
                    .withReplicas(1)
                    .withPatience(Duration.ofSeconds(4));
            try (RedisLeaseStore careful = RedisLeaseStore.connect(options);
                    RedisLeaseStore other = RedisLeaseStore.connect(primary.uri())) {
                replica.pause();
                CompletionStage<Acquisition> asked = careful.acquire(Leases.request("name", LONG));
                RealTime.until("it is granted", () -> !Leases.list(other).isEmpty());
                network.refuse();
                network.cut();
                assertThatExceptionOfType(OutcomeUnknownException.class)
                        .isThrownBy(() -> RealTime.answer(asked));
                assertThat(Leases.list(other)).hasSize(1);
            }
        }
    }

    @Test
    void aServerThatBecameAReplicaIsUnavailableUntilItIsAPrimaryAgain() {
        try (RedisServer server = RedisServer.start();
                RedisServer another = RedisServer.start();
                RedisLeaseStore store = RedisLeaseStore.connect(server.uri())) {
            Grant first = Leases.grant(store, "first", LONG);
            another.replicaOf(server);
            another.promote();
            server.replicaOf(another);
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> Leases.grant(store, "second", LONG))
                    .withMessageContaining("READONLY");
            RealTime.until("renewals are refused as well", () -> {
                try {
                    return !Leases.renews(store, first);
                } catch (StoreUnavailableException e) {
                    return String.valueOf(e.getMessage()).contains("READONLY");
                }
            });
            another.kill();
            server.promote();
            assertThat(RealTime.eventually(() -> Leases.renews(store, first))).isTrue();
            Grant second = RealTime.eventually(() -> Leases.grant(store, "second", LONG));
            assertThat(second.token()).isGreaterThan(first.token());
        }
    }

    @Test
    void clientsFollowTheSentinelsToTheNextPrimary() {
        try (RedisSentinels redis = RedisSentinels.start(2, 1);
                Fleet fleet =
                        Fleet.of(2, RedisOptions.at(redis.uri()), TTL, new Random().nextLong())) {
            fleet.awaitProgress(50);
            RedisServer first = redis.primary();
            first.kill();
            redis.awaitSuccessorOf(first);
            fleet.awaitProgress(50);
            fleet.stopAndCheck();
        }
    }
}
