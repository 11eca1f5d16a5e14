// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import io.leasehold.model.Claim;
import io.leasehold.model.LockInterruptedException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Disk;
import io.leasehold.spi.DiskLock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** One change of a file at a time, among the threads of this guard and among all processes. */
final class ChangeLock {

    private final Disk disk;
    private final Path file;
    private final Scope resource;
    private final String owner = "process " + ProcessHandle.current().pid();
    private final ReentrantLock lock = new ReentrantLock(); // guards what the guard remembers
    private @Nullable DiskLock held; // during a change

    ChangeLock(Disk disk, Path file, Scope resource) {
        this.disk = disk;
        this.file = file;
        this.resource = resource;
    }

    /** Something to do with the file. */
    interface Work<T> {
        T run() throws IOException;
    }

    /**
     * Does the work while nobody else works on the file.
     *
     * @throws StoreUnavailableException if the lock can't be had, or the work failed to read
     */
    <T> T run(Work<T> work) {
        if (lock.isHeldByCurrentThread()) {
            throw new IllegalStateException(
                    "a change of " + file + " can't start within another one");
        }
        lock.lock();
        try {
            return runLocked(work);
        } catch (IOException e) {
            throw new StoreUnavailableException(
                    file + " can't be reached, and nothing was written: " + e.getMessage(), e);
        } finally {
            lock.unlock();
        }
    }

    private <T> T runLocked(Work<T> work) throws IOException {
        DiskLock taken = acquire();
        held = taken;
        try {
            return work.run();
        } finally {
            held = null;
            taken.close();
        }
    }

    /**
     * Makes sure, before a change is written, that nobody else could have begun one.
     *
     * @throws StoreUnavailableException if the lock file was deleted or replaced since
     */
    void ensureMine() throws IOException {
        DiskLock taken = held;
        if (taken == null || !taken.isInPlace()) {
            throw new StoreUnavailableException(file + " was not changed, because "
                    + Siblings.lock(file).getFileName()
                    + " was deleted or replaced during the change, and others may have begun one."
                    + " Repeat it, and never delete the lock file");
        }
    }

    private DiskLock acquire() throws IOException {
        try {
            return disk.lock(Siblings.lock(file), owner);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(Claim.exclusive(resource), e);
        }
    }
}
