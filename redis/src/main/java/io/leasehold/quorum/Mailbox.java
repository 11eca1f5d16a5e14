// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs what is posted one after the other, on whichever thread finds nobody at it. So what is run
 * needs no lock, may ask nodes, and is never entered again by their answers.
 */
final class Mailbox {

    private final Queue<Runnable> messages = new ConcurrentLinkedQueue<>();
    private final AtomicInteger unread = new AtomicInteger();

    void post(Runnable message) {
        messages.add(message);
        if (unread.getAndIncrement() == 0) {
            readAll();
        }
    }

    /** The first that a message throws is thrown on, with the others, when all have been read. */
    private void readAll() {
        Throwable thrown = null;
        do {
            try {
                messages.remove().run();
            } catch (RuntimeException | Error e) {
                if (thrown == null) {
                    thrown = e;
                } else if (thrown != e) {
                    thrown.addSuppressed(e);
                }
            }
        } while (unread.decrementAndGet() > 0);
        if (thrown instanceof Error error) {
            throw error;
        } else if (thrown instanceof RuntimeException failure) {
            throw failure;
        }
    }
}
