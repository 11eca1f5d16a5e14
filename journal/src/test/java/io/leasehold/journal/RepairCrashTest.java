// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.StoreUnavailableException;
import io.leasehold.testkit.DiskFault;
import io.leasehold.testkit.TestLength;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A repair that is cut short at each of its calls to the disk, then run again. */
final class RepairCrashTest {

    private static final int STEP = TestLength.of(7, 1);
    private static final String[] KEPT = {"a", "b", "c", "d", "in-2"};

    private Journals journal = new Journals(0);
    private Map<String, ByteBuffer> damaged = Map.of();
    private long lastToken;

    /** A journal of three segments with damage in the third. */
    @BeforeEach
    void damage() throws IOException {
        journal.fill(3);
        lastToken = journal.inspect().state().lastToken();
        Path third = journal.directory.segment(3);
        journal.flip(third, journal.offsetOf(third, 3, 1) + 70);
        damaged = journal.files(Stores.DIRECTORY);
    }

    @ParameterizedTest
    @EnumSource(DiskFault.class)
    void aRepairThatIsCutShortAnywhereIsFinishedByTheNext(DiskFault fault) throws IOException {
        long before = journal.disk.operations();
        JournalRepair unused = journal.repair();
        long operations = journal.disk.operations() - before;
        assertThat(operations).isGreaterThan(50);
        for (long n = 1; n <= operations; n += STEP) {
            journal = new Journals(n);
            journal.put(damaged);
            journal.disk.failAt(n, fault);
            boolean cutShort = !runs();
            assertThat(journal.disk.isDown())
                    .isEqualTo(fault == DiskFault.POWER_LOSS || fault == DiskFault.KILL);
            if (journal.disk.isDown()) {
                assertThat(cutShort || n > operations - 10).as("call " + n).isTrue();
                journal.disk.restart();
            }
            journal.disk.heal();
            assertThat(runs()).as("run again after call " + n).isTrue();
            assertRepaired("call " + n + " of " + operations);
        }
    }

    private boolean runs() {
        try {
            JournalRepair unused = journal.repair();
            return true;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    private void assertRepaired(String when) throws IOException {
        assertThat(isCopied()).as("the files as they were, " + when).isTrue();
        JournalReport report = journal.inspect();
        assertThat(report.isSound()).as(when).isTrue();
        assertThat(report.state().frozenFor()).as(when).isEqualTo(Journals.FREEZE);
        try (JournalLeaseStore store = journal.open()) {
            assertThat(Journals.held(store)).as(when).containsExactly(KEPT);
            journal.time.advance(Journals.FREEZE);
            assertThat(journal.grant(store, "new").token().value())
                    .as(when)
                    .isGreaterThan(lastToken + Opening.RAISE);
        }
    }

    /** Whether some copy has all files as they were. */
    private boolean isCopied() throws IOException {
        for (int i = 1; i < 4; i++) {
            Path there = Stores.DIRECTORY.resolve("before-repair-" + i);
            if (journal.disk.exists(there) && journal.disk.exists(there.resolve("why.txt"))) {
                Map<String, ByteBuffer> copies = journal.files(there);
                if (damaged.entrySet().stream()
                        .allMatch(e -> e.getValue().equals(copies.get(e.getKey())))) {
                    return true;
                }
            }
        }
        return false;
    }
}
