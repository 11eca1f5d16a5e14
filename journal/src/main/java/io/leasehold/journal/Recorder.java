// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.spi.LeaseEvent;
import io.leasehold.table.Deliveries;
import io.leasehold.table.End;
import io.leasehold.table.LeaseTable;
import io.leasehold.table.TableEntry;

import org.jspecify.annotations.Nullable;

/**
 * Hears of the table's changes and events, and holds them until the operation that makes them is
 * done. Guarded by the store's lock.
 */
final class Recorder implements LeaseTable.Listener {

    private final Deliveries deliveries;
    private @Nullable Committer committer; // null while the table is being restored
    private Standing standing = Standing.NONE;
    private Moment moment = new Moment(0, 0, 0);
    private boolean urgent;

    Recorder(Deliveries deliveries) {
        this.deliveries = deliveries;
    }

    /** From here on changes are recorded. */
    void record(Committer to, Opening opening) {
        committer = to;
        standing = opening.standing();
        moment = opening.moment();
    }

    /** An operation begins. */
    void begin(long now) {
        moment = new Moment(now, moment.start(), moment.lastToken());
        urgent = false;
    }

    /** Whether the operation changed something that must be on disk before it is answered. */
    boolean isUrgent() {
        return urgent;
    }

    Moment moment() {
        return moment;
    }

    /** What is to be known beside the table. */
    Standing standing() {
        return standing.withLastToken(moment.lastToken());
    }

    @Override
    public boolean isRecording() {
        return committer != null;
    }

    @Override
    public void record(TableEntry entry) {
        if (committer == null) {
            throw new IllegalStateException("nothing is recorded yet");
        }
        if (entry instanceof TableEntry.Leased leased) {
            standing = standing.withTtl(leased.grant().ttl());
            long token = Math.max(moment.lastToken(), leased.grant().token().value());
            moment = new Moment(moment.time(), moment.start(), token);
        }
        boolean pressing = !isForTimeAlone(entry);
        urgent |= pressing;
        committer.add(pressing, moment).add(entry);
    }

    /**
     * Whether the change is what passing time makes of the state by itself. If a crash takes it
     * back, a lease that nobody else was granted meanwhile is there once more, which does no harm.
     */
    private static boolean isForTimeAlone(TableEntry entry) {
        return entry instanceof TableEntry.Cleared
                || (entry instanceof TableEntry.Ended ended && ended.outcome().end() == End.EXPIRED)
                || (entry instanceof TableEntry.Leased leased
                        && leased.course().phase() == TableEntry.Phase.LINGERING);
    }

    @Override
    public boolean isListening() {
        return deliveries.isListening();
    }

    @Override
    public void on(LeaseEvent event) {
        if (committer != null) {
            committer.send(new Announcement(event));
        }
    }
}
