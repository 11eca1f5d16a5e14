// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.LeaseId;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The acquires whose answers have not reached their callers. One whose caller is gone is taken back
 * after a grace, unless the same request came again meanwhile, from whomever: clients repeat what
 * they have no answer to, often before the server knows that their connection is lost.
 */
final class Acquires {

    private final Time time;
    private final Duration grace;
    private final ConcurrentHashMap<Key, UnderWay> underWay = new ConcurrentHashMap<>();

    private record Key(String namespace, LeaseId id) {}

    /**
     * Where an acquire is going.
     *
     * @param namespace the store's
     * @param store where it is asked for
     * @param request what for
     */
    record Order(String namespace, LeaseStore store, LeaseRequest request) {}

    Acquires(Time time, Duration grace) {
        this.time = time;
        this.grace = grace;
    }

    CompletionStage<Acquisition> acquire(Caller caller, Order order) {
        UnderWay call = new UnderWay(order, caller.gone() instanceof Delivery);
        UnderWay earlier = underWay.put(call.key, call);
        if (earlier != null) {
            call.undelivered = true;
        }
        CompletionStage<Acquisition> asked;
        try {
            asked = order.store().acquire(order.request());
        } catch (RuntimeException | Error e) {
            call.forget();
            throw e;
        }
        CompletionStage<?> unusedAnswer = asked.whenComplete(call::answered);
        CompletionStage<?> unusedDeparture = caller.gone().whenComplete((gone, delivered) -> {
            if (delivered == null) {
                call.depart();
            } else {
                call.forget();
            }
        });
        return call.answer;
    }

    /** Takes back all that still wait, and answers them as unavailable. */
    void turnAway() {
        for (UnderWay call : List.copyOf(underWay.values())) {
            if (!call.order.request().terms().waitAtMost().isZero()) {
                call.turnAway();
            }
        }
    }

    int count() {
        return underWay.size();
    }

    private final class UnderWay {

        final Order order;
        final Key key;
        final boolean confirmed; // the caller's side tells when the answer was delivered
        final long start = time.nanos();
        volatile boolean undelivered; // no earlier caller has had the answer either
        final CompletableFuture<Acquisition> answer = new CompletableFuture<>();
        private boolean settled; // this and the rest are guarded by this object
        private boolean turnedAway;
        private Time.@Nullable Timer withdrawal;

        UnderWay(Order order, boolean confirmed) {
            this.order = order;
            this.confirmed = confirmed;
            this.key = new Key(order.namespace(), order.request().id());
        }

        void answered(@Nullable Acquisition acquisition, @Nullable Throwable failure) {
            boolean granted =
                    acquisition instanceof Acquisition.Granted grant && isNobodysYet(grant);
            boolean over;
            boolean told;
            synchronized (this) {
                settled = true;
                told = turnedAway;
                over = !granted || (withdrawal == null && !confirmed);
                if (over) {
                    cancelWithdrawal();
                }
            }
            if (over) {
                forget();
            }
            if (told) {
                return;
            } else if (acquisition != null) {
                answer.complete(acquisition);
            } else if (failure != null) {
                answer.completeExceptionally(failure);
            }
        }

        /**
         * Whether no caller can know of the grant but this one. One that is older than this call
         * was told to an earlier one, who may rely on it.
         */
        private boolean isNobodysYet(Acquisition.Granted granted) {
            Duration age = granted.grant().ttl().minus(granted.validity().remaining());
            return undelivered || age.toNanos() <= time.nanos() - start;
        }

        /** The caller is gone; what it asked for is nobody's, unless it is asked for again. */
        synchronized void depart() {
            boolean over = settled && underWay.get(key) != this;
            if (!over && withdrawal == null) {
                withdrawal = time.schedule(grace, this::withdraw);
            }
        }

        void forget() {
            underWay.remove(key, this);
        }

        private void cancelWithdrawal() {
            if (withdrawal != null) {
                withdrawal.cancel();
                withdrawal = null;
            }
        }

        private void withdraw() {
            synchronized (this) {
                if (withdrawal == null || !underWay.remove(key, this)) {
                    return;
                }
            }
            CompletionStage<Ending> unused = order.store().withdraw(order.request());
        }

        void turnAway() {
            synchronized (this) {
                if (settled || turnedAway) {
                    return;
                }
                turnedAway = true;
            }
            StoreUnavailableException stopping = Stopping.refusal();
            CompletionStage<?> unused = order.store()
                    .withdraw(order.request())
                    .whenComplete((ending, failure) -> answer.completeExceptionally(stopping));
        }
    }
}
