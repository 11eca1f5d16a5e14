// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.spi.Ending;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeaseStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** An engine in this process. */
final class EngineBackend implements Backend {

    private final LeaseStore store;
    private final CountDownLatch closed = new CountDownLatch(1);

    private EngineBackend(LeaseStore store) {
        this.store = store;
    }

    static EngineBackend open(CommandSpec spec, String address, String namespace) {
        try {
            return new EngineBackend(Engines.open(address, namespace));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public LeaseStore store() {
        return store;
    }

    @Override
    public Info info() {
        return new Info(Version.number(), store.guarantees(), false, Duration.ZERO, idOf(store));
    }

    private static String idOf(LeaseStore store) {
        return SameStore.idOf(store).map(StoreId::toString).orElse("");
    }

    @Override
    public Ending forceRelease(Scope scope, FencingToken token, String comment) {
        return Answers.await(store.forceRelease(scope, token));
    }

    @Override
    public void watch(
            Optional<Scope> overlapping,
            Consumer<LeaseEvent> listener,
            Consumer<LeaseholdException> interrupted) {
        LeaseEvents.Subscription subscription = store.subscribe(event -> {
            if (overlapping.isEmpty() || concerns(event, overlapping.get())) {
                listener.accept(event);
            }
        });
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            subscription.close();
        }
    }

    private static boolean concerns(LeaseEvent event, Scope scope) {
        return EventText.holding(event)
                .map(holding -> holding.claim().scopes().stream().anyMatch(scope::overlaps))
                .orElse(true);
    }

    @Override
    public void close() {
        closed.countDown();
        store.close();
    }
}
