// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.LimitExceededException;
import io.leasehold.spi.Limits;
import io.leasehold.table.TableOptions;

import java.time.Duration;
import java.util.Optional;

/**
 * How a journal is kept. Immutable.
 *
 * @param table the bounds of what it holds
 * @param segmentBytes how long a file of the log is, 512 KiB to 1 GiB; one or two are laid out
 *     ahead, and the room that is set aside for releases on a full disk is a quarter of one
 * @param restored the directory was brought back from a copy, see {@link #restored(Duration)}
 */
public record JournalOptions(TableOptions table, int segmentBytes, Optional<Duration> restored) {

    static final int MIN_SEGMENT_BYTES = 1 << 19;
    static final int MAX_SEGMENT_BYTES = 1 << 30;

    public JournalOptions {
        if (segmentBytes < MIN_SEGMENT_BYTES) {
            throw new IllegalArgumentException(
                    "segments of " + segmentBytes + " bytes; at least " + MIN_SEGMENT_BYTES);
        }
        if (segmentBytes > MAX_SEGMENT_BYTES) {
            throw new LimitExceededException(
                    "segmentBytes",
                    MAX_SEGMENT_BYTES,
                    "segments of " + segmentBytes + " bytes; at most " + MAX_SEGMENT_BYTES);
        }
        restored.ifPresent(Limits::keepFor);
    }

    /** The usual bounds, segments of 16 MiB. */
    public static JournalOptions defaults() {
        return new JournalOptions(TableOptions.defaults(), 16 << 20, Optional.empty());
    }

    /** The same with other bounds. */
    public JournalOptions withTable(TableOptions changed) {
        return new JournalOptions(changed, segmentBytes, restored);
    }

    /** The same with other segments. */
    public JournalOptions withSegmentBytes(int changed) {
        return new JournalOptions(table, changed, restored);
    }

    /**
     * The same for a directory that was brought back from a backup or a copy, once. It can't know
     * what was granted after it was made: so tokens go on 2<sup>32</sup> above its last one, and
     * nothing is granted for the given time, in which those leases run out. Renewals and releases
     * of the leases it knows are served.
     *
     * @param freeze at least the longest ttl in use; if it is shorter than the longest that the
     *     journal has seen, then that
     */
    public JournalOptions restored(Duration freeze) {
        return new JournalOptions(table, segmentBytes, Optional.of(freeze));
    }
}
