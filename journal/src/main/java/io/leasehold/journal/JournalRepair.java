// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What the repair of a journal does, or did. Immutable.
 *
 * @param found the journal as it was; if that is sound, there is nothing to repair
 * @param dropped what lies behind the damage and is given up, file by file
 * @param lastToken all tokens of the repaired journal are above it
 * @param frozen for how long nothing is granted once it is opened
 * @param copy where the files are kept as they were; empty if nothing was changed
 */
public record JournalRepair(
        JournalReport found,
        List<Dropped> dropped,
        long lastToken,
        Duration frozen,
        Optional<Path> copy) {

    public JournalRepair {
        dropped = List.copyOf(dropped);
    }

    /**
     * What is given up of a file.
     *
     * @param file which
     * @param offset from where on
     * @param bytes how many were written there
     * @param batches how many of those bytes' batches could still be read
     */
    public record Dropped(Path file, long offset, long bytes, int batches) {}

    /** Nothing to do. */
    static JournalRepair none(JournalReport found) {
        JournalReport.State state = found.state();
        return new JournalRepair(
                found, List.of(), state.lastToken(), state.frozenFor(), Optional.empty());
    }

    JournalRepair done(Path copied) {
        return new JournalRepair(found, dropped, lastToken, frozen, Optional.of(copied));
    }
}
