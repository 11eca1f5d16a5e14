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

    @Test
    void oneStripeAnswersSevenHundredThousandRandomCommandsAsTheNaiveModelDoes() {
        LongStream.rangeClosed(1, 1_400)
                .parallel()
                .forEach(seed -> new Duel(seed, 1).run(COMMANDS));
    }

    @Test
    void eightStripesAnswerThreeHundredThousandRandomCommandsAsTheNaiveModelDoes() {
        LongStream.rangeClosed(1_401, 2_000)
                .parallel()
                .forEach(seed -> new Duel(seed, 8).run(COMMANDS));
    }
}
