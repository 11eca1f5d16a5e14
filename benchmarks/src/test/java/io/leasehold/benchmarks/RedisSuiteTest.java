// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.benchmarks.Contestant.Part;
import io.leasehold.benchmarks.LockClient.NamedLock;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.spi.LeaseStore;
import io.leasehold.testkit.RedisServer;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RedisSuiteTest {

    private static final PrintStream SILENT =
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    private static final int TURNS = 20;

    static List<Contestant> waiting() {
        return Contestant.in(Part.CONTENDED, Contestant.others());
    }

    @ParameterizedTest
    @MethodSource("waiting")
    void theLocksOfTwoClientsExcludeEachOther(Contestant contestant) {
        try (RedisServer server = RedisServer.start();
                LockClient one = contestant.connect(URI.create(server.uri()), 1);
                LockClient other = contestant.connect(URI.create(server.uri()), 1)) {
            List<LockClient> clients = List.of(one, other);
            AtomicInteger holders = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();

            Crowd.run(2, 2, (from, to) -> {
                NamedLock lock = clients.get(from).lock("orders");
                for (int turn = 0; turn < TURNS; turn++) {
                    lock.acquire();
                    most.accumulateAndGet(holders.incrementAndGet(), Math::max);
                    server.command("PING");
                    holders.decrementAndGet();
                    lock.release();
                }
            });

            assertThat(most).hasValue(1);
        }
    }

    @Test
    void anEngineOfOursIsJudgedByItsGoals() {
        try (MemoryLeaseStore store = MemoryLeaseStore.create()) {
            LeaseStore shared = leftOpen(store);

            List<Row> rows = RedisSuite.run(server -> shared, Effort.smoke(), SILENT);

            assertThat(rows)
                    .filteredOn(row -> row.what().startsWith("Leasehold FencedLock"))
                    .flatExtracting(row -> row.goal().map(Goal::text).stream().toList())
                    .containsExactly(
                            ">= 1.50", ">= 1", ">= 3", ">= 1", ">= 0.80", ">= 3", ">= 1", ">= 3");
            assertThat(rows)
                    .filteredOn(row -> row.what().contains("renewing"))
                    .flatExtracting(row -> row.goal().map(Goal::text).stream().toList())
                    .containsExactly(">= 2", "<= 10", "<= 10");
            assertThat(rows)
                    .filteredOn(row -> row.goal().isPresent())
                    .allSatisfy(row -> assertThat(row.what()).doesNotContain("Redisson"));
        }
    }

    /** One store for all clients: none of them closes it. */
    private static LeaseStore leftOpen(LeaseStore store) {
        return (LeaseStore) Proxy.newProxyInstance(
                LeaseStore.class.getClassLoader(),
                new Class<?>[] {LeaseStore.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "close" -> null;
                    case "forWaitingCallers" -> proxy;
                    default -> method.invoke(store, arguments);
                });
    }
}
