// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.memory.MemoryQuorumNode;
import io.leasehold.spi.Limits;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.StoreUnderTest;
import io.leasehold.testkit.VirtualTime;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/** Quorums of nodes in memory, on virtual time. */
final class MemoryQuorum {

    /** No two quorums draw the same store id. */
    private static final AtomicLong SEEDS = new AtomicLong();

    private MemoryQuorum() {}

    static StoreUnderTest open(int size, TableOptions options) {
        VirtualTime time = VirtualTime.create();
        List<MemoryQuorumNode> nodes = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            nodes.add(MemoryQuorumNode.create(options, time, i));
        }
        QuorumOptions quorum =
                QuorumOptions.defaults().withLongestTtl(Limits.MAX_TTL).asNew();
        SplittableRandom random = new SplittableRandom(SEEDS.incrementAndGet());
        return StoreUnderTest.on(time, QuorumLeaseStore.over(quorum, time, random, nodes));
    }
}
