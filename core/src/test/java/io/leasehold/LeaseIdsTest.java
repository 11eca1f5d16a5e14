// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.LeaseId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class LeaseIdsTest {

    private static final int MANY = 10_000; // many times what is drawn in bulk

    @Test
    void idsNeverRepeat() {
        LeaseIds ids = new LeaseIds(new SplittableRandom(1));
        assertThat(Stream.generate(ids::next).limit(MANY)).doesNotHaveDuplicates();
    }

    @Test
    void bothHalvesAreRandom() {
        LeaseIds ids = new LeaseIds(new SplittableRandom(2));
        List<LeaseId> drawn = Stream.generate(ids::next).limit(MANY).toList();
        assertThat(drawn.stream().map(LeaseId::high)).doesNotHaveDuplicates();
        assertThat(drawn.stream().map(LeaseId::low)).doesNotHaveDuplicates();
    }

    @Test
    void idsFollowFromTheGeneratorAndFromNothingElse() {
        LeaseIds first = new LeaseIds(new SplittableRandom(3));
        LeaseIds same = new LeaseIds(new SplittableRandom(3));
        LeaseIds other = new LeaseIds(new SplittableRandom(4));
        assertThat(first.next()).isEqualTo(same.next()).isNotEqualTo(other.next());
    }

    @Test
    void everyBitComesFromTheGenerator() {
        RandomGenerator ones = () -> -1L;
        LeaseId id = new LeaseIds(ones).next();
        assertThat(id.reveal()).isEqualTo("f".repeat(32));
    }

    @Test
    void threadsNeverShareAnId() throws Exception {
        LeaseIds ids = new LeaseIds(new SplittableRandom(5));
        Callable<List<LeaseId>> task =
                () -> Stream.generate(ids::next).limit(MANY).toList();
        Set<LeaseId> seen = new HashSet<>();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            for (Future<List<LeaseId>> drawn : threads.invokeAll(List.of(task, task, task, task))) {
                seen.addAll(drawn.get());
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(seen).hasSize(4 * MANY);
    }
}
