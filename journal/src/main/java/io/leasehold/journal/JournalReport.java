// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.DamagedFileException;
import io.leasehold.model.StoreId;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What was found in a journal. Immutable.
 *
 * @param directory where
 * @param files all of them, in order
 * @param leases what it comes to; if it is damaged, up to the damage
 * @param state how far the store had come; if it is damaged, up to the damage
 * @param openIn who has it open, and goes on with it while this is read
 * @param damage the first that was found; empty if all is as it was written
 */
public record JournalReport(
        Path directory,
        List<FileSummary> files,
        Leases leases,
        State state,
        Optional<String> openIn,
        Optional<DamagedFileException> damage) {

    public JournalReport {
        files = List.copyOf(files);
    }

    /** Whether all is as it was written, and a store can be opened on it. */
    public boolean isSound() {
        return damage.isEmpty();
    }

    /** How many bytes the files have. */
    public long bytes() {
        return files.stream().mapToLong(FileSummary::length).sum();
    }

    /**
     * How far the store had come.
     *
     * @param lastToken the last one that was drawn
     * @param time store time, which stands still while the store is not open
     * @param starts how often it was opened
     * @param frozenUntil store time before which nothing is granted; zero if that never was so
     * @param storeId the id of the store; empty if it gets one at its next opening
     */
    public record State(
            long lastToken,
            Duration time,
            long starts,
            Duration frozenUntil,
            Optional<StoreId> storeId) {

        /** For how long nothing is granted once the store is opened. */
        public Duration frozenFor() {
            Duration left = frozenUntil.minus(time);
            return left.isNegative() ? Duration.ZERO : left;
        }
    }

    /**
     * The leases and records of a journal, as a store that is opened on it would have them: renewals
     * are not all on disk, and opening lets leases run again in full. Thread-safe.
     */
    public interface Leases {

        /** How many leases are held. */
        int held();

        /** At how many scopes a record is kept. */
        int records();

        /** Lists them in token order. */
        LeasePage list(LeaseQuery query);
    }
}
