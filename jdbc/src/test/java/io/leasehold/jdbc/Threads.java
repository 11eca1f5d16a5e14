// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import java.util.concurrent.CompletableFuture;

/** Runs each task on a thread of its own, so that all of them can wait at one barrier. */
final class Threads {

    private Threads() {}

    interface Task {
        void run() throws Exception;
    }

    static CompletableFuture<Void> run(Task task) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                task.run();
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return done;
    }
}
