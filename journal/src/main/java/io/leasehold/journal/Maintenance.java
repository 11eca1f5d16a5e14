// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.spi.Time;
import io.leasehold.table.Alarm;
import io.leasehold.table.LeaseTable;
import io.leasehold.table.TableCopy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;

/**
 * What a store does by itself as time passes. It ends leases and waits that have run out. Once a
 * second, while there is something to do, it writes down the time and sees to the lock file, to room
 * on the disk and to snapshots.
 *
 * <p>Timers wake a thread for it, which decides what is to be done and never uses the disk: that is
 * for the store's other threads.
 */
final class Maintenance {

    private static final System.Logger LOG = System.getLogger(JournalLeaseStore.class.getName());
    private static final long TICK = Duration.ofSeconds(1).toNanos();

    private final Parts parts;
    private final LockFileWatch lockFile;
    private final Executor housekeeper;
    private final Store store;
    private final Alarm wakeUp; // guarded by the store's lock, like the parts
    private final Alarm tick;

    /** What it looks after. */
    record Parts(
            LeaseTable table,
            Recorder recorder,
            LogWriter log,
            Committer committer,
            Room room,
            Snapshots snapshots) {}

    /** The store that it is part of. */
    interface Store {

        /** Runs an operation at the present time under the store's lock. */
        void operate(CompletableFuture<?> stage, LongConsumer operation);

        /** Stops the store. Call it without the lock. */
        void fail(IOException failure);
    }

    Maintenance(
            Parts parts,
            LockFileWatch lockFile,
            Time time,
            Surroundings.Threads threads,
            Store store) {
        this.parts = parts;
        this.lockFile = lockFile;
        this.housekeeper = threads.housekeeper();
        this.store = store;
        this.wakeUp = new Alarm(time, threads.alarms(), this::wakeUp);
        this.tick = new Alarm(time, threads.alarms(), this::tick);
    }

    /** The store was opened just now. */
    void begin(Opening opening) {
        long now = opening.moment().time();
        parts.snapshots.opened(opening.snapshot(), opening.snapshotBytes());
        tick.set(now + TICK, now);
        if (parts.snapshots.isOverdue(parts.log.segment())) {
            tick();
        }
    }

    /** Sets the timers anew. Under the store's lock, at the end of every operation. */
    void setTimers(long now) {
        wakeUp.set(parts.table.wakeAt(LeaseTable.ALL), now);
        tick.set(isTickNeeded() ? now + TICK : LeaseTable.NEVER, now);
    }

    /** Ends it. Under the store's lock. */
    void end() {
        wakeUp.cancel();
        tick.cancel();
        parts.snapshots.close();
    }

    private void wakeUp() {
        operate(now -> {
            wakeUp.cancel();
            parts.table.advance(LeaseTable.ALL, now);
        });
    }

    /** Nobody waits for what an alarm sets off: if it fails, that is logged. */
    private void operate(LongConsumer operation) {
        CompletableFuture<Boolean> stage = new CompletableFuture<>();
        stage.whenComplete((done, failure) -> {
            if (failure instanceof OutcomeUnknownException) { // else the store has ended
                LOG.log(System.Logger.Level.WARNING, "what was due in a journal failed", failure);
            }
        });
        store.operate(stage, operation);
    }

    private void tick() {
        lockFile.checkSoon(housekeeper, store::fail);
        operate(now -> {
            tick.cancel();
            parts.table.advance(LeaseTable.ALL, now);
            if (parts.room.isShort()) {
                parts.table.failWaiters(parts.room.shortage()); // the time is not worth the room
            } else if (isTimeDue(now)) {
                Batch unused = parts.committer.add(true, parts.recorder.moment());
            }
            if (isSnapshotDue(now)) {
                beginSnapshot(now);
            }
            if (parts.log.failureOfNext() instanceof Spare.NoRoomException) {
                parts.log.retryNext();
            }
        });
        IOException failure = parts.log.failureOfNext();
        if (failure != null && !(failure instanceof Spare.NoRoomException)) {
            store.fail(failure); // without the lock, since it tells whoever waits
        }
    }

    /** Whether to write a batch without entries, which says how late it is. */
    private boolean isTimeDue(long now) {
        return parts.committer.isSettled()
                && now - parts.committer.writtenAt() >= TICK
                && isTickNeeded();
    }

    /** Whether store time must go on across restarts, or the last batch needs its mark. */
    private boolean isTickNeeded() {
        Committer committer = parts.committer;
        return parts.table.size() > 0
                || !committer.isMarked()
                || parts.recorder.standing().frozenUntil() > committer.writtenAt();
    }

    private boolean isSnapshotDue(long now) {
        return parts.snapshots.isDue(parts.log.segment(), now)
                && parts.log.hasNextBehind(parts.committer.pending());
    }

    private void beginSnapshot(long now) {
        TableCopy copy = parts.table.copy();
        Standing standing = parts.recorder.standing();
        Moment moment = parts.recorder.moment();
        Snapshots.Pending pending = new Snapshots.Pending() {
            @Override
            public SnapshotWriter.Contents behind(LogWriter.Place place) {
                return new SnapshotWriter.Contents(copy, standing, moment, place);
            }

            @Override
            public void whenOnDisk(Runnable task) {
                Maintenance.this.whenOnDisk(task);
            }
        };
        parts.snapshots.begin(parts.committer.cut(moment), pending, now);
    }

    /** Runs a task when all that was decided up to now is on disk, or never will be. */
    private void whenOnDisk(Runnable task) {
        CompletableFuture<Boolean> written = new CompletableFuture<>();
        written.whenComplete((done, failure) -> task.run());
        store.operate(
                written,
                now -> parts.committer
                        .add(true, parts.recorder.moment())
                        .add(new Answer<>(written, true)));
    }
}
