// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** What the tests ask of a store, and how long they wait for it. */
final class Asking {

    /** Longer than anything takes on a busy machine. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final AtomicLong IDS = new AtomicLong();

    private Asking() {}

    static LeaseRequest request(String name) {
        return LeaseRequest.of(
                new LeaseId(4711, IDS.incrementAndGet()),
                Claim.exclusive(Scope.name(name)),
                new Holder("somebody"),
                Duration.ofSeconds(30));
    }

    static Grant granted(LeaseStore store, String name) {
        return granted(answer(store.acquire(request(name))));
    }

    static Grant granted(Acquisition answer) {
        if (answer instanceof Acquisition.Granted granted) {
            return granted.grant();
        }
        throw new AssertionError("not granted but " + answer);
    }

    /** The answer, or the store's exception. */
    static <T> T answer(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof LeaseholdException known) {
                throw known;
            }
            throw new AssertionError(e.getCause());
        } catch (TimeoutException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Repeats what fails because of the store, as it may while a connection is made anew. */
    static <T> T eventually(Supplier<T> attempt) {
        long start = Time.system().nanos();
        while (true) {
            try {
                return attempt.get();
            } catch (LeaseholdException e) {
                if (Time.system().nanos() - start > PATIENCE.toNanos()) {
                    throw new AssertionError("still so after " + PATIENCE, e);
                }
                pass(Duration.ofMillis(10));
            }
        }
    }

    static void until(String what, BooleanSupplier condition) {
        long start = Time.system().nanos();
        while (!condition.getAsBoolean()) {
            if (Time.system().nanos() - start > PATIENCE.toNanos()) {
                throw new AssertionError("not within " + PATIENCE + ": " + what);
            }
            pass(Duration.ofMillis(5));
        }
    }

    static void pass(Duration span) {
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        Time.system().schedule(span, () -> over.complete(true));
        over.join();
    }
}
