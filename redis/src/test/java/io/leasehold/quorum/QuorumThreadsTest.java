// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.memory.MemoryQuorumNode;
import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.QuorumNode;
import io.leasehold.spi.Time;
import io.leasehold.testkit.RealTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * On the machine's time: what is due by a timer is done by a thread of the store's. The JDK's delay
 * thread, on which every time-out in the process depends, does none of it.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class QuorumThreadsTest {

    private static final Duration SHORT = Duration.ofMillis(500); // until somebody is to be told
    private static final Duration LONG = Duration.ofMinutes(5);

    private final List<DelayedNode> nodes =
            Stream.generate(QuorumThreadsTest::node).limit(3).toList();
    private final QuorumLeaseStore store = QuorumLeaseStore.over(
            QuorumOptions.defaults().asNew().withPatience(Duration.ofSeconds(2)),
            nodes.stream().map(DelayedNode::way).toArray(QuorumNode[]::new));
    private long lastId;

    private static DelayedNode node() {
        QuorumNode node = MemoryQuorumNode.create();
        return new DelayedNode(Time.system(), () -> node, Duration.ZERO);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private CompletionStage<Acquisition> acquire(Duration wait) {
        LeaseRequest request = LeaseRequest.of(
                new LeaseId(1, ++lastId), Claim.exclusive(Scope.name("a")), new Holder("h"), LONG);
        return store.acquire(request.waitingAtMost(wait));
    }

    private Grant hold() {
        return ((Acquisition.Granted) RealTime.answer(acquire(Duration.ZERO))).grant();
    }

    private static CompletableFuture<String> threadOf(CompletionStage<?> answer) {
        return answer.handle((came, error) -> Thread.currentThread().getName())
                .toCompletableFuture();
    }

    @Test
    void whoHasWaitedInVainIsToldByAThreadOfANode() {
        hold();
        CompletionStage<Acquisition> waiter = acquire(SHORT);

        assertThat(RealTime.answer(threadOf(waiter))).isEqualTo("leasehold-memory-alarms");
        assertThat(RealTime.answer(waiter)).isInstanceOf(Acquisition.Held.class);
    }

    @Test
    void whoWaitsInVainForNodesThatAreSilentIsToldByAThreadOfTheStore() {
        Grant grant = hold();
        nodes.forEach(node -> node.delay(LONG));

        assertThat(RealTime.answer(threadOf(acquire(SHORT)))).isEqualTo("leasehold-quorum-alarms");
        assertThat(RealTime.answer(threadOf(store.release(grant))))
                .isEqualTo("leasehold-quorum-alarms");
    }

    @Test
    void eventsAreToldByAThreadOfTheStore() {
        CompletableFuture<String> teller = new CompletableFuture<>();
        store.subscribe(event -> teller.complete(Thread.currentThread().getName()));

        hold();

        assertThat(RealTime.answer(teller)).isEqualTo("leasehold-quorum-events");
    }
}
