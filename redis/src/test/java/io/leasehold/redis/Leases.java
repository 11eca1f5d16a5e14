// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** What the tests of faults ask of stores, and how long they wait for it. */
final class Leases {

    /** Longer than anything takes on a busy machine. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private Leases() {}

    static LeaseRequest request(String name, Duration ttl) {
        return LeaseRequest.of(
                id(), Claim.exclusive(Scope.name(name)), new Holder("somebody"), ttl);
    }

    static LeaseId id() {
        return new LeaseId(
                ThreadLocalRandom.current().nextLong(),
                ThreadLocalRandom.current().nextLong());
    }

    static Grant grant(LeaseStore store, String name, Duration ttl) {
        return granted(store.acquire(request(name, ttl)));
    }

    static Grant granted(CompletionStage<Acquisition> stage) {
        Acquisition answer = await(stage);
        if (answer instanceof Acquisition.Granted granted) {
            return granted.grant();
        }
        throw new AssertionError("not granted but " + answer);
    }

    static boolean renews(LeaseStore store, Grant grant) {
        return await(store.renew(RenewalRequest.of(grant, grant.ttl()))) instanceof Renewal.Renewed;
    }

    static List<LeaseView> list(LeaseStore store) {
        return await(store.list(LeaseQuery.all())).leases();
    }

    /** The answer, or the store's exception. */
    static <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof LeaseholdException known) {
                throw known;
            }
            throw new AssertionError(e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("no answer within " + PATIENCE, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
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
                pass(Duration.ofMillis(50));
            }
        }
    }

    static void until(String what, BooleanSupplier condition) {
        long start = Time.system().nanos();
        while (!condition.getAsBoolean()) {
            if (Time.system().nanos() - start > PATIENCE.toNanos()) {
                throw new AssertionError("not within " + PATIENCE + ": " + what);
            }
            pass(Duration.ofMillis(20));
        }
    }

    static void pass(Duration span) {
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        Time.system().schedule(span, () -> over.complete(true));
        over.join();
    }
}
