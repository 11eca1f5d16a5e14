// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The thread that does some work, for whoever may have to interrupt it: the work is interrupted,
 * and nothing that the thread does afterwards. Thread-safe.
 */
final class Worker {

    private final ReentrantLock lock = new ReentrantLock(); // guards the fields below
    private @Nullable Thread thread;
    private boolean interrupted;

    /** The current thread begins; at once interrupted if {@link #interrupt} came before. */
    void begin() {
        lock.lock();
        try {
            thread = Thread.currentThread();
            if (interrupted) {
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    void interrupt() {
        lock.lock();
        try {
            interrupted = true;
            if (thread != null) {
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The current thread is done; an interrupt that was meant for the work is taken back. */
    void end() {
        lock.lock();
        try {
            thread = null;
            if (interrupted) {
                boolean unused = Thread.interrupted();
            }
        } finally {
            lock.unlock();
        }
    }
}
