// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LeaseholdOptions;
import io.leasehold.client.RemoteLeaseStore;
import io.leasehold.client.RemoteOptions;
import io.leasehold.model.FencingToken;
import io.leasehold.spi.LeaseView;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.TestLength;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A server with a journal, killed by SIGKILL under load again and again. Clients come back by
 * themselves, holders keep their leases, and nothing that was answered is lost.
 *
 * <p>5 kills in every build, 50 with {@code -Dleasehold.long}.
 */
@Isolated
final class RemoteServerKillTest {

    private static final int KILLS = TestLength.of(2, 50);
    private static final int LOADS = 6;
    private static final int HOLDERS = 10;
    private static final int GRANTS_BETWEEN_KILLS = 40;

    private final Grants grants = new Grants();
    private final AtomicLong repeats = new AtomicLong();
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock();
    private final Queue<ServerProcess> spares = new ArrayDeque<>();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path temporary;

    @Test
    void nothingThatWasAnsweredIsLostWhenTheServerIsKilled() throws Exception {
        int port = ServerProcess.freePort();
        ServerProcess server = next(port);
        server.serve();
        try (RemoteLeaseStore one = connect(port);
                RemoteLeaseStore two = connect(port);
                Leasehold leasehold =
                        Leasehold.on(two, LeaseholdOptions.defaults().withStoreLeftOpen())) {
            Map<Lease, FencingToken> held = hold(leasehold);
            List<KillLoad> loads = new ArrayList<>();
            List<CompletableFuture<Void>> runs = new ArrayList<>();
            for (int i = 0; i < LOADS; i++) {
                KillLoad load =
                        new KillLoad(i % 2 == 0 ? one : two, grants, repeats, this::isOver, i);
                loads.add(load);
                runs.add(
                        CompletableFuture.runAsync(load, task -> new Thread(task, "load").start()));
            }
            try {
                server = killAgainAndAgain(server, port, runs);
            } finally {
                stopped.set(true);
            }
            for (CompletableFuture<Void> run : runs) {
                run.get(RealTime.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            judge(port, loads, held);
        } finally {
            server.close();
            spares.forEach(ServerProcess::close);
        }
    }

    private ServerProcess killAgainAndAgain(
            ServerProcess first, int port, List<CompletableFuture<Void>> runs) {
        SplittableRandom random = new SplittableRandom(2026);
        ServerProcess server = first;
        for (int kill = 1; kill <= KILLS; kill++) {
            ServerProcess successor = nextWhileTheLoadRests(port);
            int goal = grants.size() + GRANTS_BETWEEN_KILLS;
            RealTime.until(
                    "the load goes on",
                    () -> grants.size() >= goal
                            || runs.stream().anyMatch(CompletableFuture::isDone));
            assertThat(runs).as("the load goes on").noneMatch(CompletableFuture::isDone);
            RealTime.pass(Duration.ofMillis(random.nextInt(20)));
            server.close();
            server = successor;
            server.serve();
        }
        return server;
    }

    /** A process that comes up has the machine for itself, or fifty of them take too long. */
    private ServerProcess nextWhileTheLoadRests(int port) {
        gate.writeLock().lock();
        try {
            return next(port);
        } finally {
            gate.writeLock().unlock();
        }
    }

    private boolean isOver() {
        gate.readLock().lock();
        try {
            return stopped.get();
        } finally {
            gate.readLock().unlock();
        }
    }

    /** Two come up at a time, one on each core of a small machine. */
    private ServerProcess next(int port) {
        if (spares.isEmpty()) {
            ServerProcess first = ServerProcess.start(temporary, port);
            ServerProcess second = ServerProcess.start(temporary, port);
            first.awaitUp();
            second.awaitUp();
            spares.add(first);
            spares.add(second);
        }
        return spares.remove();
    }

    private static RemoteLeaseStore connect(int port) {
        return RemoteLeaseStore.connect(RemoteOptions.at("leasehold://127.0.0.1:" + port)
                .withPatience(Duration.ofSeconds(10)));
    }

    private static Map<Lease, FencingToken> hold(Leasehold leasehold) {
        Map<Lease, FencingToken> held = new java.util.HashMap<>();
        for (int i = 0; i < HOLDERS; i++) {
            Lease lease = leasehold.lock("held-" + i).acquire(RealTime.PATIENCE);
            held.put(lease, lease.token());
        }
        return held;
    }

    private void judge(int port, List<KillLoad> loads, Map<Lease, FencingToken> held) {
        System.out.println("server kill test: " + KILLS + " kills, " + grants.size() + " grants, "
                + repeats + " calls without an answer");
        assertThat(repeats.get()).as("kills hit calls").isGreaterThan(KILLS);
        grants.assertTokensIncrease();
        try (RemoteLeaseStore fresh = connect(port)) {
            Map<Long, LeaseView> listed = Asking.list(fresh);
            loads.forEach(load -> load.check(fresh, listed));
            held.forEach((lease, token) -> {
                assertThat(lease.isValid()).as("%s", lease).isTrue();
                assertThat(lease.token()).isEqualTo(token);
                assertThat(listed.remove(token.value())).isNotNull();
            });
            assertThat(listed).as("what nobody was told of").isEmpty();
        }
    }
}
