// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.LeaseholdException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.table.Deliveries;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Group commit: changes gather in a batch while the one before is on its way to disk, so that all
 * who ask meanwhile share one force. What a decision was based on is on disk before its answer
 * leaves: an answer waits for the last batch that was not there when it was decided, also if it
 * changed nothing itself.
 *
 * <p>A batch for which there is no room waits until there is, with its answers and all batches
 * behind it.
 *
 * <p>All methods but {@link #run} are called under the store's lock, which guards the fields.
 */
final class Committer implements Runnable {

    private final ReentrantLock lock;
    private final LogWriter log;
    private final Executor writer;
    private final Deliveries deliveries;
    private final Consumer<IOException> onFailure;
    private final int fullAt;
    private final Deque<Batch> full = new ArrayDeque<>();
    private Batch open = new Batch();
    private @Nullable Batch writing;
    private boolean running; // a run is under way or asked for
    private boolean failed;
    private volatile @Nullable Thread scribe; // who writes, or delivers what was written
    private boolean stalled; // there is no room for the first of the full batches
    private boolean patient = true; // such a batch waits
    private long waiting; // bytes in full batches and the one that is being written
    private long writtenAt; // store time of the last batch on disk
    private boolean lastHadEntries;

    Committer(
            ReentrantLock lock,
            LogWriter log,
            Executor writer,
            Deliveries deliveries,
            Parameters parameters) {
        this.lock = lock;
        this.log = log;
        this.writer = writer;
        this.deliveries = deliveries;
        this.fullAt = parameters.fullAt;
        this.onFailure = parameters.onFailure;
    }

    /**
     * What else it needs.
     *
     * @param fullAt how large a batch may be before the next is begun
     * @param onFailure called without the lock when nothing can be written any more
     */
    record Parameters(int fullAt, Consumer<IOException> onFailure) {}

    /** How large a batch may be, in segments of the given size, before the next is begun. */
    static int fullAt(int segmentBytes) {
        return Math.min(1 << 18, segmentBytes / 16);
    }

    /**
     * The batch that takes in the change that is made at this moment. An urgent one sets the writer
     * going at the next {@link #needsRun}.
     */
    Batch add(boolean urgent, Moment moment) {
        if (open.extent() >= fullAt) {
            closeBatch();
        }
        open.at(moment.time(), moment.lastToken());
        if (urgent) {
            open.hurry();
        }
        return open;
    }

    /** The next change begins a segment, in a batch that is on its way at once. */
    Batch cut(Moment moment) {
        if (open.entries() > 0 || open.isUrgent()) {
            closeBatch();
        }
        Batch first = add(true, moment);
        first.beginSegment();
        return first;
    }

    /** Whatever was changed, if only by the passing of time, is on its way at once. */
    void hurry() {
        if (open.entries() > 0) {
            open.hurry();
        }
    }

    private void closeBatch() {
        full.add(open);
        waiting += open.extent();
        open = new Batch();
    }

    /** Whether everything that was decided is on disk, but for what nobody needs to wait for. */
    boolean isSettled() {
        return writing == null && full.isEmpty() && !open.isUrgent();
    }

    /** Sends it when all that was decided up to now is on disk, which may be at once. */
    void send(Outgoing outgoing) {
        if (open.isUrgent()) {
            open.add(outgoing);
        } else if (!full.isEmpty()) {
            full.getLast().add(outgoing);
        } else if (writing != null) {
            writing.add(outgoing);
        } else {
            outgoing.send(deliveries);
        }
    }

    /** How many bytes will be written if nothing is added. */
    long pending() {
        return waiting + open.extent();
    }

    /** A batch with this store time was written before there was anything to commit. */
    void begin(long time) {
        writtenAt = time;
    }

    /** Store time of the last batch on disk. */
    long writtenAt() {
        return writtenAt;
    }

    /** Whether a batch follows the last one that says anything, and so says that it was on disk. */
    boolean isMarked() {
        return !lastHadEntries && open.entries() == 0 && full.isEmpty() && writing == null;
    }

    /** From now on a batch for which there is no room is a failure. */
    void waitNoMore() {
        patient = false;
    }

    /** Whether the writer must be set going, by {@link #start} and without the lock. */
    boolean needsRun() {
        if (running || failed || (full.isEmpty() && !open.isUrgent())) {
            return false;
        }
        if (stalled && patient && !log.hasNext()) {
            return false;
        }
        stalled = false;
        running = true;
        return true;
    }

    /** Sets the writer going. Call it without the lock, when {@link #needsRun} says so. */
    void start() {
        try {
            writer.execute(this);
        } catch (RuntimeException | Error e) { // the next who needs a run asks again
            lock.lock();
            try {
                running = false;
            } finally {
                lock.unlock();
            }
            throw e;
        }
    }

    /** Writes batches until nobody waits for one. If it can't go on, for whatever reason, it says so. */
    @Override
    public void run() {
        try {
            boolean more = true;
            while (more) {
                more = writeNext();
            }
        } catch (RuntimeException | Error e) { // nobody else writes: all would wait for ever
            onFailure.accept(new IOException("the writer failed: " + e, e));
            throw e;
        }
    }

    /** Whether the calling thread is the one that writes, and so within a dependent of an answer. */
    boolean isWrittenByThisThread() {
        return scribe == Thread.currentThread();
    }

    private boolean writeNext() {
        Batch batch = next();
        if (batch == null) {
            return false;
        }
        scribe = Thread.currentThread();
        try {
            if (!write(batch)) {
                return false;
            }
            finish(batch);
            deliveries.flush();
            return true;
        } finally {
            scribe = null;
        }
    }

    private boolean write(Batch batch) {
        try {
            batch.writtenTo(log.write(batch));
            return true;
        } catch (Spare.NoRoomException e) {
            if (!putBack(batch)) {
                onFailure.accept(e);
            }
        } catch (IOException | RuntimeException | Error e) {
            onFailure.accept(
                    e instanceof IOException io ? io : new IOException(String.valueOf(e), e));
        }
        return false;
    }

    private @Nullable Batch next() {
        lock.lock();
        try {
            if (failed) {
                return null;
            }
            if (full.isEmpty() && open.isUrgent()) {
                closeBatch();
            }
            writing = full.poll();
            running = writing != null;
            return writing;
        } finally {
            lock.unlock();
        }
    }

    /** Keeps a batch for later, unless nobody can wait for that. */
    private boolean putBack(Batch batch) {
        lock.lock();
        try {
            if (patient && !failed) {
                full.addFirst(batch);
                writing = null;
                stalled = true;
                running = false;
            }
            return patient;
        } finally {
            lock.unlock();
        }
    }

    private void finish(Batch batch) {
        lock.lock();
        try {
            writing = null;
            waiting -= batch.extent();
            writtenAt = batch.time();
            lastHadEntries = batch.entries() > 0;
            if (!failed) {
                send(batch);
            }
        } finally {
            lock.unlock();
        }
    }

    private void send(Batch batch) {
        try {
            batch.outgoing().forEach(outgoing -> outgoing.send(deliveries));
        } catch (RuntimeException | Error e) { // nobody behind it may wait in vain
            fail(batch, new OutcomeUnknownException("an answer could not be sent", e));
            throw e;
        }
    }

    /** Nothing is written any more: whether what is under way is on disk will never be known. */
    void fail(LeaseholdException reason) {
        if (failed) {
            return;
        }
        failed = true;
        if (writing != null) {
            fail(writing, reason);
        }
        full.forEach(batch -> fail(batch, reason));
        fail(open, reason);
        full.clear();
        open = new Batch();
    }

    private void fail(Batch batch, LeaseholdException reason) {
        for (Outgoing outgoing : batch.outgoing()) {
            try {
                outgoing.fail(deliveries, reason);
            } catch (RuntimeException | Error e) { // nobody behind it may wait in vain
                reason.addSuppressed(e);
            }
        }
    }
}
