// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import io.leasehold.model.RequestRefusedException;
import io.leasehold.model.StoreUnavailableException;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waits for what changes nothing in a store. */
final class Waiting {

    private Waiting() {}

    /** The result; what went wrong is thrown, and an interrupt is kept. */
    static <T> T until(CompletableFuture<T> future) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException("interrupted while waiting for the server", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof RequestRefusedException refused) {
                throw refused;
            }
            throw new StoreUnavailableException(
                    cause == null ? "the server failed" : String.valueOf(cause.getMessage()),
                    cause);
        }
    }
}
