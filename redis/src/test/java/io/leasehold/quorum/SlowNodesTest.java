// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.memory.MemoryQuorumNode;
import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Round;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an acquire costs, and comes to, when nodes are slow. */
final class SlowNodesTest {

    private static final Duration MILLISECOND = Duration.ofMillis(1);
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Duration TTL = Duration.ofSeconds(10);

    private final VirtualTime time = VirtualTime.create();
    private final List<MemoryQuorumNode> nodes = new ArrayList<>();
    private final List<DelayedNode> ways = new ArrayList<>();
    private QuorumLeaseStore store;
    private long ids;

    @BeforeEach
    void found() {
        for (int i = 0; i < 3; i++) {
            MemoryQuorumNode node = MemoryQuorumNode.create(TableOptions.defaults(), time, i + 1);
            nodes.add(node);
            ways.add(new DelayedNode(time, () -> node, MILLISECOND));
        }
        store = over(ways, QuorumOptions.defaults().withPatience(PATIENCE).asNew());
        time.advance(PATIENCE);
        assertThat(acquireTakes()).isLessThan(Duration.ofMillis(10));
    }

    private QuorumLeaseStore over(List<DelayedNode> these, QuorumOptions options) {
        return QuorumLeaseStore.over(
                options,
                time,
                new SplittableRandom(1),
                these.stream().map(DelayedNode::way).toList());
    }

    @Test
    void aReplyThatCameTooLateIsNoSignOfHealth() {
        ways.get(0).delay(PATIENCE.multipliedBy(2));
        assertThat(acquireTakes()).isBetween(PATIENCE, PATIENCE.multipliedBy(2));
        for (int i = 0; i < 5; i++) {
            time.advance(PATIENCE.multipliedBy(3));
            assertThat(acquireTakes()).isLessThan(Duration.ofMillis(10));
        }
    }

    @Test
    void theQueueMovesOnFromANodeThatIsSeveralTimesSlowerThanTheMedian() {
        ways.get(0).delay(Duration.ofMillis(80));
        acquireOften();
        assertThat(acquireTakes()).isLessThan(Duration.ofMillis(10));
    }

    @Test
    void theQueueReturnsToANodeThatIsQuickAgain() {
        ways.get(0).delay(Duration.ofMillis(80));
        acquireOften();
        ways.get(0).delay(MILLISECOND);
        acquireOften();
        // the others are slow now, so that it shows which of them is waited for
        ways.get(1).delay(Duration.ofMillis(30));
        assertThat(acquireTakes()).isLessThan(Duration.ofMillis(10));
    }

    @Test
    void oneSlowAnswerMovesNobody() {
        ways.get(0).delay(Duration.ofMillis(80));
        assertThat(acquireTakes()).isBetween(Duration.ofMillis(80), Duration.ofMillis(90));
        time.advance(PATIENCE);
        assertThat(acquireTakes()).isBetween(Duration.ofMillis(80), Duration.ofMillis(90));
    }

    @Test
    void aTryIsNotRefusedForALeaseWhoseReleaseAMajorityHasConfirmed() {
        List<DelayedNode> waysOfOther = nodes.stream()
                .map(node -> new DelayedNode(time, () -> node, MILLISECOND))
                .toList();
        waysOfOther.get(0).delay("release", Duration.ofMillis(5)); // where everybody queues
        QuorumLeaseStore other = over(waysOfOther, QuorumOptions.defaults().withPatience(PATIENCE));
        time.advance(PATIENCE);
        LeaseRequest request = request(TTL);
        CompletableFuture<Acquisition> held = other.acquire(request).toCompletableFuture();
        time.advance(PATIENCE);
        CompletableFuture<Ending> released =
                other.release(((Acquisition.Granted) held.join()).grant()).toCompletableFuture();
        time.advance(MILLISECOND.multipliedBy(2));
        assertThat(released).isCompletedWithValue(new Ending.Ended());
        LeaseRequest next = LeaseRequest.of(
                new LeaseId(1, 1), request.claim(), new Holder("somebody else"), TTL);
        CompletableFuture<Acquisition> answer = store.acquire(next).toCompletableFuture();
        time.advance(PATIENCE);
        assertThat(answer.join()).isInstanceOf(Acquisition.Granted.class);
    }

    @Test
    void aTryIsRefusedInTheEndForALeaseThatOnlyTheQueueKnows() {
        LeaseRequest remnant = request(TTL.multipliedBy(2));
        nodes.get(0).acquire(remnant, new Round(1, 1)).toCompletableFuture().join();
        LeaseRequest next = LeaseRequest.of(
                new LeaseId(1, 1), remnant.claim(), new Holder("somebody else"), TTL);
        CompletableFuture<Acquisition> answer = store.acquire(next).toCompletableFuture();
        time.advance(PATIENCE);
        assertThat(answer.join()).isInstanceOf(Acquisition.Held.class);
    }

    private void acquireOften() {
        for (int i = 0; i < 50; i++) {
            Duration unused = acquireTakes();
            time.advance(PATIENCE);
        }
    }

    @Test
    void aGrantThatHasNoMoreLeftThanClocksMayBeApartIsNotHandedOut() {
        Duration ttl = PATIENCE.dividedBy(2);
        Duration least = Context.drift(ttl);
        assertThat(settledIn(ttl, ttl.minus(least))).isCompletedExceptionally();
        assertThat(settledIn(ttl, ttl.minus(least).minusNanos(1)))
                .isCompletedWithValueMatching(
                        answer -> answer instanceof Acquisition.Granted granted
                                && granted.validity().remaining().equals(least.plusNanos(1)));
    }

    /** An acquire that is granted everywhere at once, and whose token is agreed on after so long. */
    private CompletableFuture<Acquisition> settledIn(Duration ttl, Duration span) {
        for (DelayedNode way : ways) {
            way.delay("acquire", Duration.ZERO);
            way.delay("raise", span);
        }
        CompletableFuture<Acquisition> answer = store.acquire(request(ttl)).toCompletableFuture();
        time.advance(span);
        return answer;
    }

    private LeaseRequest request(Duration ttl) {
        ids++;
        return LeaseRequest.of(
                new LeaseId(0, ids),
                Claim.exclusive(Scope.name("name-" + ids)),
                new Holder("somebody"),
                ttl);
    }

    private Duration acquireTakes() {
        LeaseRequest request = request(TTL);
        long since = time.nanos();
        CompletableFuture<Acquisition> answer = store.acquire(request).toCompletableFuture();
        while (!answer.isDone() && time.nanos() - since < TTL.toNanos()) {
            time.advance(MILLISECOND);
        }
        assertThat(answer.join()).isInstanceOf(Acquisition.Granted.class);
        return Duration.ofNanos(time.nanos() - since);
    }
}
