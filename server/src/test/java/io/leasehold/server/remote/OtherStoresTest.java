// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockOptions;
import io.leasehold.client.RemoteLeaseStore;
import io.leasehold.client.RemoteOptions;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.server.LeaseholdServer;
import io.leasehold.server.ServerOptions;
import io.leasehold.server.engine.StoreAddress;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Time;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.TcpProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients whose addresses lead to another store than before. Without a store id a holder went on under
 * token 1 of a store that had another holder under its own token 1.
 */
final class OtherStoresTest {

    private static final Duration TTL = Duration.ofSeconds(3);
    private static final Duration WAIT = Duration.ofMinutes(1);

    @TempDir
    private Path directory;

    @Test
    void twoJournalsBehindOneAddressDoNotHaveTwoHoldersThatBelieveInTheirLeases() throws Exception {
        try (LeaseholdServer one = journal("one");
                LeaseholdServer two = journal("two");
                TcpProxy address = TcpProxy.to(one.port());
                Leasehold first = Leasehold.on(connect(to(address.port())));
                Leasehold second = Leasehold.on(connect(to(two.port())))) {
            Lease held = first.lock("ledger").acquire(WAIT);
            CompletableFuture<LeaseLostException> lost = new CompletableFuture<>();
            held.onLost(lost::complete);
            Lease other = second.lock("ledger").acquire(WAIT);
            assertThat(other.token()).isEqualTo(held.token());
            address.leadTo(two.port());
            address.cut();
            assertThat(lost.get(30, TimeUnit.SECONDS)).hasMessageContaining("is gone, store");
            assertThat(held.validate()).isFalse();
            assertThat(other.validate()).isTrue();
        }
    }

    @Test
    void aServerOfAnotherStoreIsTurnedAwayAndSaysWithWhichIds() throws Exception {
        try (LeaseholdServer one = journal("one");
                LeaseholdServer two = journal("two");
                TcpProxy near = TcpProxy.to(one.port());
                RemoteLeaseStore store = connect(to(near.port()) + ",127.0.0.1:" + two.port());
                RemoteLeaseStore there = connect(to(two.port()));
                Leasehold leasehold = Leasehold.on(store)) {
            StoreId ours = idOf(store);
            Lease held = leasehold.lock("ledger").acquire(WAIT);
            near.refuse();
            near.cut();
            RealTime.until("the other is turned away", () -> {
                try {
                    RealTime.answer(store.list(LeaseQuery.all()));
                    return false;
                } catch (OutcomeUnknownException e) {
                    return false; // the connection was cut just now
                } catch (StoreUnavailableException e) {
                    String said = String.valueOf(e.getMessage());
                    return said.contains(ours.toString())
                            && said.contains(idOf(there).toString());
                }
            });
            assertThat(Asking.list(there)).isEmpty();
            // the lease's own store may be back in time
            assertThat(held.isValid()).isTrue();
            near.heal();
            RealTime.until("it is back", () -> answers(store));
            assertThat(held.validate()).isTrue();
            assertThat(idOf(store)).isEqualTo(ours);
        }
    }

    @Test
    void whenAMemoryServerRestartsAllItsLeasesAreLostAtOnceAndAcquiresWait() throws Exception {
        LeaseholdServer before = memory(0);
        int port = before.port();
        try (RemoteLeaseStore store = connect(to(port));
                Leasehold leasehold = Leasehold.on(store)) {
            StoreId first = idOf(store);
            Lease held = leasehold.lock(options(), Scope.name("ledger")).acquire(WAIT);
            CompletableFuture<Long> lostAt = new CompletableFuture<>();
            held.onLost(loss -> lostAt.complete(Time.system().nanos()));
            before.close();
            try (LeaseholdServer after = memory(port)) {
                long lost = lostAt.get(30, TimeUnit.SECONDS);
                assertThat(held.isValid()).isFalse();
                assertThat(idOf(store)).isNotEqualTo(first);
                assertThatThrownBy(() -> leasehold.lock("other").tryAcquire())
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining(first.toString())
                        .hasMessageContaining(idOf(store).toString())
                        .hasMessageContaining("nothing is acquired for another");
                try (Lease again =
                        leasehold.lock(options(), Scope.name("ledger")).acquire(WAIT)) {
                    assertThat(again.isValid()).isTrue();
                    assertThat(Time.system().nanos() - lost)
                            .isGreaterThan(TTL.minusMillis(200).toNanos());
                }
                assertThat(after.port()).isEqualTo(port);
            }
        }
    }

    @Test
    void twoAddressesThatBothTellAnotherIdAreFollowed() throws Exception {
        try (LeaseholdServer one = journal("one");
                LeaseholdServer two = journal("two");
                TcpProxy left = TcpProxy.to(one.port());
                TcpProxy right = TcpProxy.to(one.port());
                RemoteLeaseStore store = connect(to(left.port()) + ",127.0.0.1:" + right.port());
                RemoteLeaseStore there = connect(to(two.port()))) {
            StoreId ours = idOf(store);
            left.leadTo(two.port());
            left.cut();
            RealTime.until("it is back", () -> answers(store));
            assertThat(idOf(store)).isEqualTo(ours);
            right.leadTo(two.port());
            right.cut();
            RealTime.until("it has changed over", () -> idOf(store).equals(idOf(there)));
        }
    }

    private static boolean answers(LeaseStore store) {
        try {
            return RealTime.answer(store.list(LeaseQuery.all())) != null;
        } catch (LeaseholdException e) {
            return false;
        }
    }

    private LeaseholdServer journal(String name) {
        return LeaseholdServer.start(
                ServerOptions.on(new StoreAddress.Journal(directory.resolve(name)))
                        .withPort(0));
    }

    private static LeaseholdServer memory(int port) {
        return LeaseholdServer.start(ServerOptions.on(new StoreAddress.Memory()).withPort(port));
    }

    private static String to(int port) {
        return "leasehold://127.0.0.1:" + port;
    }

    private static RemoteLeaseStore connect(String address) {
        return RemoteLeaseStore.connect(
                RemoteOptions.at(address).withPatience(Duration.ofSeconds(2)));
    }

    private static LockOptions options() {
        return LockOptions.defaults().withTtl(TTL);
    }

    private static StoreId idOf(LeaseStore store) {
        return RealTime.answer(store.storeId());
    }
}
