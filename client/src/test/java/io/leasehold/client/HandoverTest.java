// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.protocol.v1.Call;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.TcpProxy;
import io.leasehold.testkit.ThreadLeakCheck;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a client does when its server says that it is about to stop. */
@ExtendWith(ThreadLeakCheck.class)
final class HandoverTest {

    private final MemoryLeaseStore behind = MemoryLeaseStore.create();
    private final SessionServer first = SessionServer.on(behind);
    private final SessionServer second = SessionServer.on(behind);
    private final TcpProxy toSecond = TcpProxy.to(second.port());
    private final RemoteLeaseStore store = RemoteLeaseStore.connect(
            RemoteOptions.at(first.address() + ",127.0.0.1:" + toSecond.port())
                    .withPatience(Duration.ofSeconds(20)));

    @AfterEach
    void close() {
        store.close();
        toSecond.close();
        first.close();
        second.close();
        behind.close();
    }

    /** The client is connected before the server has its session. */
    private void firstStops() {
        RealTime.until("it is there", () -> first.sessions.size() == 1);
        first.tellOfStop();
    }

    private void renew(Grant grant) {
        assertThat(RealTime.answer(store.renew(RenewalRequest.of(grant, Duration.ofSeconds(30)))))
                .isInstanceOf(Renewal.Renewed.class);
    }

    /** Asks again and again, and no question fails, until it is asked there. */
    private void askUntilItReaches(SessionServer server) {
        int before = server.calls().size();
        RealTime.until("it is there", () -> {
            RealTime.answer(store.list(LeaseQuery.all()));
            return server.calls().size() > before;
        });
    }

    @Test
    void aClientOfAServerThatStopsGoesToAnotherOneAndLosesNoQuestion() {
        Grant held = Asking.granted(store, "held");
        CompletionStage<Acquisition> waiting =
                store.acquire(Asking.request("held").waitingAtMost(Duration.ofMinutes(1)));
        RealTime.until("it waits", () -> first.calls().size() == 2);
        firstStops();
        askUntilItReaches(second);
        renew(held);
        Asking.granted(store, "new");
        assertThat(second.calls().stream().filter(Call::hasRenew)).hasSize(1);
        assertThat(second.calls().stream().filter(Call::hasAcquire)).hasSize(1);

        assertThat(first.sessions).as("it waits there").hasSize(1);
        assertThat(RealTime.answer(store.release(held))).isInstanceOf(Ending.Ended.class);
        Asking.granted(RealTime.answer(waiting));
        RealTime.until("all is answered", first.sessions::isEmpty);
    }

    @Test
    void aQuestionWithoutAnAnswerIsUnknownWhenTheServerThatStopsEnds() {
        CompletionStage<Acquisition> waiting = whileHeld();
        firstStops();
        askUntilItReaches(second);
        first.close();
        assertThat(waiting)
                .failsWithin(RealTime.PATIENCE)
                .withThrowableThat()
                .withMessageContaining("the connection ended before the answer came");
        RealTime.answer(store.list(LeaseQuery.all()));
    }

    private CompletionStage<Acquisition> whileHeld() {
        Grant unused = Asking.granted(store, "held");
        CompletionStage<Acquisition> waiting =
                store.acquire(Asking.request("held").waitingAtMost(Duration.ofMinutes(1)));
        RealTime.until("it waits", () -> first.calls().size() == 2);
        return waiting;
    }

    @Test
    void eventsAreToldByTheNextServer() {
        Queue<LeaseEvent> heard = new ConcurrentLinkedQueue<>();
        LeaseEvents.Subscription subscription = store.subscribe(heard::add);
        firstStops();
        RealTime.until("it watches there", () -> second.watches.size() == 1);
        assertThat(second.watches.get(0).getAfter()).isNotEmpty();
        subscription.close();
    }

    @Test
    void aClientStaysWhileNoOtherServerIsThereAndGoesWhenOneIs() {
        toSecond.refuse();
        firstStops();
        askUntilItReaches(first);
        Asking.granted(store, "a");
        toSecond.heal();
        askUntilItReaches(second);
    }

    @Test
    void aServerThatStopsTooIsNoBetter() {
        second.info = second.info.toBuilder().setStopping(true).build();
        firstStops();
        Asking.granted(store, "a");
        RealTime.until("it looked", () -> toSecond.accepted() >= 3);
        assertThat(second.sessions).isEmpty();
        Asking.granted(store, "b");
        second.info = second.info.toBuilder().setStopping(false).build();
        askUntilItReaches(second);
    }

    @Test
    void aClientThatKnowsNoOtherServerStays() {
        try (RemoteLeaseStore alone = RemoteLeaseStore.connect(first.address())) {
            RealTime.until("it is there", () -> first.sessions.size() == 2);
            first.tellOfStop();
            Grant grant = Asking.granted(alone, "a");
            assertThat(RealTime.answer(alone.release(grant))).isInstanceOf(Ending.Ended.class);
        }
    }

    @Test
    void aStoreMayBeClosedWhileItLooksForAnotherServer() {
        toSecond.loseReplies();
        firstStops();
        RealTime.until("it looks", () -> toSecond.accepted() >= 1);
        store.close();
    }
}
