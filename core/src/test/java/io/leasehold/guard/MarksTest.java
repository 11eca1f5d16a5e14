// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

final class MarksTest {

    private static final int CELLS = 12;

    @Test
    void theNumberOfRangesAfterARaiseIsForetold() {
        for (long seed = 1; seed <= 200; seed++) {
            Random random = new Random(seed);
            Marks marks = new Marks(Scope.inode(1), "file");
            long lastToken = 1;
            for (int step = 0; step < 100; step++) {
                lastToken += random.nextInt(2);
                Admission admission = Admission.of(new FencingToken(lastToken), target(random));
                int foretold = marks.sizeAfter(admission);
                marks.raise(admission);
                assertThat(marks.ranges())
                        .as("seed %d, step %d, %s", seed, step, admission)
                        .hasSize(foretold);
            }
        }
    }

    @Test
    void everyPartHasTheHighestTokenThatWasRaisedThereAndNothingElse() {
        for (long seed = 1; seed <= 30; seed++) {
            Random random = new Random(seed);
            Marks marks = new Marks(Scope.inode(1), "file");
            long[] naive = new long[CELLS];
            for (int step = 0; step < 40; step++) {
                int start = random.nextInt(CELLS);
                int end = start + 1 + random.nextInt(Math.min(8, CELLS - start));
                long token = highest(naive, start, end) + 1 + random.nextInt(2);
                marks.raise(Admission.of(new FencingToken(token), Scope.range(1, start, end)));
                Arrays.fill(naive, start, end, token);
                assertThat(marksOfAllParts(marks))
                        .as("seed %d, step %d", seed, step)
                        .isEqualTo(marksOfAllParts(naive));
            }
            Marks restored = new Marks(Scope.inode(1), "file");
            marks.ranges().forEach(range -> restored.raise(range.keys(), range.token()));
            assertThat(marksOfAllParts(restored)).isEqualTo(marksOfAllParts(naive));
            assertThat(restored.ranges()).isEqualTo(marks.ranges());
        }
    }

    private static long highest(long[] naive, int start, int end) {
        return Arrays.stream(naive, start, end).max().orElseThrow();
    }

    /** By start and end of the part; 0 if it has seen no token. */
    private static Map<String, Long> marksOfAllParts(long[] naive) {
        return ofAllParts((start, end) -> highest(naive, start, end));
    }

    private static Map<String, Long> marksOfAllParts(Marks marks) {
        return ofAllParts((start, end) ->
                marks.of(Scope.range(1, start, end)).map(FencingToken::value).orElse(0L));
    }

    private static Map<String, Long> ofAllParts(BiFunction<Integer, Integer, Long> mark) {
        Map<String, Long> all = new TreeMap<>();
        for (int start = 0; start < CELLS; start++) {
            for (int end = start + 1; end <= CELLS; end++) {
                all.put(start + "-" + end, mark.apply(start, end));
            }
        }
        return all;
    }

    private static Scope target(Random random) {
        int start = random.nextInt(20);
        return random.nextInt(50) == 0
                ? Scope.inode(1)
                : Scope.range(1, start, start + 1 + random.nextInt(random.nextBoolean() ? 1 : 9));
    }
}
