// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.engine;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Guarantees;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Time;
import io.leasehold.spi.TokenCheck;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A store that knows whether somebody uses it: a call has no answer yet, or there is a subscription.
 * Once it was {@linkplain #retire retired}, calls go to the store that is open in its place. Thread-safe.
 */
final class CountedStore implements LeaseStore {

    private final LeaseStore store;
    private final Time time;
    private final Function<Namespaces.Use, CompletionStage<LeaseStore>> successor;
    private long lastUsed; // this and the rest are guarded by this
    private long uses;
    private int users;
    private boolean retired;

    /** Counts the uses of the store, which begin now. */
    CountedStore(
            LeaseStore store,
            Time time,
            Function<Namespaces.Use, CompletionStage<LeaseStore>> successor) {
        this.store = store;
        this.time = time;
        this.successor = successor;
        this.lastUsed = time.nanos();
    }

    /** The store itself, whose use does not count. */
    LeaseStore uncounted() {
        return store;
    }

    /** For how long nobody has used it; empty if somebody does. */
    synchronized Optional<Duration> unused() {
        return users == 0 && !retired
                ? Optional.of(Duration.ofNanos(time.nanos() - lastUsed))
                : Optional.empty();
    }

    /**
     * How often it was used until now; with that it counts as looked at. Empty if somebody uses it:
     * what such a call does may come after the look.
     */
    synchronized OptionalLong look() {
        lastUsed = time.nanos();
        return users == 0 && !retired ? OptionalLong.of(uses) : OptionalLong.empty();
    }

    /** Turns away all further calls if nobody has used it since that look; whether that is so. */
    synchronized boolean retire(long look) {
        retired = uses == look && users == 0;
        return retired;
    }

    private <T> CompletionStage<T> call(Function<LeaseStore, CompletionStage<T>> call) {
        return call(Namespaces.Use.CHANGE, call);
    }

    private <T> CompletionStage<T> call(
            Namespaces.Use use, Function<LeaseStore, CompletionStage<T>> call) {
        if (!begin()) {
            return successor.apply(use).thenCompose(call);
        }
        try {
            return call.apply(store).whenComplete((answer, failure) -> end());
        } catch (RuntimeException | Error e) {
            end();
            throw e;
        }
    }

    private synchronized boolean begin() {
        if (!retired) {
            users++;
            uses++;
        }
        return !retired;
    }

    private synchronized void end() {
        users--;
        lastUsed = time.nanos();
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return call(open -> open.acquire(request));
    }

    @Override
    public CompletionStage<Ending> withdraw(LeaseRequest request) {
        return call(open -> open.withdraw(request));
    }

    @Override
    public CompletionStage<Ending> withdrawUnlessUsed(LeaseRequest request) {
        return call(open -> open.withdrawUnlessUsed(request));
    }

    @Override
    public CompletionStage<Renewal> renew(RenewalRequest request) {
        return call(open -> open.renew(request));
    }

    @Override
    public CompletionStage<List<Renewal>> renewAll(List<RenewalRequest> requests) {
        return call(open -> open.renewAll(requests));
    }

    @Override
    public CompletionStage<Rotation> rotate(Grant grant) {
        return call(open -> open.rotate(grant));
    }

    @Override
    public CompletionStage<Ending> release(Grant grant) {
        return call(open -> open.release(grant));
    }

    @Override
    public CompletionStage<Ending> complete(Grant grant, LeaseRecord record, Duration keepFor) {
        return call(open -> open.complete(grant, record, keepFor));
    }

    @Override
    public CompletionStage<Ending> forceRelease(Scope scope, FencingToken token) {
        return call(open -> open.forceRelease(scope, token));
    }

    @Override
    public CompletionStage<LeasePage> list(LeaseQuery query) {
        return call(Namespaces.Use.READ, open -> open.list(query));
    }

    @Override
    public CompletionStage<TokenCheck> check(Scope scope, FencingToken token) {
        return call(Namespaces.Use.READ, open -> open.check(scope, token));
    }

    /** A subscription is a use until it is closed. */
    @Override
    public LeaseEvents.Subscription subscribe(LeaseEvents listener) {
        if (!begin()) {
            throw new StoreUnavailableException(
                    "the namespace was closed because nobody used it: try again");
        }
        LeaseEvents.Subscription subscription;
        try {
            subscription = store.subscribe(listener);
        } catch (RuntimeException | Error e) {
            end();
            throw e;
        }
        AtomicBoolean open = new AtomicBoolean(true);
        return () -> {
            if (open.compareAndSet(true, false)) {
                subscription.close();
                end();
            }
        };
    }

    @Override
    public Guarantees guarantees() {
        return store.guarantees();
    }

    /** Not a use: a namespace has the same id when it is open again. */
    @Override
    public CompletionStage<StoreId> storeId() {
        return store.storeId();
    }

    @Override
    public LeaseEvents.Subscription onStoreChange(Consumer<StoreId> listener) {
        return store.onStoreChange(listener);
    }

    @Override
    public void close() {
        store.close();
    }
}
