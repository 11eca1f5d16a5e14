// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * The table answers every command as the naive model does: at once and late, with tokens, versions
 * and events.
 */
final class LeaseTableAgainstNaiveModelTest {

    private static final int COMMANDS = 500;
    private static final int SEEDS = Boolean.getBoolean("leasehold.long") ? 2_000 : 100;

    @Test
    void oneStripeAnswersRandomCommandsAsTheNaiveModelDoes() {
        LongStream.rangeClosed(1, SEEDS * 7 / 10)
                .parallel()
                .forEach(seed -> new Duel(seed, 1).run(COMMANDS));
    }

    @Test
    void eightStripesAnswerRandomCommandsAsTheNaiveModelDoes() {
        LongStream.rangeClosed(SEEDS * 7 / 10 + 1, SEEDS)
                .parallel()
                .forEach(seed -> new Duel(seed, 8).run(COMMANDS));
    }
}
