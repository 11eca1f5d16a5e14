// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisErrorException;
import io.leasehold.testkit.RedisServer;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients wait for one name while something goes wrong; all of them get it in the end, one by one. */
final class WaitersUnderFaultsTest {

    private static final String NAME = "wanted";
    private static final int CLIENTS = 3;
    private static final int EACH = 2;

    private static RealRedis redis;
    private final List<RedisLeaseStore> clients = new ArrayList<>();
    private final History history = new History();
    private Duration ttl = Duration.ofSeconds(4);
    private Runnable beforeRelease = () -> {};

    @BeforeAll
    static void start() {
        redis = new RealRedis(RedisServer.start("lua-time-limit 50"));
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @BeforeEach
    void connect() {
        RedisOptions options = redis.options().withPatience(Duration.ofSeconds(2));
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(RedisLeaseStore.connect(options));
        }
    }

    @AfterEach
    void disconnect() {
        clients.forEach(RedisLeaseStore::close);
    }

    @Test
    void whenTheServerForgetsEverything() {
        faultWhileOthersWait(() -> redis.server().command("FLUSHALL"), true);
    }

    @Test
    void whenTheServerForgetsTheScript() {
        faultWhileOthersWait(() -> redis.server().command("SCRIPT", "FLUSH"), false);
    }

    @Test
    void whenAllConnectionsAreKilled() {
        faultWhileOthersWait(this::killConnections, false);
    }

    /** Here no lease runs out, so that whoever misses a message has to ask of its own accord. */
    @Test
    void whenTheConnectionsForMessagesAreKilledAtEveryHandOver() {
        ttl = Duration.ofMinutes(10);
        beforeRelease = () -> redis.server().command("CLIENT", "KILL", "TYPE", "pubsub");
        Grant first = Leases.grant(clients.get(0), NAME, ttl);
        List<CompletableFuture<Grant>> waiting = letThemWait();
        beforeRelease.run();
        RealTime.answer(clients.get(0).release(first));
        assertServed(waiting, first);
    }

    @Test
    void whenAScriptBlocksTheServerUntilItIsKilled() throws Exception {
        faultWhileOthersWait(this::blockForAWhile, false);
    }

    private void killConnections() {
        redis.server().command("CLIENT", "KILL", "TYPE", "normal");
        redis.server().command("CLIENT", "KILL", "TYPE", "pubsub");
    }

    private void blockForAWhile() {
        CompletableFuture<Void> blocker = CompletableFuture.runAsync(() -> {
            try {
                redis.server().command("EVAL", "while true do end", "0");
            } catch (RedisErrorException | UncheckedIOException e) {
                // as it should
            }
        });
        RealTime.until("BUSY", () -> {
            try {
                redis.server().command("GET", "key");
                return false;
            } catch (RedisErrorException e) {
                return String.valueOf(e.getMessage()).startsWith("BUSY");
            }
        });
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() ->
                        RealTime.answer(clients.get(1).acquire(Leases.request("another", ttl))))
                .withMessageContaining("BUSY")
                .withMessageContaining("SCRIPT KILL");
        redis.server().command("SCRIPT", "KILL");
        blocker.join();
    }

    private void faultWhileOthersWait(Runnable fault, boolean forgotten) {
        Grant first = Leases.grant(clients.get(0), NAME, ttl);
        List<CompletableFuture<Grant>> waiting = letThemWait();
        fault.run();
        if (!forgotten) {
            assertThat(RealTime.eventually(() -> Leases.renews(clients.get(0), first)))
                    .isTrue();
            assertThat(waiting).noneMatch(CompletableFuture::isDone);
        }
        RealTime.eventually(() -> RealTime.answer(clients.get(0).release(first)));
        assertServed(waiting, first);
    }

    private List<CompletableFuture<Grant>> letThemWait() {
        List<CompletableFuture<Grant>> waiting = new ArrayList<>();
        for (int i = 0; i < CLIENTS * EACH; i++) {
            RedisLeaseStore client = clients.get(i % CLIENTS);
            waiting.add(CompletableFuture.supplyAsync(
                    () -> waitAndRelease(client), task -> new Thread(task, "waiter").start()));
        }
        RealTime.until(
                "all wait",
                () -> Leases.list(clients.get(0)).stream()
                        .anyMatch(row -> row.waiters() == CLIENTS * EACH));
        return waiting;
    }

    /** Repeats the same request until it is answered, as the client runtime does. */
    private Grant waitAndRelease(RedisLeaseStore client) {
        LeaseRequest request = Leases.request(NAME, ttl).waitingAtMost(Leases.PATIENCE);
        long askedAt = History.now();
        Acquisition answer = RealTime.eventually(() -> RealTime.answer(client.acquire(request)));
        if (!(answer instanceof Acquisition.Granted granted)) {
            throw new AssertionError("not granted but " + answer);
        }
        history.granted(askedAt, granted.grant().token());
        beforeRelease.run();
        RealTime.eventually(() -> RealTime.answer(client.release(granted.grant())));
        return granted.grant();
    }

    private void assertServed(List<CompletableFuture<Grant>> waiting, Grant first) {
        for (CompletableFuture<Grant> waiter : waiting) {
            assertThat(RealTime.answer(waiter).token()).isGreaterThan(first.token());
        }
        history.assertTokensIncrease();
        assertThat(Leases.list(clients.get(0))).isEmpty();
    }
}
