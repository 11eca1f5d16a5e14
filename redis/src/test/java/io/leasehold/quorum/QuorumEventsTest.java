// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.memory.MemoryQuorumNode;
import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvent.Change;
import io.leasehold.spi.LeaseEvent.Changed;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The order of events, whichever majority tells them first. */
final class QuorumEventsTest {

    private static final int SIZE = 5;
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Duration SHORT = Duration.ofMillis(1);
    private static final Duration LONG = Duration.ofSeconds(30);

    private final VirtualTime time = VirtualTime.create();
    private final List<DelayedNode> ways = new ArrayList<>();
    private final List<LeaseEvent> events = new ArrayList<>();
    private QuorumLeaseStore store;
    private LeaseEvents.Subscription subscription;
    private long ids;

    @BeforeEach
    void found() {
        for (int i = 0; i < SIZE; i++) {
            MemoryQuorumNode node = MemoryQuorumNode.create(TableOptions.defaults(), time, i + 1);
            ways.add(new DelayedNode(time, () -> node, SHORT));
        }
        store = QuorumLeaseStore.over(
                QuorumOptions.defaults().withPatience(PATIENCE).asNew(),
                time,
                new SplittableRandom(1),
                ways.stream().map(DelayedNode::way).toList());
        time.advance(PATIENCE);
        subscription = store.subscribe(events::add);
    }

    @Test
    void whileAMinorityIsDownOneListensToTheOthersAndToItAsSoonAsItIsBack() {
        subscription.close();
        ways.subList(0, 2).forEach(way -> way.cut(true));
        subscription = store.subscribe(events::add);
        Grant grant = acquire();
        time.advance(PATIENCE);
        assertThat(events).containsExactly(new Changed(Change.GRANTED, grant.holding()));

        ways.subList(0, 2).forEach(way -> way.cut(false));
        assertThat(answer(store.release(grant))).isInstanceOf(Ending.Ended.class);
        time.advance(PATIENCE.multipliedBy(2));
        events.clear();
        ways.subList(3, 5).forEach(way -> way.delay("subscribe", LONG));
        Grant next = acquire();
        time.advance(PATIENCE);
        assertThat(events).containsExactly(new Changed(Change.GRANTED, next.holding()));
        subscription.close();
        time.advance(LONG);
        assertThat(time.pendingTimers()).isZero();
    }

    @Test
    void aStoreThatIsClosedWhileANodeCanNotBeListenedToTriesNoMore() {
        subscription.close();
        ways.get(0).cut(true);
        subscription = store.subscribe(events::add);
        time.advance(PATIENCE.multipliedBy(2));
        store.close();
        time.advance(LONG);
        assertThat(time.pendingTimers()).isZero();
    }

    @Test
    void aSubscriptionThatFailsLeavesNothingBehindAndTheNextOneHearsEverything() {
        subscription.close();
        ways.subList(0, 3).forEach(way -> way.cut(true));
        assertThatThrownBy(() -> store.subscribe(events::add))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("no majority");
        ways.subList(0, 3).forEach(way -> way.cut(false));
        subscription = store.subscribe(events::add);
        time.advance(PATIENCE);
        Grant grant = acquire();
        time.advance(PATIENCE);
        assertThat(events).containsExactly(new Changed(Change.GRANTED, grant.holding()));
    }

    @Test
    void aGrantWaitsForTheEarlierEventsOfAnotherMajority() {
        Grant first = acquire();
        for (DelayedNode away : ways.subList(0, 2)) { // they miss the rotation
            away.delay("rotate", LONG);
            away.delay("restore", LONG);
        }
        for (DelayedNode slow : ways.subList(2, 4)) { // they tell everything late
            slow.delay("subscribe", PATIENCE.dividedBy(2));
        }
        Grant rotated = ((Rotation.Rotated) answer(store.rotate(first))).grant();
        assertThat(answer(store.release(rotated))).isInstanceOf(Ending.Ended.class);
        Grant second = acquire();

        time.advance(PATIENCE);

        assertThat(events)
                .containsExactly(
                        new Changed(Change.GRANTED, first.holding()),
                        new Changed(Change.ROTATED, rotated.holding()),
                        new Changed(Change.RELEASED, rotated.holding()),
                        new Changed(Change.GRANTED, second.holding()));
    }

    @Test
    void anEndWaitsForTheRenewalThatAnotherMajorityTells() {
        Grant grant = acquire();
        for (DelayedNode away : ways.subList(0, 2)) {
            away.delay("renewAll", LONG);
        }
        for (DelayedNode slow : ways.subList(2, 4)) {
            slow.delay("subscribe", PATIENCE.dividedBy(2));
        }
        answer(store.renew(RenewalRequest.of(grant, LONG)));
        answer(store.release(grant));

        time.advance(PATIENCE);

        assertThat(events)
                .containsExactly(
                        new Changed(Change.GRANTED, grant.holding()),
                        new Changed(Change.RENEWED, grant.holding()),
                        new Changed(Change.RELEASED, grant.holding()));
    }

    @Test
    void nodesThatTellNothingHoldUpAnEventForNoLongerThanThePatience() {
        for (DelayedNode silent : ways.subList(2, 4)) {
            silent.delay("subscribe", LONG);
        }
        ways.get(1).delay("renewAll", LONG);
        Grant grant = acquire();
        answer(store.renew(RenewalRequest.of(grant, LONG)));
        answer(store.release(grant));
        assertThat(events).containsExactly(new Changed(Change.GRANTED, grant.holding()));

        time.advance(PATIENCE);

        assertThat(events)
                .containsExactly(
                        new Changed(Change.GRANTED, grant.holding()),
                        new Changed(Change.RELEASED, grant.holding()));
    }

    private Grant acquire() {
        LeaseRequest request = LeaseRequest.of(
                new LeaseId(0, ++ids),
                Claim.exclusive(Scope.name("a")),
                new Holder("holder-" + ids),
                LONG);
        return ((Acquisition.Granted) answer(store.acquire(request))).grant();
    }

    private <T> T answer(CompletionStage<T> question) {
        for (int i = 0; i < 100 && !question.toCompletableFuture().isDone(); i++) {
            time.advance(SHORT);
        }
        assertThat(question).isCompleted();
        return question.toCompletableFuture().join();
    }
}
