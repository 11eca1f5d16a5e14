// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static io.leasehold.server.Requests.acquire;
import static io.leasehold.server.Requests.call;
import static io.leasehold.server.Requests.grant;
import static io.leasehold.server.Requests.release;
import static io.leasehold.server.Requests.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.protocol.v1.Answer;
import io.leasehold.protocol.v1.Grant;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.testkit.TestLength;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** A crowd in front of one lock. */
@Isolated
final class WaitersTest {

    private static final int WAITERS = TestLength.of(2_000, 10_000);
    private static final int CLIENTS = 10;

    private final List<List<Integer>> servedByClient = new ArrayList<>();

    @Test
    @Timeout(120)
    void manyWaitersAreServedInOrderWithFewThreads(@TempDir Path directory) {
        String store = "journal:" + directory.resolve("data");
        int threads = Thread.activeCount(); // other tests left some
        try (TestServer server = TestServer.start(TestServer.options(store))) {
            TestSession first = server.session();
            Grant holder = grant(first.call(call(acquire("lock"))).getAcquired());
            List<CompletableFuture<Answer>> waiting = queue(server);
            var scope = ListRequest.newBuilder().setOverlapping("name:lock").build();
            Await.until(() -> server.calls().list(scope).getLeases(0).getWaiters() == WAITERS);
            assertThat(Thread.activeCount() - threads).isLessThan(200);

            CompletableFuture<Answer> released =
                    first.send(call(release(holder))).get(0);
            released.orTimeout(30, TimeUnit.SECONDS).join();
            CompletableFuture.allOf(waiting.toArray(CompletableFuture<?>[]::new))
                    .orTimeout(30, TimeUnit.SECONDS)
                    .join();
            assertThat(servedByClient)
                    .hasSize(CLIENTS)
                    .allSatisfy(served ->
                            assertThat(served).hasSize(WAITERS / CLIENTS).isSorted());
        }
    }

    /** Each client has its share in the queue; who is granted releases at once. */
    private List<CompletableFuture<Answer>> queue(TestServer server) {
        List<CompletableFuture<Answer>> waiting = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
            TestSession session = TestSession.on(server.connect());
            List<Integer> served = Collections.synchronizedList(new ArrayList<>());
            servedByClient.add(served);
            for (int i = 0; i < WAITERS / CLIENTS; i++) {
                int number = i;
                waiting.add(session.send(call(acquire("lock").setWait(seconds(300))))
                        .get(0)
                        .thenCompose(answer -> {
                            served.add(number);
                            return session.send(call(release(grant(answer.getAcquired()))))
                                    .get(0);
                        }));
            }
        }
        return waiting;
    }
}
