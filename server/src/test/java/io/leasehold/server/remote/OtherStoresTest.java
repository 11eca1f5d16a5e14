// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Environment;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LeaseholdOptions;
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
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.TcpProxy;
import io.leasehold.testkit.VirtualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients whose addresses lead to another store than before. Without a store id a holder went on under
 * token 1 of a store that had another holder under its own token 1.
 */
final class OtherStoresTest {

    private static final Duration TTL = Duration.ofMinutes(30);
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

    /** In the client's virtual time, which passes no faster than real time until the lease is lost. */
    @Test
    void whenAMemoryServerRestartsAllItsLeasesAreLostAtOnceAndAcquiresWait() throws Exception {
        VirtualTime time = VirtualTime.create();
        LeaseholdServer before = memory(0);
        int port = before.port();
        try (RemoteLeaseStore store = RemoteLeaseStore.connect(
                        options(to(port)).within(time, new SplittableRandom(18)));
                Leasehold leasehold = Leasehold.on(store, in(time))) {
            StoreId first = idOf(store);
            Lease held = leasehold.lock(lasting(TTL), Scope.name("ledger")).acquire(WAIT);
            CompletableFuture<LeaseLostException> lost = new CompletableFuture<>();
            held.onLost(lost::complete);
            long restart = time.nanos();
            before.close();
            try (LeaseholdServer after = memory(port)) {
                assertThat(after.port()).isEqualTo(port);
                RealTime.until("it is lost", () -> pass(time, 10, lost::isDone));
                assertThat(time.nanos() - restart)
                        .as("it is lost at once")
                        .isLessThan(TTL.dividedBy(2).toNanos());
                assertThat(held.isValid()).isFalse();
                assertThat(idOf(store)).isNotEqualTo(first);
                assertThatThrownBy(() -> RealTime.answer(
                                store.acquire(Asking.request("other", Duration.ofSeconds(1)))))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining(first.toString())
                        .hasMessageContaining(idOf(store).toString())
                        .hasMessageContaining("nothing is acquired for another");
                CompletableFuture<Lease> again = leasehold
                        .lock(lasting(TTL), Scope.name("ledger"))
                        .acquireAsync(TTL.multipliedBy(2));
                time.advance(TTL);
                RealTime.until("it can be asked", () -> pass(time, 10, () -> answers(store)));
                assertThat(Asking.list(store)).isEmpty();
                time.advance(TTL.dividedBy(50)); // what clocks may differ by
                RealTime.until("it is granted", () -> pass(time, 10, again::isDone));
                try (Lease lease = again.join()) {
                    assertThat(lease.isValid()).isTrue();
                }
            }
        }
    }

    /** Lets so many milliseconds pass unless it is so already. */
    private static boolean pass(VirtualTime time, int millis, BooleanSupplier condition) {
        if (!condition.getAsBoolean()) {
            time.advance(Duration.ofMillis(millis));
        }
        return condition.getAsBoolean();
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
        return RemoteLeaseStore.connect(options(address));
    }

    private static RemoteOptions options(String address) {
        return RemoteOptions.at(address).withPatience(Duration.ofSeconds(2));
    }

    private static LeaseholdOptions in(VirtualTime time) {
        return LeaseholdOptions.defaults()
                .withEnvironment(new Environment(time, Runnable::run, new SplittableRandom(18)));
    }

    private static LockOptions lasting(Duration ttl) {
        return LockOptions.defaults().withTtl(ttl);
    }

    private static StoreId idOf(LeaseStore store) {
        return RealTime.answer(store.storeId());
    }
}
