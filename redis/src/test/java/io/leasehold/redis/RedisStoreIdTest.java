// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockOptions;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.spi.LeaseStore;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The store id of a namespace in Redis: made with it, and lost with it. */
final class RedisStoreIdTest {

    private static final Duration TTL = Duration.ofMinutes(1);

    @Test
    void allClientsOfANamespaceAreToldTheSameIdAndThoseOfAnotherAnotherOne() {
        try (RedisServer server = RedisServer.start();
                RedisLeaseStore one = connect(server, "one");
                RedisLeaseStore two = connect(server, "one");
                RedisLeaseStore other = connect(server, "other")) {
            assertThat(idOf(two)).isEqualTo(idOf(one));
            assertThat(idOf(other)).isNotEqualTo(idOf(one));
        }
    }

    @Test
    void whenRedisHasForgottenTheNextAnswerTellsAnotherId() {
        try (RedisServer server = RedisServer.start();
                RedisLeaseStore store = connect(server, "one");
                RedisLeaseStore second = connect(server, "one")) {
            List<StoreId> told = new CopyOnWriteArrayList<>();
            try (var unused = store.onStoreChange(told::add)) {
                StoreId before = idOf(store);
                Leases.grant(store, "orders", TTL);
                server.command("FLUSHALL");
                Leases.grant(store, "orders", TTL);
                assertThat(idOf(store)).isNotEqualTo(before);
                assertThat(told).containsExactly(idOf(store));
                assertThat(Leases.list(second)).hasSize(1);
                assertThat(idOf(second)).isEqualTo(idOf(store));
            }
        }
    }

    @Test
    void allLeasesAreLostAsSoonAsItShowsThatRedisHasForgottenThem() {
        try (RedisServer server = RedisServer.start();
                Leasehold leasehold = Leasehold.on(connect(server, "one"))) {
            // its renewal, which would find out as well, comes after 20 minutes
            LockOptions options = LockOptions.defaults().withTtl(Duration.ofHours(1));
            Lease held = leasehold.lock(options, Scope.name("ledger")).acquire(TTL);
            CompletableFuture<Boolean> lost = new CompletableFuture<>();
            held.onLost(loss -> lost.complete(true));
            server.command("FLUSHALL");
            leasehold.lock("another").acquire(TTL).close();
            assertThat(RealTime.answer(lost)).isTrue();
            assertThat(held.isValid()).isFalse();
        }
    }

    private static RedisLeaseStore connect(RedisServer server, String namespace) {
        return RedisLeaseStore.connect(RedisOptions.at(server.uri()).withNamespace(namespace));
    }

    private static StoreId idOf(LeaseStore store) {
        return RealTime.answer(store.storeId());
    }
}
