// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseId;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RetryMemoryTest {

    private static final long WINDOW = 1000;
    private static final List<End> ENDS = List.copyOf(EnumSet.allOf(End.class));

    private record Entry(Outcome outcome, long at, int number) {}

    /**
     * Few ids so that they come again, some of which share a home in the index. Each id belongs to
     * one of the stripes, which are used all at once and then only the first.
     */
    @ParameterizedTest
    @CsvSource({
        "1, 10, 1",
        "7, 30, 1",
        "50, 60, 1",
        "300, 5000, 1",
        "5000, 100000, 1",
        "7, 30, 3",
        "300, 5000, 8",
        "5000, 100000, 8"
    })
    void randomEndsAreRecalledAsByAMapInTheOrderOfTheEnds(int capacity, int ids, int stripes) {
        Random random = new Random(capacity);
        RetryMemory.Shared shared = new RetryMemory.Shared(WINDOW, capacity);
        List<RetryMemory> memories =
                Stream.generate(() -> new RetryMemory(shared)).limit(stripes).toList();
        Map<LeaseId, Entry> naive = new HashMap<>();
        int ends = 0;
        long now = 0;
        for (int step = 0; step < 100_000; step++) {
            now += random.nextInt(3) * (random.nextInt(50) == 0 ? 400L : 1L);
            int busy = step / 10_000 % 2 == 0 ? stripes : 1;
            int stripe = random.nextInt(busy);
            LeaseId id = new LeaseId(random.nextInt(ids), random.nextInt(2) * stripes + stripe);
            if (random.nextBoolean()) {
                End end = ENDS.get(random.nextInt(ENDS.size()));
                long token = random.nextBoolean() ? 0 : FencingToken.MAX_VALUE - random.nextInt(9);
                Outcome outcome = new Outcome(end, token, random.nextInt(3));
                memories.get(stripe).remember(id, outcome, now);
                naive.put(id, new Entry(outcome, now, ++ends));
            }
            Entry entry = naive.get(id);
            boolean known =
                    entry != null && now - entry.at < WINDOW && ends - entry.number < capacity;
            assertThat(memories.get(stripe).recall(id, now))
                    .as("step " + step)
                    .isEqualTo(entry != null && known ? entry.outcome : null);
        }
    }
}
