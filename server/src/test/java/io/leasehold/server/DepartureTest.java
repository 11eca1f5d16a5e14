// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static io.leasehold.server.Requests.acquire;
import static io.leasehold.server.Requests.call;
import static io.leasehold.server.Requests.grant;
import static io.leasehold.server.Requests.release;
import static io.leasehold.server.Requests.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import io.grpc.ManagedChannel;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.Grant;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of acquires whose callers go away. */
final class DepartureTest {

    private static final Duration GRACE = Duration.ofSeconds(5);

    private final VirtualTime time = VirtualTime.create();
    private final TestServer server =
            TestServer.start(TestServer.options("memory").withTime(time));
    private final Grant holder =
            grant(server.calls().acquire(acquire("lock").setTtl(seconds(600)).build()));

    @AfterEach
    void close() {
        server.closeIn(time);
    }

    private int waiters() {
        return server.calls()
                .list(ListRequest.newBuilder().setOverlapping("name:lock").build())
                .getLeases(0)
                .getWaiters();
    }

    /** Lets time pass until it is so, but far less than anybody waits. */
    private void awaitInTime(BooleanSupplier condition) {
        for (int second = 0; second < 60 && !condition.getAsBoolean(); second++) {
            time.advance(Duration.ofSeconds(1));
            Await.aMoment();
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    @Test
    void theEndOfASessionTakesItsWaitersBack() {
        TestSession session = server.session();
        session.send(call(acquire("lock").setWait(seconds(300))));
        Await.until(() -> waiters() == 1);
        session.cancel();
        awaitInTime(() -> waiters() == 0);
    }

    @Test
    void aUnaryCallThatIsCancelledIsTakenBackToo() {
        ListenableFuture<AcquireReply> waiting =
                server.later().acquire(acquire("lock").setWait(seconds(300)).build());
        Await.until(() -> waiters() == 1);
        waiting.cancel(true);
        awaitInTime(() -> waiters() == 0);
    }

    @Test
    void aConnectionThatBreaksTakesItsWaitersBackToo() {
        ManagedChannel connection = server.connect();
        TestSession.on(connection).send(call(acquire("lock").setWait(seconds(300))));
        Await.until(() -> waiters() == 1);
        connection.shutdownNow();
        awaitInTime(() -> waiters() == 0);
    }

    @Test
    void aRepeatThatComesBeforeTheFirstCallersEndIsNotTakenBackWithIt() throws Exception {
        AcquireRequest request = acquire("lock").setWait(seconds(300)).build();
        TestSession session = server.session();
        session.send(call(request.toBuilder()));
        Await.until(() -> waiters() == 1);
        TestSession second = TestSession.on(server.connect());
        var repeated = second.send(call(request.toBuilder())).get(0);
        assertThat(second.call(call(acquire("other"))).getAcquired().hasGranted())
                .isTrue();
        session.cancel();
        server.calls().release(release(holder));
        Grant grant = grant(repeated.get().getAcquired());
        time.advance(GRACE.multipliedBy(2));
        assertThat(server.calls().release(release(grant)).hasEnded()).isTrue();
    }

    @Test
    void whatWasGrantedAndDeliveredOutlivesTheSession() {
        TestSession session = server.session();
        Grant grant = grant(session.call(call(acquire("kept"))).getAcquired());
        session.cancel();
        time.advance(GRACE.multipliedBy(2));
        assertThat(server.calls().release(release(grant)).hasEnded()).isTrue();
    }
}
