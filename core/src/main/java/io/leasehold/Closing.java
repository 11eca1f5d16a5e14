// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import java.util.concurrent.CompletableFuture;

/**
 * The end of a {@link Leasehold}: waits for the bodies that run, for as long as the grace period
 * says, and for the store's word on what is released. A body that outlives it keeps its lease, and
 * what it needs stays open until it has returned or its lease is lost. Thread-safe.
 */
final class Closing {

    private static final System.Logger LOG = System.getLogger(Leasehold.class.getName());

    private final Client client;
    private final Thread closer = Thread.currentThread();
    private final CompletableFuture<Boolean> waited = new CompletableFuture<>();

    Closing(Client client) {
        this.client = client;
    }

    /** By the thread that was the first to close; the last step is taken when nothing runs. */
    void run(Handover handover, Runnable lastStep) {
        handover.idle().forEach(client::release);
        client.awaitAtMost(client.options.closeGrace(), handover.others());
        client.awaitAtMost(client.options.patience(), client.endings.all());
        try {
            finish(handover, lastStep);
        } finally {
            waited.complete(true);
        }
    }

    private void finish(Handover handover, Runnable lastStep) {
        if (handover.all().isDone()) {
            lastStep.run();
        } else {
            handover.running().forEach(Closing::warn);
            handover.all().whenComplete((done, error) -> client.executors.callBack(lastStep));
        }
    }

    private static void warn(Handover.Running running) {
        if (!running.own() && !running.over().isDone()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    () -> "closed, but a body still runs and keeps its lease; "
                            + running.lease().grant.holding());
        }
    }

    /** For all who close after the first. A body does not wait: the first may wait for it. */
    void awaitFirst() {
        if (Thread.currentThread() == closer || client.renewer.isBody(Thread.currentThread())) {
            return;
        }
        client.awaitAtMost(
                client.options.closeGrace().plus(client.options.patience().multipliedBy(2)),
                waited);
    }
}
