// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.WatchReply;

import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** A watch that tells nothing more once its reader may not read here any longer. */
final class PermittedWatch implements Operations.Watch {

    private final Operations.Watch watch;
    private final BooleanSupplier permitted;

    PermittedWatch(Operations.Watch watch, BooleanSupplier permitted) {
        this.watch = watch;
        this.permitted = permitted;
    }

    @Override
    public CompletionStage<WatchReply> next() {
        return watch.next().thenApply(event -> {
            if (!permitted.getAsBoolean()) {
                throw Failures.of(
                        Failure.Kind.PERMISSION_DENIED, "the permission to read was taken back");
            }
            return event;
        });
    }

    @Override
    public void close() {
        watch.close();
    }
}
