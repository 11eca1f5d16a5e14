// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.StoreUnavailableException;

import java.io.IOException;

/**
 * Lets in as much as can be written. Segments are laid out ahead; when no more can be, grants leave
 * a quarter of one untouched, from which releases are written. And while the disk is slow, only so
 * much may wait for it, of which grants leave half to the others. Guarded by the store's lock.
 */
final class Room {

    private static final long MAX_PENDING = 64 << 20;

    private final JournalDirectory directory;
    private final LogWriter log;
    private final Committer committer;
    private final long reserve;
    private final long slack;

    Room(JournalDirectory directory, LogWriter log, Committer committer, int segmentBytes) {
        this.directory = directory;
        this.log = log;
        this.committer = committer;
        this.reserve = segmentBytes / 4;
        // the batch that is open, and one more entry; a segment may end with as much unused
        this.slack = (long) Committer.fullAt(segmentBytes) + EntryFormat.MAX_LENGTH;
    }

    /** Refuses a grant that there is no room for. */
    void ensureForGrant() {
        ensure(reserve, MAX_PENDING / 2);
    }

    /** Refuses any other command that there is no room for. */
    void ensure() {
        ensure(0, MAX_PENDING);
    }

    private void ensure(long leave, long maxPending) {
        if (isShort(leave)) {
            throw shortage();
        }
        if (committer.pending() > maxPending) {
            throw new StoreUnavailableException("the journal " + directory.path() + " has "
                    + committer.pending() + " bytes that wait for the disk: ask again later");
        }
    }

    /** Whether grants are refused because no segment can be laid out. */
    boolean isShort() {
        return isShort(reserve);
    }

    private boolean isShort(long leave) {
        return log.failureOfNext() != null && log.room() - committer.pending() < leave + slack;
    }

    /** What to say of that. */
    StoreUnavailableException shortage() {
        IOException failure = log.failureOfNext();
        return new StoreUnavailableException("the journal " + directory.path()
                + " has no room to grow"
                + (failure == null ? "" : " (" + failure.getMessage() + ")")
                + ": make room on the disk, and it goes on by itself");
    }
}
