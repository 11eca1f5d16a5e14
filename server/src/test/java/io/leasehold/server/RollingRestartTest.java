// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.client.RemoteLeaseStore;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.FencingToken;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Time;
import io.leasehold.testkit.FaultyStore;
import io.leasehold.testkit.RealTime;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One of two servers of the same store stops, and its clients know both. */
@Timeout(120)
final class RollingRestartTest {

    private static final int HELD = 20;

    /** Serves the store, and leaves it open at the end. */
    private static LeaseholdServer serve(LeaseStore store) {
        ServerOptions options = TestServer.options("memory");
        ServerOptions.Bounds bounds = options.bounds();
        return ServersForTests.start(
                options.withBounds(new ServerOptions.Bounds(
                        bounds.calls(), bounds.namespaces(), Duration.ofMinutes(1))),
                namespace -> FaultyStore.to(store, Time.system()));
    }

    private static RemoteLeaseStore connect(LeaseholdServer first, LeaseholdServer second) {
        return RemoteLeaseStore.connect(
                "leasehold://127.0.0.1:" + first.port() + ",127.0.0.1:" + second.port());
    }

    private static Map<Lease, FencingToken> hold(Leasehold leasehold) {
        Map<Lease, FencingToken> held = new LinkedHashMap<>();
        for (int i = 0; i < HELD; i++) {
            Lease lease = leasehold.lock("held-" + i).acquire(RealTime.PATIENCE);
            held.put(lease, lease.token());
        }
        return held;
    }

    @Test
    void whileAServerStopsItsClientsAreGrantedLocksByTheOtherAndKeepTheirLeases() {
        LeaseStore shared = MemoryLeaseStore.create();
        LeaseholdServer stopping = serve(shared);
        try (LeaseholdServer staying = serve(shared);
                Idler idler = Idler.of(stopping);
                Leasehold leasehold = Leasehold.on(connect(stopping, staying));
                Leasehold other = Leasehold.on(connect(staying, stopping))) {
            Map<Lease, FencingToken> held = hold(leasehold);
            Lease wanted = other.lock("wanted").acquire(RealTime.PATIENCE);
            CompletableFuture<Lease> waiting =
                    leasehold.lock("wanted").acquireAsync(RealTime.PATIENCE);

            CompletableFuture<Void> stopped = CompletableFuture.runAsync(stopping::close);
            Lease granted = leasehold.lock("new").acquire(Duration.ofSeconds(20));
            held.keySet().forEach(Lease::renew);
            assertThat(stopped).as("it still drains").isNotDone();
            wanted.close();
            assertThat(RealTime.answer(waiting).isValid()).isTrue();

            idler.leave();
            stopped.orTimeout(30, TimeUnit.SECONDS).join(); // long before the drain is over
            held.forEach((lease, token) -> {
                lease.renew();
                assertThat(lease.token()).isEqualTo(token);
            });
            granted.renew();
        } finally {
            stopping.stopDraining();
            stopping.close();
            shared.close();
        }
    }

    /** A client that knows one server alone, and keeps that from ending. */
    private record Idler(RemoteLeaseStore store) implements AutoCloseable {

        static Idler of(LeaseholdServer server) {
            return new Idler(RemoteLeaseStore.connect("leasehold://127.0.0.1:" + server.port()));
        }

        void leave() {
            store.close();
        }

        @Override
        public void close() {
            leave();
        }
    }
}
