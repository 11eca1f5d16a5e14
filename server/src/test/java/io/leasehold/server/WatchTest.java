// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static io.leasehold.server.Requests.acquire;
import static io.leasehold.server.Requests.grant;
import static io.leasehold.server.Requests.release;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.protocol.v1.Grant;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.protocol.v1.WatchReply;
import io.leasehold.protocol.v1.WatchRequest;
import io.leasehold.server.api.OperationsOptions;
import io.leasehold.server.api.SubscribedByTest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Time;
import io.leasehold.table.TableOptions;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Watching what happens. */
final class WatchTest {

    private static final int KEPT = 16;

    private final Context.CancellableContext watching = Context.current().withCancellation();
    private final TestServer server = TestServer.start(options());

    private static ServerOptions options() {
        ServerOptions options = TestServer.options("memory");
        ServerOptions.Bounds bounds = options.bounds();
        return options.withBounds(new ServerOptions.Bounds(
                new OperationsOptions.Bounds(100, 100, 100, 3, KEPT, Duration.ofSeconds(5)),
                bounds.namespaces(),
                bounds.drain()));
    }

    @AfterEach
    void close() {
        watching.cancel(null);
        server.close();
    }

    private Iterator<WatchReply> watch(WatchRequest.Builder request) throws Exception {
        Iterator<WatchReply> events = watching.call(() -> server.calls().watch(request.build()));
        assertThat(events.next().hasStarted()).isTrue();
        return events;
    }

    private Grant acquired(String name) {
        return grant(server.calls().acquire(acquire(name).build()));
    }

    @Test
    void aWatchTellsWhatHappensFromThenOn() throws Exception {
        acquired("before");
        Iterator<WatchReply> events = watch(WatchRequest.newBuilder());
        Grant grant = acquired("a");
        server.calls().release(release(grant));
        WatchReply first = events.next();
        assertThat(first.getChanged().getChange()).isEqualTo(WatchReply.Change.GRANTED);
        assertThat(first.getChanged().getHolding().getScopes(0)).isEqualTo("name:a");
        assertThat(events.next().getChanged().getChange()).isEqualTo(WatchReply.Change.RELEASED);
    }

    @Test
    void aWatchOfAScopeTellsNothingElse() throws Exception {
        Iterator<WatchReply> events = watch(WatchRequest.newBuilder().setOverlapping("name:b"));
        acquired("a");
        acquired("b");
        assertThat(events.next().getChanged().getHolding().getScopes(0)).isEqualTo("name:b");
    }

    @Test
    void aNamespaceThatIsNotThereYetIsHeardOfFromItsFirstEventOn() throws Exception {
        Iterator<WatchReply> events = watch(WatchRequest.newBuilder().setNamespace("later"));
        assertThat(server.calls()
                        .acquire(acquire("a").setNamespace("later").build())
                        .hasGranted())
                .isTrue();
        assertThat(events.next().getChanged().getHolding().getScopes(0)).isEqualTo("name:a");
    }

    @Test
    void aWatchIsTakenUpAgainBehindItsLastEvent() throws Exception {
        Iterator<WatchReply> events = watch(WatchRequest.newBuilder());
        acquired("a");
        String cursor = events.next().getCursor();
        acquired("b");
        acquired("c");
        Iterator<WatchReply> again = watch(WatchRequest.newBuilder().setAfter(cursor));
        assertThat(again.next().getChanged().getHolding().getScopes(0)).isEqualTo("name:b");
        assertThat(again.next().getChanged().getHolding().getScopes(0)).isEqualTo("name:c");
    }

    @Test
    void whoComesBackTooLateMustReadTheStateAnew() throws Exception {
        Iterator<WatchReply> events = watch(WatchRequest.newBuilder());
        acquired("a");
        String cursor = events.next().getCursor();
        for (int i = 0; i <= KEPT; i++) {
            acquired("b" + i);
        }
        Iterator<WatchReply> again = watch(WatchRequest.newBuilder().setAfter(cursor));
        assertThat(again.next().hasResync()).isTrue();
        acquired("c");
        assertThat(again.next().getChanged().getHolding().getScopes(0)).isEqualTo("name:c");
    }

    @Test
    void aCursorOfAnotherStartIsAResync() throws Exception {
        for (String foreign : new String[] {"0123abcd.0", "0123abcd.77"}) {
            Iterator<WatchReply> events = watch(WatchRequest.newBuilder().setAfter(foreign));
            assertThat(events.next().hasResync()).isTrue();
        }
    }

    @Test
    void whatIsNoCursorIsInvalid() {
        for (String nonsense : new String[] {"x", "1.", ".1", "a.-1", "a.b", "a.1.2"}) {
            GrpcCallsTest.failure(
                    Status.Code.INVALID_ARGUMENT,
                    () -> server.calls()
                            .watch(WatchRequest.newBuilder().setAfter(nonsense).build())
                            .next());
        }
    }

    @Test
    void anEventLoopGoesOnWhileASubscribeHangs() throws Exception {
        CountDownLatch subscribing = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        LeaseStore hanging = SubscribedByTest.over(
                MemoryLeaseStore.create(TableOptions.defaults(), Time.system()),
                (store, listener) -> {
                    subscribing.countDown();
                    awaited(mayGoOn);
                    return store.subscribe(listener);
                });
        try (LeaseholdServer slow = ServersForTests.start(namespace -> hanging)) {
            // all calls of a connection are on one loop
            ManagedChannel connection = NettyChannelBuilder.forAddress("127.0.0.1", slow.port())
                    .usePlaintext()
                    .build();
            LeasesGrpc.LeasesBlockingStub calls = LeasesGrpc.newBlockingStub(connection);
            Iterator<WatchReply> events =
                    watching.call(() -> calls.watch(WatchRequest.getDefaultInstance()));
            subscribing.await();
            try {
                assertThat(calls.withDeadlineAfter(10, TimeUnit.SECONDS)
                                .info(InfoRequest.getDefaultInstance())
                                .getEngine())
                        .isEqualTo("memory");
            } finally {
                mayGoOn.countDown();
            }
            assertThat(events.next().hasStarted()).isTrue();
            connection.shutdownNow();
        }
    }

    private static void awaited(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new StoreUnavailableException("interrupted", e);
        }
    }

    @Test
    void thereIsAMostOfWatchesAndOneThatEndsMakesRoom() throws Exception {
        Context.CancellableContext first = Context.current().withCancellation();
        assertThat(first.call(() -> server.calls().watch(WatchRequest.getDefaultInstance()))
                        .next()
                        .hasStarted())
                .isTrue();
        watch(WatchRequest.newBuilder());
        watch(WatchRequest.newBuilder());
        GrpcCallsTest.failure(
                Status.Code.RESOURCE_EXHAUSTED,
                () -> server.calls().watch(WatchRequest.getDefaultInstance()).next());
        first.cancel(null);
        Await.until(() -> {
            try {
                watch(WatchRequest.newBuilder());
                return true;
            } catch (Exception e) {
                return false;
            }
        });
    }
}
