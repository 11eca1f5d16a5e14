// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.LeaseholdException;
import io.leasehold.table.Deliveries;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the log short: when it has grown to twice the state it stands for, a snapshot takes the
 * place of all but its last segment. Written by the housekeeper while the store goes on.
 *
 * <p>Its slices show the store as it goes on, so it may tell of changes that are not on disk yet.
 * It does not count before they are: else a crash could leave half of a change, such as the end of
 * a lease without the record that it left.
 *
 * <p>A snapshot that fails, for want of room or of memory or whatever else, is given up and tried
 * again later; nothing depends on it. The store's lock guards the fields.
 */
final class Snapshots {

    private static final System.Logger LOG = System.getLogger(Snapshots.class.getName());
    private static final int MIN_SEGMENTS = 4;
    private static final long PAUSE = Duration.ofSeconds(30).toNanos();

    private final JournalDirectory directory;
    private final ReentrantLock lock;
    private final Executor housekeeper;
    private final Consumer<IOException> onFailure;
    private final long segmentBytes;
    private long number;
    private long length;
    private long notBefore = Long.MIN_VALUE;
    private boolean underWay;
    private boolean closed;

    Snapshots(
            JournalDirectory directory,
            ReentrantLock lock,
            Executor housekeeper,
            Consumer<IOException> onFailure,
            long segmentBytes) {
        this.directory = directory;
        this.lock = lock;
        this.housekeeper = housekeeper;
        this.onFailure = onFailure;
        this.segmentBytes = segmentBytes;
    }

    /** The snapshot that the store was opened with. */
    void opened(long latest, long bytes) {
        number = latest;
        length = bytes;
    }

    /** Whether the log, up to the given segment, is long enough for another snapshot. */
    boolean isDue(long segment, long now) {
        long segments = segment - Math.max(1, number);
        return !underWay
                && !closed
                && now >= notBefore
                && segments >= Math.max(MIN_SEGMENTS, 2 * length / segmentBytes);
    }

    /** Whether starts came so often that no snapshot could be written in between. */
    boolean isOverdue(long segment) {
        return segment - Math.max(1, number) >= 4 * MIN_SEGMENTS;
    }

    /**
     * Goes about a snapshot of what the table holds now.
     *
     * @param cut the batch that comes next in the log, and begins a segment
     */
    void begin(Batch cut, Pending pending, long now) {
        underWay = true;
        notBefore = now + PAUSE;
        cut.add(new Outgoing() {
            @Override
            public void send(Deliveries deliveries) {
                housekeeper.execute(() -> write(pending, cut.place()));
            }

            @Override
            public void fail(Deliveries deliveries, LeaseholdException reason) {}
        });
    }

    /** What goes into a snapshot, but for the place that it will have. */
    interface Pending {
        SnapshotWriter.Contents behind(LogWriter.Place place);

        /** Runs a task, without the lock, when all that was decided up to now is on disk. */
        void whenOnDisk(Runnable task);
    }

    private void write(Pending pending, LogWriter.Place place) {
        try {
            step(new SnapshotWriter(directory, lock, pending.behind(place)), pending);
        } catch (Throwable e) {
            giveUp(null, e);
        }
    }

    private void step(SnapshotWriter writer, Pending pending) {
        try {
            if (isClosed()) {
                writer.giveUp();
            } else if (writer.step()) {
                housekeeper.execute(() -> step(writer, pending));
            } else {
                pending.whenOnDisk(() -> housekeeper.execute(() -> finish(writer)));
            }
        } catch (Throwable e) {
            giveUp(writer, e);
        }
    }

    private void finish(SnapshotWriter writer) {
        try {
            if (isClosed()) {
                writer.giveUp();
            } else {
                finished(writer.segment(), writer.finish());
                Leftovers.deleteBefore(writer.segment(), directory);
            }
        } catch (Throwable e) {
            giveUp(writer, e);
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    private void finished(long segment, long bytes) {
        lock.lock();
        try {
            number = segment;
            length = bytes;
            underWay = false;
        } finally {
            lock.unlock();
        }
    }

    private void giveUp(@Nullable SnapshotWriter writer, Throwable e) {
        try {
            if (writer != null) {
                writer.giveUp();
            }
        } finally {
            ended();
        }
        if (e instanceof Forced.FailedException failure) {
            onFailure.accept(failure);
        } else if (e instanceof IOException failure) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    () -> directory.path() + ": no snapshot now, the log goes on: "
                            + JournalDirectory.reason(failure));
        } else {
            LOG.log(
                    System.Logger.Level.WARNING,
                    () -> directory.path() + ": no snapshot now, the log goes on",
                    e);
        }
    }

    private void ended() {
        lock.lock();
        try {
            underWay = false;
        } finally {
            lock.unlock();
        }
    }

    /** No snapshot is begun any more, and one that is under way is given up. */
    void close() {
        closed = true;
    }
}
