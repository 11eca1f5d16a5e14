// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.LeaseId;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is remembered of leases that ended takes no more room than it needs. */
final class RetryMemoryRoomTest {

    private static final long WINDOW = 1000;

    private static RetryMemory remembering(int capacity) {
        return new RetryMemory(new RetryMemory.Shared(WINDOW, capacity));
    }

    private static void rememberEnds(RetryMemory memory, long from, long to, long now) {
        for (long i = from; i < to && !Thread.currentThread().isInterrupted(); i++) {
            memory.remember(new LeaseId(1, i), Outcome.of(End.RELEASED, i), now);
        }
    }

    @Test
    void whatIsForgottenTakesUpNoRoom() {
        RetryMemory memory = remembering(10);
        rememberEnds(memory, 0, 1000, 0);
        assertThat(memory.copy().size()).isEqualTo(10);
        assertThat(memory.room()).isEqualTo(16);
    }

    @Test
    void aStripeThatWasBusyFreesAFewEntriesAtATime() {
        RetryMemory memory = remembering(1000);
        rememberEnds(memory, 0, 100, 0);
        rememberEnds(memory, 100, 101, WINDOW);
        assertThat(memory.copy().size()).isEqualTo(100 - 8 + 1);
    }

    @Test
    void aStripeThatWasBusyGivesItsRoomBack() {
        RetryMemory memory = remembering(10_000);
        rememberEnds(memory, 0, 5000, 0);
        assertThat(memory.room()).isEqualTo(8192);
        for (int i = 0; i < 1000; i++) {
            rememberEnds(memory, 5000 + i, 5001 + i, WINDOW * (i + 1));
        }
        assertThat(memory.copy().size()).isEqualTo(1);
        assertThat(memory.room()).isEqualTo(16);
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void idsThatDifferLittleDoNotShareAPlaceInTheIndex() {
        int many = 300_000;
        RetryMemory memory = remembering(many);
        rememberEnds(memory, 0, many, 0);
        assertThat(memory.recall(new LeaseId(1, many - 1), 0)).isNotNull();
    }
}
