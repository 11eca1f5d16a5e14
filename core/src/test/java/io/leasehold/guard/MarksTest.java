// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class MarksTest {

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

    private static Scope target(Random random) {
        int start = random.nextInt(20);
        return random.nextInt(50) == 0
                ? Scope.inode(1)
                : Scope.range(1, start, start + 1 + random.nextInt(random.nextBoolean() ? 1 : 9));
    }
}
