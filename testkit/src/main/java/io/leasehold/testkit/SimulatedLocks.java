// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.spi.DiskLock;

import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The locks of a {@link SimulatedDisk}, under whose lock all methods are called. */
final class SimulatedLocks {

    private final ReentrantLock lock;
    private final Runnable check;
    private final Condition freed;
    private final Map<Path, Held> named = new HashMap<>();
    private final Set<SimulatedContent> files = Collections.newSetFromMap(new IdentityHashMap<>());

    /**
     * Guarded by the given lock.
     *
     * @param check runs within every check whether a lock is in place, without the lock
     */
    SimulatedLocks(ReentrantLock lock, Runnable check) {
        this.lock = lock;
        this.check = check;
        this.freed = lock.newCondition();
    }

    /** Who has the lock of this name. */
    Optional<String> owner(Path key) {
        return Optional.ofNullable(named.get(key)).map(held -> held.owner);
    }

    /** Waits until nobody has the lock of this name. */
    void awaitFree(Path key) throws InterruptedException {
        while (named.containsKey(key)) {
            freed.await();
        }
    }

    DiskLock hold(Path key, String owner) {
        Held held = new Held(key, owner);
        named.put(key, held);
        return held;
    }

    /** The lock file was deleted: whoever has the lock is not told, and others can take it. */
    void deleted(Path key) {
        if (named.remove(key) != null) {
            freed.signalAll();
        }
    }

    /** Locks a file itself, unless it is locked. */
    boolean tryLock(SimulatedContent file) {
        return files.add(file);
    }

    void unlock(SimulatedContent file) {
        boolean unused = files.remove(file);
    }

    /** The process has ended. */
    void clear() {
        named.clear();
        files.clear();
        freed.signalAll();
    }

    /** A lock that counts for as long as it is the one of its name. */
    private final class Held implements DiskLock {

        private final Path key;
        private final String owner;

        Held(Path key, String owner) {
            this.key = key;
            this.owner = owner;
        }

        @Override
        public boolean isInPlace() {
            check.run();
            lock.lock();
            try {
                return named.get(key) == this;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            lock.lock();
            try {
                if (named.remove(key, this)) {
                    freed.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
