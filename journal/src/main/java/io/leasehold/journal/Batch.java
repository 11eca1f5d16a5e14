// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.table.TableEntry;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes that go to disk together, and the answers that wait for them. Guarded by the store's lock
 * until it is being written.
 */
final class Batch {

    private static final int INITIAL = 4096;

    private final Output out = new Output(INITIAL, BatchHead.LENGTH);
    private final List<Outgoing> outgoing = new ArrayList<>();
    private int entries;
    private long time;
    private long lastToken;
    private boolean urgent;
    private boolean beginsSegment;
    private int sealed; // its length when it was turned into bytes
    private LogWriter.@Nullable Place place;

    void add(TableEntry entry) {
        EntryWriter.write(entry, out);
        entries++;
    }

    void addStarted(long now) {
        EntryWriter.writeStarted(now, out);
        entries++;
    }

    void add(Standing standing) {
        EntryWriter.write(standing, out);
        entries++;
    }

    /** Somebody waits for it to be on disk. */
    void hurry() {
        urgent = true;
    }

    boolean isUrgent() {
        return urgent;
    }

    /** It is the first of a segment. */
    void beginSegment() {
        beginsSegment = true;
    }

    boolean beginsSegment() {
        return beginsSegment;
    }

    void writtenTo(LogWriter.Place there) {
        place = there;
    }

    /** Where it was written. */
    LogWriter.Place place() {
        if (place == null) {
            throw new IllegalStateException("the batch was not written");
        }
        return place;
    }

    long time() {
        return time;
    }

    /** Sends the answer off when the batch is on disk. */
    void add(Outgoing answer) {
        outgoing.add(answer);
    }

    List<Outgoing> outgoing() {
        return outgoing;
    }

    int entries() {
        return entries;
    }

    /** How long it will be in a file, end mark included, or is. */
    int extent() {
        if (sealed > 0) {
            return sealed;
        }
        int body = out.position() - BatchHead.LENGTH;
        return BatchHead.extent(body == 0 ? 0 : body + Long.BYTES);
    }

    /** Notes how far the store has come with it. */
    void at(long now, long token) {
        time = now;
        lastToken = token;
    }

    /** How far the store has come with it, in the given start. */
    Moment moment(long start) {
        return new Moment(time, start, lastToken);
    }

    /** The batch as bytes for the given place. */
    ByteBuffer seal(long sequence, long start, long file, long offset) {
        int extent = extent();
        if (entries > 0) {
            out.putLong(BatchHead.END_MARK);
        }
        ByteBuffer bytes = out.written();
        ByteBuffer body = bytes.slice(BatchHead.LENGTH, bytes.limit() - BatchHead.LENGTH);
        BatchHead head = new BatchHead(
                sequence, sequence - 1, moment(start), BatchHead.Body.of(body, entries));
        head.write(bytes, file, offset);
        out.align(BatchHead.LENGTH);
        sealed = extent;
        return out.written();
    }
}
