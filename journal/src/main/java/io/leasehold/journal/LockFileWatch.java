// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.spi.Time;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Checks that the lock file of an open journal is still in place. A check is a look-up on the disk,
 * which may take long, so only the store's own threads make one: the writer before it writes, and
 * the housekeeper when asked to. What was checked less than a second ago is not checked again.
 * Thread-safe.
 */
final class LockFileWatch {

    private static final long INTERVAL = Duration.ofSeconds(1).toNanos();

    private final LockedDirectory locked;
    private final Time time;
    private final AtomicLong checkedAt;
    private final AtomicBoolean asked = new AtomicBoolean(); // the housekeeper is to make a check

    /** The lock was taken just now. */
    LockFileWatch(LockedDirectory locked, Time time) {
        this.locked = locked;
        this.time = time;
        this.checkedAt = new AtomicLong(time.nanos());
    }

    JournalDirectory directory() {
        return locked.directory();
    }

    /**
     * Makes a check if the last one is a second old.
     *
     * @throws LockedDirectory.LostException if the lock file was deleted or replaced
     */
    void checkIfDue() throws IOException {
        if (isDue()) {
            check();
        }
    }

    /**
     * Makes a check now.
     *
     * @throws LockedDirectory.LostException if the lock file was deleted or replaced
     */
    void check() throws IOException {
        long now = time.nanos();
        locked.ensureMine();
        checkedAt.set(now);
    }

    private boolean isDue() {
        return time.nanos() - checkedAt.get() >= INTERVAL;
    }

    /** Has the housekeeper make a check if one is due, and returns at once. */
    void checkSoon(Executor housekeeper, Consumer<IOException> onFailure) {
        if (isDue() && asked.compareAndSet(false, true)) {
            housekeeper.execute(() -> {
                asked.set(false);
                try {
                    checkIfDue();
                } catch (IOException e) {
                    onFailure.accept(e);
                }
            });
        }
    }
}
