// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.client.RemoteLeaseStore;
import io.leasehold.client.RemoteOptions;
import io.leasehold.server.LeaseholdServer;
import io.leasehold.server.ServerOptions;
import io.leasehold.server.engine.StoreAddress;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.TcpProxy;
import io.leasehold.testkit.TestLength;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A network that cuts connections, loses what is on its way, holds it up, breaks off in the middle
 * of frames and brings all that is said twice. Whoever got no answer asks again with the same lease
 * id, until it is sure.
 */
@Isolated
final class RemoteNetworkFaultsTest {

    /** Longer than the test takes: nothing ends but by release. */
    private static final Duration TTL = Duration.ofMinutes(10);

    private static final Duration AT_MOST = Duration.ofSeconds(100);
    private static final int CLIENTS = 4;
    private static final int LOOPS_EACH = 8;
    private static final int NAMES = 16;
    private static final long GOAL = TestLength.of(20_000, 100_000);

    private enum Trouble {
        CUT,
        LOSE_REPLIES,
        LOSE_REQUESTS,
        DELAY,
        MID_FRAME,
        TWICE
    }

    private final AtomicLong operations = new AtomicLong();
    private final AtomicLong repeats = new AtomicLong();
    // for each name, how many believe that they hold it
    private final AtomicIntegerArray holders = new AtomicIntegerArray(NAMES);
    private final AtomicInteger violations = new AtomicInteger();
    private final Grants grants = new Grants();
    private final Map<Trouble, Integer> troubles = new EnumMap<>(Trouble.class);

    @Test
    void noNameIsHeldTwiceAndNoLeaseIsLeftOver() {
        long seed = Long.getLong("leasehold.seed", 2026);
        System.out.println("network of seed " + seed);
        try (LeaseholdServer server = LeaseholdServer.start(
                        ServerOptions.on(new StoreAddress.Memory()).withPort(0));
                TcpProxy network = TcpProxy.to(server.port())) {
            RemoteOptions options = RemoteOptions.at("leasehold://127.0.0.1:" + network.port())
                    .withPatience(Duration.ofSeconds(10));
            List<RemoteLeaseStore> clients = new ArrayList<>();
            try {
                run(network, options, clients, seed);
                System.out.println(operations + " operations, " + grants.size() + " grants, "
                        + repeats + " repeats, " + network.accepted() + " connections, "
                        + troubles);
                assertThat(violations).hasValue(0);
                assertThat(operations.get()).isGreaterThanOrEqualTo(GOAL);
                assertThat(repeats.get()).isPositive();
                assertThat(troubles).containsOnlyKeys(Trouble.values());
                grants.assertTokensIncrease();
                RealTime.until(
                        "no lease is left over",
                        () -> Asking.list(clients.get(0)).isEmpty());
            } finally {
                clients.forEach(RemoteLeaseStore::close);
            }
        }
    }

    private void run(
            TcpProxy network, RemoteOptions options, List<RemoteLeaseStore> clients, long seed) {
        List<CompletableFuture<Void>> loops = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            RemoteLeaseStore client = RemoteLeaseStore.connect(options);
            clients.add(client);
            for (int j = 0; j < LOOPS_EACH; j++) {
                SplittableRandom random = new SplittableRandom(seed + 100 * i + j);
                loops.add(CompletableFuture.runAsync(
                        () -> loop(client, random), task -> new Thread(task, "loop").start()));
            }
        }
        CompletableFuture<Void> all =
                CompletableFuture.allOf(loops.toArray(CompletableFuture<?>[]::new));
        SplittableRandom random = new SplittableRandom(seed);
        while (!all.isDone()) {
            awaitProgress(300 + random.nextInt(600), all);
            disturb(network, random, all);
        }
        all.join();
    }

    /** However busy the machine is, the next trouble comes when the last one is overcome. */
    private void awaitProgress(int more, CompletableFuture<Void> all) {
        long goal = operations.get() + more;
        RealTime.until("there is progress", () -> operations.get() >= goal || all.isDone());
    }

    private void disturb(TcpProxy network, SplittableRandom random, CompletableFuture<Void> all) {
        Trouble trouble = Trouble.values()[random.nextInt(Trouble.values().length)];
        troubles.merge(trouble, 1, Integer::sum);
        switch (trouble) {
            case CUT -> network.cut();
            case LOSE_REPLIES -> network.loseReplies();
            case LOSE_REQUESTS -> network.loseRequests();
            case DELAY -> {
                network.delayReplies(Duration.ofMillis(20));
                network.delayRequests(Duration.ofMillis(10));
            }
            case MID_FRAME -> network.breakInMidFrame();
            case TWICE -> {
                network.duplicateConnections();
                network.cut();
                // so that the clients come back and do something that arrives twice
                awaitProgress(200, all);
            }
        }
        RealTime.pass(Duration.ofMillis(random.nextInt(100)));
        network.heal();
    }

    private void loop(RemoteLeaseStore client, SplittableRandom random) {
        long start = Grants.now();
        while (operations.get() < GOAL && Grants.now() - start < AT_MOST.toNanos()) {
            int name = random.nextInt(NAMES);
            LeaseRequest request = Asking.request("name-" + name, TTL);
            if (random.nextInt(4) == 0) {
                request = request.waitingAtMost(Duration.ofMillis(500));
            }
            use(client, request, name, random);
        }
    }

    private void use(
            RemoteLeaseStore client, LeaseRequest request, int name, SplittableRandom random) {
        long askedAt = Grants.now();
        Acquisition answer = Asking.sure(() -> client.acquire(request), repeats);
        operations.incrementAndGet();
        if (!(answer instanceof Acquisition.Granted granted)) {
            // Gone: the server took it back while nobody was connected who wanted it
            assertThat(answer).isNotInstanceOf(Acquisition.Completed.class);
            // what was said twice may arrive later once more, and must not be granted then
            Asking.sure(() -> client.withdraw(request), repeats);
            operations.incrementAndGet();
            return;
        }
        Grant grant = granted.grant();
        grants.granted(askedAt, grant.token());
        if (holders.incrementAndGet(name) != 1) {
            violations.incrementAndGet();
        }
        if (random.nextInt(4) == 0) {
            Renewal renewal =
                    Asking.sure(() -> client.renew(RenewalRequest.of(grant, TTL)), repeats);
            operations.incrementAndGet();
            if (!(renewal instanceof Renewal.Renewed)) {
                violations.incrementAndGet();
            }
        }
        holders.decrementAndGet(name);
        Ending ending = Asking.sure(() -> client.release(grant), repeats);
        operations.incrementAndGet();
        assertThat(ending).isInstanceOf(Ending.Ended.class);
    }
}
