// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LeaseholdOptions;
import io.leasehold.LockOptions;
import io.leasehold.client.RemoteLeaseStore;
import io.leasehold.client.RemoteOptions;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.server.access.AccessRule;
import io.leasehold.server.access.TokenFile;
import io.leasehold.spi.Time;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.TestLength;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Holders keep their leases while strangers, a guest and a revoked principal do all at once what
 * could stop a server with a heap of 256 MiB.
 *
 * <p>Each lease is renewed at times that are planned ahead, and a renewal takes from that time on:
 * one that comes late because the one before it took long counts as late, too.
 *
 * <p>10 s in every build, whatever else the machine does, and 5 minutes with leases of the usual
 * length with {@code -Dleasehold.long}.
 */
@Isolated
final class SoakTest {

    private static final Duration LENGTH = Duration.ofSeconds(TestLength.of(10, 300));
    private static final int LEAST_LOOKS = 9; // at the memory
    private static final int LEAST_ROUNDS = TestLength.of(2, 20);
    private static final Duration TTL = Duration.ofSeconds(TestLength.of(120, 30));
    private static final int HEAP = 256; // MiB
    private static final int HELD = 50;
    private static final Duration BETWEEN_RENEWALS = Duration.ofSeconds(1); // of one lease
    private static final Duration BETWEEN_ROUNDS = Duration.ofMillis(200);
    private static final long SOME_MEGABYTES = 32L << 20;
    private static final long FEW_MEGABYTES = (long) TestLength.of(64, 8) << 20;

    private final AtomicBoolean over = new AtomicBoolean();
    private final Map<String, AtomicInteger> rounds = new ConcurrentSkipListMap<>();
    private final Queue<Long> renewals = new ConcurrentLinkedQueue<>(); // nanoseconds
    private final List<SmallServer.Memory> memory = new ArrayList<>();

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    @Test
    @Timeout(900)
    void holdersKeepTheirLeasesWhileAllElseIsDoneToTheServerAtOnce() throws Exception {
        TokenFile tokens = TokenFile.at(directory.resolve("tokens"));
        String holder = tokens.create("holder", List.of(AccessRule.parse("default=acquire,read")));
        String guest = tokens.create(
                "guest", List.of(AccessRule.parse(SoakAttacks.NAMESPACE + "*=acquire,read")));
        try (SmallServer server = SmallServer.start(directory, HEAP, tokens.path());
                Leasehold leasehold = Leasehold.on(
                        connect(server, holder),
                        LeaseholdOptions.defaults().withPatience(RealTime.PATIENCE))) {
            SoakAttacks attacks = new SoakAttacks(server.port(), tokens, guest);
            attacks.prepare();
            Map<Lease, FencingToken> held = hold(leasehold);
            List<CompletableFuture<Void>> running = new ArrayList<>(attack(attacks));
            running.addAll(renew(List.copyOf(held.keySet())));
            try {
                watch(server, running);
                RealTime.until(
                        "each attack was carried out " + LEAST_ROUNDS + " times of " + rounds,
                        () -> hasFailed(running) || leastRounds() >= LEAST_ROUNDS);
            } finally {
                over.set(true);
            }
            for (CompletableFuture<Void> one : running) {
                one.get(RealTime.PATIENCE.toSeconds() * 2, TimeUnit.SECONDS);
            }
            judge(held, server.errors());
        }
    }

    private static RemoteLeaseStore connect(SmallServer server, String key) {
        return RemoteLeaseStore.connect(RemoteOptions.at("leasehold://127.0.0.1:" + server.port())
                .withToken(key)
                .withPatience(RealTime.PATIENCE));
    }

    private static Map<Lease, FencingToken> hold(Leasehold leasehold) {
        Map<Lease, FencingToken> held = new LinkedHashMap<>();
        LockOptions options = LockOptions.defaults().withTtl(TTL);
        for (int i = 0; i < HELD; i++) {
            Lease lease =
                    leasehold.lock(options, Scope.name("held-" + i)).acquire(RealTime.PATIENCE);
            held.put(lease, lease.token());
        }
        return held;
    }

    private static CompletableFuture<Void> begin(String name, Runnable run) {
        return CompletableFuture.runAsync(run, task -> new Thread(task, name).start());
    }

    private static boolean hasFailed(List<CompletableFuture<Void>> running) {
        return running.stream().anyMatch(CompletableFuture::isCompletedExceptionally);
    }

    // ---- attacks

    private List<CompletableFuture<Void>> attack(SoakAttacks attacks) {
        List<CompletableFuture<Void>> running = new ArrayList<>();
        attacks.all().forEach((name, attack) -> {
            AtomicInteger carriedOut = new AtomicInteger();
            rounds.put(name, carriedOut);
            running.add(begin(name, () -> repeat(name, attack, carriedOut)));
        });
        return running;
    }

    private void repeat(String name, SoakAttacks.Attack attack, AtomicInteger carriedOut) {
        while (!over.get()) {
            try {
                attack.round().once();
            } catch (IOException e) {
                if (!attack.cutOff()) {
                    throw new AssertionError(name, e);
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            } catch (RuntimeException e) {
                throw new AssertionError(name, e);
            }
            carriedOut.incrementAndGet();
            RealTime.pass(BETWEEN_ROUNDS);
        }
    }

    private int leastRounds() {
        return rounds.values().stream().mapToInt(AtomicInteger::get).min().orElse(0);
    }

    // ---- holders

    private List<CompletableFuture<Void>> renew(List<Lease> leases) {
        long start = Time.system().nanos();
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (int i = 0; i < leases.size(); i++) {
            Lease lease = leases.get(i);
            long first = start + i * BETWEEN_RENEWALS.toNanos() / leases.size();
            running.add(begin("holder " + i, () -> renewAsPlanned(lease, first)));
        }
        return running;
    }

    private void renewAsPlanned(Lease lease, long first) {
        Time time = Time.system();
        for (long planned = first; !over.get(); planned += BETWEEN_RENEWALS.toNanos()) {
            RealTime.pass(Duration.ofNanos(Math.max(0, planned - time.nanos())));
            lease.renew();
            renewals.add(time.nanos() - planned);
        }
    }

    // ---- what comes of it

    private void watch(SmallServer server, List<CompletableFuture<Void>> running) {
        Time time = Time.system();
        long start = time.nanos();
        while ((time.nanos() - start < LENGTH.toNanos() || memory.size() < LEAST_LOOKS)
                && !hasFailed(running)) {
            RealTime.pass(LENGTH.dividedBy(30));
            memory.add(server.memory());
        }
    }

    private void judge(Map<Lease, FencingToken> held, String errors) {
        List<Long> sorted = renewals.stream().sorted().toList();
        Duration p99 = Duration.ofNanos(sorted.get(sorted.size() * 99 / 100));
        Duration longest = Duration.ofNanos(sorted.get(sorted.size() - 1));
        System.out.println("soak: " + sorted.size() + " renewals, p99 " + p99.toMillis()
                + " ms, longest " + longest.toMillis() + " ms, MiB of heap + direct memory "
                + memory
                + ", rounds " + rounds);
        held.forEach((lease, token) -> {
            assertThat(lease.isValid()).as("%s", lease).isTrue();
            assertThat(lease.token()).isEqualTo(token);
        });
        assertThat(errors).doesNotContain("OutOfMemory", "OutOfDirectMemory");
        assertThat(p99).isLessThan(TTL.dividedBy(3));
        assertThat(longest).isLessThan(TTL);
        int third = memory.size() / 3;
        long before = leastHeap(memory.subList(third, 2 * third)); // all is under way by then
        long last = leastHeap(memory.subList(2 * third, memory.size()));
        assertThat(last).isLessThan(before + before / 4 + SOME_MEGABYTES);
        assertThat(leastDirect(memory.subList(2 * third, memory.size())))
                .isLessThan(leastDirect(memory.subList(third, 2 * third)) + FEW_MEGABYTES);
    }

    private static long leastDirect(List<SmallServer.Memory> looks) {
        return looks.stream().mapToLong(SmallServer.Memory::direct).min().orElseThrow();
    }

    private static long leastHeap(List<SmallServer.Memory> looks) {
        return looks.stream().mapToLong(SmallServer.Memory::heap).min().orElseThrow();
    }
}
