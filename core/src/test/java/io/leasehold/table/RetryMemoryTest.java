// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseId;
import io.leasehold.table.RetryMemory.Ended;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RetryMemoryTest {

    private static final long WINDOW = 1000;
    private static final List<End> ENDS = List.copyOf(EnumSet.allOf(End.class));

    private record Entry(Ended ended, long at) {}

    /** Few ids so that they come again, some of which share a home in the index. */
    @ParameterizedTest
    @CsvSource({"1, 10", "7, 30", "50, 60", "300, 5000", "5000, 100000"})
    void randomEndsAreRecalledAsByAMapInTheOrderOfTheEnds(int capacity, int ids) {
        Random random = new Random(capacity);
        RetryMemory memory = new RetryMemory(WINDOW, capacity);
        Map<LeaseId, Entry> naive = new LinkedHashMap<>();
        long now = 0;
        for (int step = 0; step < 100_000; step++) {
            now += random.nextInt(3) * (random.nextInt(50) == 0 ? 400L : 1L);
            LeaseId id = new LeaseId(random.nextInt(ids), random.nextInt(2));
            if (random.nextBoolean()) {
                End end = ENDS.get(random.nextInt(ENDS.size()));
                long token = random.nextBoolean() ? 0 : FencingToken.MAX_VALUE - random.nextInt(9);
                memory.remember(id, end, token, now);
                naive.remove(id);
                naive.put(id, new Entry(new Ended(end, token), now));
                while (naive.size() > capacity) {
                    naive.remove(naive.keySet().iterator().next());
                }
            }
            Entry entry = naive.get(id);
            assertThat(memory.recall(id, now))
                    .as("step " + step)
                    .isEqualTo(entry == null || now - entry.at >= WINDOW ? null : entry.ended);
        }
    }
}
