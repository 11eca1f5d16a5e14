// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.hostile;

import java.util.concurrent.CompletableFuture;

/** Threads whose end can be waited for, and their failure with it. */
final class Threads {

    private Threads() {}

    static CompletableFuture<Void> run(String name, Runnable task) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                        end.complete(null);
                    } catch (Throwable e) {
                        end.completeExceptionally(e);
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
        return end;
    }
}
