// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.FencedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.redis.RedisLeaseStore;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseView;
import io.leasehold.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class RedisStoresTest {

    private static final Path PAGE =
            Path.of("").toAbsolutePath().resolve("../docs/engines/redis.md");
    private static final Pattern ACL = Pattern.compile("(?s)```text\\R(ACL SETUSER .*?)```");

    @Test
    void theFirstLockOnRedisHasATokenAboveTheLastOneEvenIfTheServerForgot() {
        try (RedisServer server = RedisServer.start()) {
            FencingToken first = new RedisStores().run(server.uri());
            server.command("FLUSHALL");
            FencingToken second = new RedisStores().run(server.uri());

            assertThat(first.isOlderThan(second)).isTrue();
        }
    }

    @Test
    void theCarefulOptionsRefuseAServerThatMayForget() {
        try (RedisServer server = RedisServer.start()) {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> new RedisStores().careful(server.uri()))
                    .withMessageContaining("appendonly is off");
        }
    }

    @Test
    void theUserOfTheGuideMayDoWhatIsNeeded() throws IOException {
        try (RedisServer primary = RedisServer.start("appendonly yes", "appendfsync always");
                RedisServer replica = RedisServer.start()) {
            replica.replicaOf(primary);
            // and the primary counts it
            assertThat(primary.command("WAIT", "1", "9000")).isEqualTo(1L);
            primary.command(userOfTheGuide());
            String uri = "redis://leasehold:secret@127.0.0.1:" + primary.port();
            try (RedisLeaseStore store = new RedisStores().careful(uri);
                    Leasehold here = Leasehold.on(store);
                    Leasehold there = Leasehold.on(new RedisStores().careful(uri))) {
                assertThat(there.guarantees().caveats())
                        .singleElement()
                        .asString()
                        .contains("repl");
                FencedLock tree = here.lock(Scope.subtree("/data"), Scope.name("data"));
                Lease first = tree.acquire(Duration.ofSeconds(5));
                CompletableFuture<Lease> second =
                        there.lock("data").acquireAsync(Duration.ofSeconds(15));
                first.renew();
                awaitWaiter(store);
                first.close();
                try (Lease lease = second.join()) {
                    assertThat(first.token().isOlderThan(lease.token())).isTrue();
                }
                new Migration(here).reportOf(LocalDate.EPOCH);
                assertThat(leases(store)).hasSize(1);
                store.subscribe(event -> {}).close();
            }
            assertThat(primary.command("ACL", "LOG")).isEqualTo(List.of());
        }
    }

    private static void awaitWaiter(RedisLeaseStore store) {
        while (leases(store).get(0).waiters() == 0) {
            Thread.onSpinWait();
        }
    }

    private static List<LeaseView> leases(RedisLeaseStore store) {
        return store.list(LeaseQuery.all()).toCompletableFuture().join().leases();
    }

    private static String[] userOfTheGuide() throws IOException {
        Matcher block = ACL.matcher(Files.readString(PAGE));
        assertThat(block.find()).isTrue();
        return block.group(1).replace("\\", "").strip().split("\\s+");
    }
}
