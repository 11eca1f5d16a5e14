// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.memory.MemoryQuorumNode;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.QuorumNode;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** With which counter a node that forgot comes back. */
final class QuorumAdmissionTest {

    private static final Duration TTL = Duration.ofMillis(200);
    private static final Duration MILLISECOND = Duration.ofMillis(1);
    private static final QuorumOptions OPTIONS =
            QuorumOptions.defaults().withLongestTtl(TTL).withPatience(TTL);

    private final VirtualTime time = VirtualTime.create();
    private final List<MemoryQuorumNode> nodes = new ArrayList<>();
    private long ids;

    /**
     * The node in the middle votes for the first holder's token and forgets it. It is of age just
     * before the other node of that majority takes the token, which is late; so the answer in which
     * that node told its counter was too early.
     */
    @Test
    void countersThatWereReadBeforeTheNodeWasKnownToBeOfAgeDoNotAdmitIt() {
        found();
        List<DelayedNode> one = ways();
        QuorumLeaseStore first = open(OPTIONS, one);
        time.advance(TTL.multipliedBy(2));
        one.get(2).cut(true);
        bringTheMiddleNodeAhead();
        granted(first);

        one.get(0).delay("raise", Duration.ofMillis(180));
        CompletionStage<Acquisition> acquired = first.acquire(request());
        time.advance(Duration.ofMillis(5));
        nodes.set(1, node(4));
        time.advance(Duration.ofMillis(115));

        List<DelayedNode> two = ways();
        two.get(1).delay("standing", Duration.ofMillis(97));
        QuorumLeaseStore second = open(OPTIONS, two);
        FencingToken before = token(await(acquired));
        time.advance(TTL.multipliedBy(2));
        assertThat(second.guarantees().caveats()).isEmpty();
        two.get(0).cut(true);
        assertThat(granted(second)).isGreaterThan(before);
    }

    private void found() {
        for (int i = 0; i < 3; i++) {
            nodes.add(node(i + 1));
        }
        QuorumLeaseStore store = open(OPTIONS.asNew(), ways());
        time.advance(TTL.multipliedBy(2));
        assertThat(store.guarantees().caveats()).isEmpty();
    }

    /** So that it draws what becomes the token. */
    private void bringTheMiddleNodeAhead() {
        for (int i = 0; i < 3; i++) {
            Acquisition unused =
                    nodes.get(1).acquire(request()).toCompletableFuture().join();
        }
    }

    private MemoryQuorumNode node(long generation) {
        return MemoryQuorumNode.create(TableOptions.defaults(), time, generation);
    }

    private List<DelayedNode> ways() {
        List<DelayedNode> ways = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            int index = i;
            ways.add(new DelayedNode(time, () -> nodes.get(index), MILLISECOND));
        }
        return ways;
    }

    private QuorumLeaseStore open(QuorumOptions options, List<DelayedNode> ways) {
        List<QuorumNode> used = ways.stream().map(DelayedNode::way).toList();
        return QuorumLeaseStore.over(options, time, new SplittableRandom(1), used);
    }

    private LeaseRequest request() {
        ids++;
        return LeaseRequest.of(
                new LeaseId(0, ids),
                Claim.exclusive(Scope.name("name-" + ids)),
                new Holder("somebody"),
                TTL);
    }

    private FencingToken granted(QuorumLeaseStore store) {
        return token(await(store.acquire(request())));
    }

    private static FencingToken token(Acquisition answer) {
        assertThat(answer).isInstanceOf(Acquisition.Granted.class);
        return ((Acquisition.Granted) answer).grant().token();
    }

    private <T> T await(CompletionStage<T> stage) {
        CompletableFuture<T> answer = stage.toCompletableFuture();
        for (int i = 0; i < 10_000 && !answer.isDone(); i++) {
            time.advance(MILLISECOND);
        }
        assertThat(answer).isDone();
        return answer.join();
    }
}
