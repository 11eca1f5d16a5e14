// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static io.leasehold.server.Requests.acquire;
import static io.leasehold.server.Requests.call;
import static io.leasehold.server.Requests.grant;
import static io.leasehold.server.Requests.release;
import static io.leasehold.server.Requests.renew;
import static io.leasehold.server.Requests.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.Grant;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.server.api.OperationsOptions;
import io.leasehold.spi.Time;
import io.leasehold.testkit.FaultyStore;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** More calls than there is room for. */
@Isolated
final class OverloadTest {

    private static final int ACQUIRES = 50;
    private static final int READS = 10;

    private static ServerOptions options() {
        ServerOptions options = TestServer.options("memory");
        ServerOptions.Bounds bounds = options.bounds();
        return options.withBounds(new ServerOptions.Bounds(
                new OperationsOptions.Bounds(ACQUIRES, 100, READS, 10, 16, Duration.ofSeconds(5)),
                bounds.namespaces(),
                bounds.drain()));
    }

    @Test
    void holdersAreServedWhileAcquiresAreRefused() {
        try (TestServer server = TestServer.start(options())) {
            TestSession session = server.session();
            Grant holder = grant(session.call(call(acquire("lock"))).getAcquired());
            for (int i = 0; i < ACQUIRES; i++) {
                session.send(call(acquire("lock").setWait(seconds(300))));
            }
            var scope = ListRequest.newBuilder().setOverlapping("name:lock").build();
            Await.until(() -> server.calls().list(scope).getLeases(0).getWaiters() == ACQUIRES);

            Failure refused = session.call(call(acquire("other"))).getFailure();
            assertThat(refused.getKind()).isEqualTo(Failure.Kind.LIMIT_EXCEEDED);
            assertThat(refused.getLimit()).isEqualTo("acquires under way");
            assertThat(refused.getLimitValue()).isEqualTo(ACQUIRES);
            assertThat(session.call(call(renew(holder)))
                            .getRenewed()
                            .getOutcomes(0)
                            .hasRenewed())
                    .isTrue();
            assertThat(session.call(call(release(holder))).getEnded().hasEnded())
                    .isTrue();
            // the first of the queue was granted, which makes room
            assertThat(session.call(call(acquire("other"))).getAcquired().hasGranted())
                    .isTrue();
        }
    }

    @Test
    void readsThatHangRefuseNobodyWhoConnects() {
        FaultyStore store = FaultyStore.to(MemoryLeaseStore.create(), Time.system());
        try (LeaseholdServer server = ServersForTests.start(options(), namespace -> store)) {
            ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                    .usePlaintext()
                    .build();
            try {
                store.cutOff(true);
                var scope = ListRequest.newBuilder().setOverlapping("name:lock").build();
                for (int i = 0; i < READS; i++) {
                    var unused = LeasesGrpc.newFutureStub(channel).list(scope);
                }
                LeasesGrpc.LeasesBlockingStub calls =
                        LeasesGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS);
                Await.until(() -> isRefused(
                        () -> calls.withDeadlineAfter(1, TimeUnit.SECONDS).list(scope)));

                assertThat(calls.info(InfoRequest.getDefaultInstance()).getEngine())
                        .isEqualTo("memory");
            } finally {
                channel.shutdownNow();
            }
        }
    }

    private static boolean isRefused(Runnable read) {
        Status.Code code = catchThrowableOfType(StatusRuntimeException.class, read::run)
                .getStatus()
                .getCode();
        return code == Status.Code.RESOURCE_EXHAUSTED;
    }
}
