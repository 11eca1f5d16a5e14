// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static io.leasehold.server.Requests.acquire;
import static io.leasehold.server.Requests.call;
import static io.leasehold.server.Requests.grant;
import static io.leasehold.server.Requests.release;
import static io.leasehold.server.Requests.renew;
import static io.leasehold.server.Requests.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.GetRequest;
import io.leasehold.protocol.v1.Grant;
import io.leasehold.server.api.OperationsOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** More calls than there is room for. */
@Isolated
final class OverloadTest {

    private static final int ACQUIRES = 50;

    private static ServerOptions options() {
        ServerOptions options = TestServer.options("memory");
        ServerOptions.Bounds bounds = options.bounds();
        return options.withBounds(new ServerOptions.Bounds(
                new OperationsOptions.Bounds(ACQUIRES, 100, 10, 10, 16, Duration.ofSeconds(5)),
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
            var scope = GetRequest.newBuilder().setScope("name:lock").build();
            Await.until(() -> server.calls().get(scope).getLeases(0).getWaiters() == ACQUIRES);

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
}
