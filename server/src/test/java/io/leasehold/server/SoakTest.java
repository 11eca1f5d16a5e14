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
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
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
 * <p>10 s in every build, 5 minutes with {@code -Dleasehold.long}.
 */
@Isolated
final class SoakTest {

    private static final Duration LENGTH = Duration.ofSeconds(TestLength.of(10, 300));
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final int HELD = 50;
    private static final Duration BETWEEN_RENEWALS = Duration.ofMillis(20);
    private static final Duration BETWEEN_ROUNDS = Duration.ofMillis(50);
    private static final long FEW_MEGABYTES = 16L << 20;

    private final AtomicBoolean over = new AtomicBoolean();
    private final Map<String, AtomicInteger> rounds = new ConcurrentHashMap<>();
    private final List<Long> renewals = new ArrayList<>(); // nanoseconds
    private final List<Long> heap = new ArrayList<>(); // bytes

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
        try (SoakServer server = SoakServer.start(directory, tokens.path());
                Leasehold leasehold = Leasehold.on(
                        connect(server, holder), LeaseholdOptions.defaults().withPatience(TTL))) {
            SoakAttacks attacks = new SoakAttacks(server.port(), tokens, guest);
            attacks.holdMany();
            Map<Lease, FencingToken> held = hold(leasehold);
            List<CompletableFuture<Void>> running = begin(attacks);
            try {
                RealTime.until("all attacks have begun", () -> rounds.size() == running.size());
                renewFor(LENGTH, server, List.copyOf(held.keySet()));
            } finally {
                over.set(true);
            }
            for (CompletableFuture<Void> attack : running) {
                attack.get(RealTime.PATIENCE.toSeconds() * 2, TimeUnit.SECONDS);
            }
            judge(held);
        }
    }

    private static RemoteLeaseStore connect(SoakServer server, String key) {
        return RemoteLeaseStore.connect(RemoteOptions.at("leasehold://127.0.0.1:" + server.port())
                .withToken(key)
                .withPatience(TTL));
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

    private List<CompletableFuture<Void>> begin(SoakAttacks attacks) {
        List<CompletableFuture<Void>> running = new ArrayList<>();
        attacks.all()
                .forEach((name, attack) -> running.add(CompletableFuture.runAsync(
                        () -> repeat(name, attack), task -> new Thread(task, name).start())));
        return running;
    }

    private void repeat(String name, SoakAttacks.Attack attack) {
        while (!over.get()) {
            try {
                attack.once();
            } catch (IOException e) {
                RealTime.pass(BETWEEN_ROUNDS); // the server hung up
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            rounds.computeIfAbsent(name, first -> new AtomicInteger()).incrementAndGet();
            RealTime.pass(BETWEEN_ROUNDS);
        }
    }

    private void renewFor(Duration length, SoakServer server, List<Lease> leases) {
        Time time = Time.system();
        long start = time.nanos();
        long looked = start;
        for (int i = 0; time.nanos() - start < length.toNanos(); i++) {
            long asked = time.nanos();
            leases.get(i % leases.size()).renew();
            renewals.add(time.nanos() - asked);
            if (time.nanos() - looked >= length.dividedBy(30).toNanos()) {
                heap.add(server.usedHeap());
                looked = time.nanos();
            }
            RealTime.pass(BETWEEN_RENEWALS);
        }
    }

    private void judge(Map<Lease, FencingToken> held) {
        Collections.sort(renewals);
        long p99 = renewals.get(renewals.size() * 99 / 100);
        System.out.println("soak: " + renewals.size() + " renewals, p99 " + p99 / 1_000_000
                + " ms, heap after a collection " + megabytes() + " MiB, rounds " + rounds);
        held.forEach((lease, token) -> {
            assertThat(lease.isValid()).as("%s", lease).isTrue();
            assertThat(lease.token()).isEqualTo(token);
        });
        assertThat(Duration.ofNanos(p99)).isLessThan(TTL.dividedBy(3));
        int third = heap.size() / 3;
        assertThat(third).as("looks at the heap in a third of the time").isPositive();
        long first = Collections.min(heap.subList(0, third));
        long last = Collections.min(heap.subList(heap.size() - third, heap.size()));
        assertThat(last).isLessThan(first + first / 4 + FEW_MEGABYTES);
    }

    private List<Long> megabytes() {
        return heap.stream().map(bytes -> bytes >> 20).toList();
    }
}
