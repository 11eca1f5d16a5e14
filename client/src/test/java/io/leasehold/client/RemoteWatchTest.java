// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.Scope;
import io.leasehold.protocol.ToWire;
import io.leasehold.protocol.v1.WatchReply;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.TcpProxy;
import io.leasehold.testkit.ThreadLeakCheck;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Events that go on where they were when the connection comes back. */
@ExtendWith(ThreadLeakCheck.class)
final class RemoteWatchTest {

    private final MemoryLeaseStore behind = MemoryLeaseStore.create();
    private final SessionServer server = SessionServer.on(behind);
    private final TcpProxy network = TcpProxy.to(server.port());
    private final RemoteLeaseStore store =
            RemoteLeaseStore.connect("leasehold://127.0.0.1:" + network.port() + "/orders");
    private final BlockingQueue<LeaseEvent> events = new LinkedBlockingQueue<>();

    @AfterEach
    void close() {
        store.close();
        network.close();
        server.close();
        behind.close();
    }

    private static LeaseEvent event(long token) {
        return new LeaseEvent.Changed(
                LeaseEvent.Change.GRANTED,
                new Holding(
                        Claim.exclusive(Scope.name("a")),
                        new Holder("somebody"),
                        new FencingToken(token)));
    }

    private void tell(long token) {
        server.tell(
                ToWire.event(event(token)).setCursor("boot." + (100 + token)).build());
    }

    private LeaseEvent next() throws InterruptedException {
        LeaseEvent event = events.poll(30, TimeUnit.SECONDS);
        assertThat(event).as("the next event").isNotNull();
        return event;
    }

    @Test
    void aWatchGoesOnBehindTheLastEventThatCame() throws InterruptedException {
        try (LeaseEvents.Subscription watch = store.subscribe(events::add)) {
            assertThat(server.watches.get(0).getNamespace()).isEqualTo("orders");
            assertThat(server.watches.get(0).getAfter()).isEmpty();
            tell(7);
            assertThat(next()).isEqualTo(event(7));
            network.cut();
            RealTime.until("it is taken up again", () -> server.watches.size() == 2);
            assertThat(server.watches.get(1).getAfter()).isEqualTo("boot.107");
            tell(8);
            assertThat(next()).isEqualTo(event(8));
            // the mark of the begun watch was not mistaken for an event that had come
            network.cut();
            RealTime.until("it is taken up again", () -> server.watches.size() == 3);
            assertThat(server.watches.get(2).getAfter()).isEqualTo("boot.108");
        }
    }

    @Test
    void aWatchThatSawNothingGoesOnWhereItBegan() {
        try (LeaseEvents.Subscription watch = store.subscribe(events::add)) {
            network.cut();
            RealTime.until("it is taken up again", () -> server.watches.size() == 2);
            assertThat(server.watches.get(1).getAfter()).isEqualTo("boot.1");
        }
    }

    @Test
    void whatIsMissingIsTold() throws InterruptedException {
        try (LeaseEvents.Subscription watch = store.subscribe(events::add)) {
            server.watchers
                    .get(0)
                    .onNext(WatchReply.newBuilder()
                            .setCursor("other.1")
                            .setResync(WatchReply.Resync.getDefaultInstance())
                            .build());
            assertThat(next()).isInstanceOf(LeaseEvent.Missed.class);
        }
    }

    @Test
    void aWatchThatTheServerEndsIsTakenUpAgain() throws InterruptedException {
        try (LeaseEvents.Subscription watch = store.subscribe(events::add)) {
            server.watchers.get(0).onError(Status.RESOURCE_EXHAUSTED.asRuntimeException());
            RealTime.until("it is taken up again", () -> server.watches.size() == 2);
            tell(9);
            assertThat(next()).isEqualTo(event(9));
        }
    }

    @Test
    void aListenerThatFailsHearsTheNextEventAllTheSame() throws InterruptedException {
        LeaseEvents broken = event -> {
            events.add(event);
            throw new IllegalStateException("a listener that fails on purpose");
        };
        try (LeaseEvents.Subscription watch = store.subscribe(broken)) {
            tell(1);
            tell(2);
            assertThat(next()).isEqualTo(event(1));
            assertThat(next()).isEqualTo(event(2));
        }
    }

    @Test
    void aListenerThatDoesNotReturnKeepsBackNoAnswer() {
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        CompletableFuture<Boolean> mayReturn = new CompletableFuture<>();
        LeaseEvents stuck = event -> {
            told.complete(true);
            boolean unused = mayReturn.join();
        };
        try (LeaseEvents.Subscription watch = store.subscribe(stuck)) {
            tell(1);
            RealTime.answer(told);

            assertThat(RealTime.answer(store.list(LeaseQuery.all())).leases()).isEmpty();
        } finally {
            mayReturn.complete(true);
        }
    }

    @Test
    void withoutAConnectionThereIsNoSubscription() {
        network.refuse();
        network.cut();
        RealTime.until("it is noticed", () -> {
            try {
                store.subscribe(events::add).close();
                return false;
            } catch (LeaseholdException e) {
                return true;
            }
        });
        assertThatThrownBy(() -> store.subscribe(events::add))
                .isInstanceOf(LeaseholdException.class);
    }
}
