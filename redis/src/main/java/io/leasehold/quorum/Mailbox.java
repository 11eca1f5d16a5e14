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
        if (unread.getAndIncrement() > 0) {
            return;
        }
        do {
            Runnable next = messages.poll();
            if (next != null) {
                next.run();
            }
        } while (unread.decrementAndGet() > 0);
    }
}
