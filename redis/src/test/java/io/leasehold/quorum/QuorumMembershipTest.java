// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.memory.MemoryQuorumNode;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who belongs to a quorum, and how another node takes the place of one. */
final class QuorumMembershipTest {

    private static final Duration LONGEST = Duration.ofSeconds(10);
    private static final QuorumOptions OPTIONS = QuorumOptions.defaults().withLongestTtl(LONGEST);

    private final VirtualTime time = VirtualTime.create();
    private final MemoryQuorumNode one = node(1);
    private final MemoryQuorumNode two = node(2);
    private final MemoryQuorumNode three = node(3);
    private long ids;

    private MemoryQuorumNode node(long generation) {
        return MemoryQuorumNode.create(TableOptions.defaults(), time, generation);
    }

    private QuorumLeaseStore open(QuorumOptions options, MemoryQuorumNode... nodes) {
        return QuorumLeaseStore.over(options, time, new SplittableRandom(1), List.of(nodes));
    }

    @BeforeEach
    void found() {
        granted(open(OPTIONS.asNew(), one, two, three));
    }

    private FencingToken granted(QuorumLeaseStore store) {
        ids++;
        LeaseRequest request = LeaseRequest.of(
                new LeaseId(0, ids),
                Claim.exclusive(Scope.name("name-" + ids)),
                new Holder("somebody"),
                LONGEST);
        Acquisition answer = store.acquire(request).toCompletableFuture().join();
        return ((Acquisition.Granted) answer).grant().token();
    }

    @Test
    void anEmptyNodeTakesThePlaceOfAnotherWhenItIsOldEnough() {
        FencingToken before = granted(open(OPTIONS, one, two, three));
        MemoryQuorumNode fresh = node(4);
        QuorumLeaseStore replaced = open(OPTIONS, one, two, fresh);
        FencingToken meanwhile = granted(replaced);
        assertThat(meanwhile).isGreaterThan(before);
        assertThat(replaced.guarantees().caveats())
                .anyMatch(caveat -> caveat.startsWith("node 2 is KEPT_OUT"));
        time.advance(LONGEST.multipliedBy(2));
        granted(replaced);
        time.advance(OPTIONS.patience());
        FencingToken later = granted(replaced);
        assertThat(replaced.guarantees().caveats()).isEmpty();
        assertThat(later).isGreaterThan(meanwhile);
        assertThat(fresh.standing().toCompletableFuture().join().counter())
                .isGreaterThanOrEqualTo(later.value());
    }

    @Test
    void nodesOfThreeRefuseAClientOfFive() {
        assertForeign(open(OPTIONS, one, two, three, node(4), node(5)));
    }

    @Test
    void nodesInAnotherOrderAreRefused() {
        assertForeign(open(OPTIONS, two, one, three));
    }

    private void assertForeign(QuorumLeaseStore store) {
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> granted(store))
                .withCauseInstanceOf(StoreUnavailableException.class)
                .withMessageContaining("node 0 is FOREIGN: it belongs to");
    }
}
