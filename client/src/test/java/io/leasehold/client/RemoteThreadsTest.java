// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.protocol.ToWire;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.ThreadLeakCheck;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * On the machine's time: what is due by a timer is done by the store's own thread. The JDK's delay
 * thread, on which every time-out in the process depends, does none of it.
 */
@ExtendWith(ThreadLeakCheck.class)
final class RemoteThreadsTest {

    private static final Duration SHORT = Duration.ofMillis(500); // until somebody is to be told
    private static final Duration LONG = Duration.ofMinutes(5);

    private final MemoryLeaseStore behind = MemoryLeaseStore.create();
    private final SessionServer server = SessionServer.on(behind);
    private final RemoteLeaseStore store = RemoteLeaseStore.connect(
            RemoteOptions.at(server.address()).withPatience(Duration.ofSeconds(2)));
    private long lastId;

    @AfterEach
    void close() {
        store.close();
        server.close();
        behind.close();
    }

    private CompletionStage<Acquisition> acquire(Duration wait) {
        LeaseRequest request = LeaseRequest.of(
                new LeaseId(1, ++lastId), Claim.exclusive(Scope.name("a")), new Holder("h"), LONG);
        return store.acquire(request.waitingAtMost(wait));
    }

    private static CompletableFuture<String> threadOf(CompletionStage<?> answer) {
        return answer.handle((came, error) -> Thread.currentThread().getName())
                .toCompletableFuture();
    }

    @Test
    void whoHasWaitedInVainIsToldByTheThreadOfTheStore() {
        assertThat(RealTime.answer(acquire(Duration.ZERO))).isInstanceOf(Acquisition.Granted.class);
        CompletionStage<Acquisition> waiter = acquire(SHORT);

        assertThat(RealTime.answer(threadOf(waiter))).isEqualTo("leasehold-remote");
        assertThat(RealTime.answer(waiter)).isInstanceOf(Acquisition.Held.class);
    }

    @Test
    void whoIsNotAnsweredInTimeIsToldByTheThreadOfTheStore() {
        server.handler = (call, answers) -> true; // and does not answer

        assertThat(RealTime.answer(threadOf(acquire(Duration.ZERO)))).isEqualTo("leasehold-remote");
    }

    @Test
    void eventsAreToldByAnotherThreadOfTheStore() {
        CompletableFuture<String> teller = new CompletableFuture<>();
        Holding holding =
                new Holding(Claim.exclusive(Scope.name("a")), new Holder("h"), new FencingToken(1));
        try (LeaseEvents.Subscription watch =
                store.subscribe(event -> teller.complete(Thread.currentThread().getName()))) {
            server.tell(ToWire.event(new LeaseEvent.Changed(LeaseEvent.Change.GRANTED, holding))
                    .setCursor("boot.101")
                    .build());

            assertThat(RealTime.answer(teller)).isEqualTo("leasehold-remote-events");
        }
    }
}
