// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.client.RemoteLeaseStore;
import io.leasehold.client.RemoteOptions;
import io.leasehold.server.LeaseholdServer;
import io.leasehold.server.ServerOptions;
import io.leasehold.server.api.OperationsOptions;
import io.leasehold.server.engine.StoreAddress;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.TcpProxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A caller that waits for a lock and loses its connection. */
@Timeout(120)
final class AwayForTooLongTest {

    private static final Duration WAIT = Duration.ofMinutes(2);

    private static ServerOptions options(Duration grace) {
        ServerOptions usual = ServerOptions.on(new StoreAddress.Memory()).withPort(0);
        OperationsOptions.Bounds calls = usual.bounds().calls();
        return usual.withBounds(new ServerOptions.Bounds(
                new OperationsOptions.Bounds(
                        calls.acquires(),
                        calls.others(),
                        calls.reads(),
                        calls.watches(),
                        calls.eventsKept(),
                        grace),
                usual.bounds().namespaces(),
                usual.bounds().drain()));
    }

    private static String to(int port) {
        return "leasehold://127.0.0.1:" + port;
    }

    @Test
    void whoIsTakenOutOfTheQueueWhileAwayAsksAnewWhenItIsBack() throws Exception {
        try (LeaseholdServer server = LeaseholdServer.start(options(Duration.ofMillis(200)));
                TcpProxy network = TcpProxy.to(server.port());
                RemoteLeaseStore near = RemoteLeaseStore.connect(to(server.port()));
                Leasehold holder = Leasehold.on(near);
                Leasehold waiter = Leasehold.on(
                        RemoteLeaseStore.connect(RemoteOptions.at(to(network.port()))))) {
            Lease held = holder.lock("ledger").acquire(Duration.ofSeconds(5));
            CompletableFuture<Lease> waiting = waiter.lock("ledger").acquireAsync(WAIT);
            RealTime.until("it waits", () -> waiters(near) == 1);
            network.refuse();
            network.cut();
            RealTime.until("the server took it back", () -> waiters(near) == 0);
            network.heal();
            RealTime.until("it asks anew", () -> waiters(near) == 1);
            assertThat(waiting).isNotDone();
            held.close();
            try (Lease obtained = waiting.get(60, TimeUnit.SECONDS)) {
                assertThat(obtained.isValid()).isTrue();
            }
        }
    }

    @Test
    void whoIsBackWithinTheGraceKeepsItsPlace() throws Exception {
        try (LeaseholdServer server = LeaseholdServer.start(options(Duration.ofMinutes(1)));
                TcpProxy network = TcpProxy.to(server.port());
                RemoteLeaseStore near = RemoteLeaseStore.connect(to(server.port()));
                Leasehold holder = Leasehold.on(near);
                Leasehold waiter = Leasehold.on(
                        RemoteLeaseStore.connect(RemoteOptions.at(to(network.port()))))) {
            Lease held = holder.lock("ledger").acquire(Duration.ofSeconds(5));
            CompletableFuture<Lease> first = waiter.lock("ledger").acquireAsync(WAIT);
            RealTime.until("it waits", () -> waiters(near) == 1);
            CompletableFuture<Lease> second = holder.lock("ledger").acquireAsync(WAIT);
            RealTime.until("both wait", () -> waiters(near) == 2);
            network.cut();
            held.close();
            try (Lease obtained = first.get(60, TimeUnit.SECONDS)) {
                assertThat(obtained.isValid()).isTrue();
                assertThat(second).isNotDone();
            }
            second.get(60, TimeUnit.SECONDS).close();
        }
    }

    private static int waiters(RemoteLeaseStore store) {
        return Asking.list(store).values().stream()
                .mapToInt(view -> view.waiters())
                .sum();
    }
}
