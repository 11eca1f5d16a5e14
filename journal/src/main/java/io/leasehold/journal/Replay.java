// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.table.LeaseTable;
import io.leasehold.table.TableEntry;

import java.nio.ByteBuffer;

/** What a journal comes to, batch by batch. */
final class Replay implements Entries {

    private final LeaseTable table;
    private final EntryReader reader = new EntryReader();
    private Standing standing = Standing.NONE;
    private long time;
    private long sequence;
    private long start;

    Replay(LeaseTable table) {
        this.table = table;
    }

    /**
     * Takes in a whole batch of the log.
     *
     * @throws IllegalArgumentException if something in it makes no sense
     */
    void apply(BatchHead head, ByteBuffer body) {
        if (head.sequence() != sequence + 1) {
            throw new IllegalArgumentException(
                    "batch " + head.sequence() + " follows on batch " + sequence);
        }
        applyEntries(head, body);
        sequence = head.sequence();
    }

    /** Takes in a batch of a snapshot, which is no part of the sequence. */
    void applyEntries(BatchHead head, ByteBuffer body) {
        Moment then = head.moment().plausible();
        if (then.time() < time || then.start() < start) {
            throw new IllegalArgumentException("batch " + head.sequence() + " goes back in time");
        }
        for (int i = 0; i < head.body().entries(); i++) {
            reader.read(body, this);
        }
        time = then.time();
        start = then.start();
        standing = standing.withLastToken(then.lastToken());
    }

    /** What follows a snapshot has this sequence. */
    void continueAt(long nextSequence) {
        sequence = nextSequence - 1;
    }

    @Override
    public void change(TableEntry entry) {
        table.restore(entry);
        if (entry instanceof TableEntry.Leased leased) {
            standing = standing.withTtl(leased.grant().ttl());
        }
    }

    @Override
    public void started(long now) {
        table.restoreRestart(now);
    }

    @Override
    public void standing(Standing other) {
        standing = standing.and(other);
    }

    LeaseTable table() {
        return table;
    }

    /** With the last token of all. */
    Standing standing() {
        return standing.withLastToken(table.lastToken());
    }

    long time() {
        return time;
    }

    long sequence() {
        return sequence;
    }

    long start() {
        return start;
    }
}
