// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.http.HttpLeaseStore;
import io.leasehold.cli.http.ServerApi;
import io.leasehold.cli.http.ServerWatch;
import io.leasehold.cli.json.JsonObject;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.Scope;
import io.leasehold.spi.Ending;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseStore;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** A server. */
final class ServerBackend implements Backend {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final ServerApi api;
    private final String namespace;
    private final HttpLeaseStore store;

    ServerBackend(ServerApi api, String namespace) {
        this.api = api;
        this.namespace = namespace;
        this.store = new HttpLeaseStore(api, namespace);
    }

    @Override
    public LeaseStore store() {
        return store;
    }

    @Override
    public Info info() {
        JsonObject info = api.info(namespace, PATIENCE);
        return new Info(
                info.text("version"),
                HttpLeaseStore.guarantees(info),
                info.flag("stopping"),
                info.duration("clockStep"),
                info.text("storeId"));
    }

    @Override
    public Ending forceRelease(Scope scope, FencingToken token, String comment) {
        return Answers.await(store.forceRelease(scope, token, comment));
    }

    @Override
    public void watch(
            Optional<Scope> overlapping,
            Consumer<LeaseEvent> listener,
            Consumer<LeaseholdException> interrupted) {
        String scope = overlapping.map(Scope::toString).orElse("");
        try (ServerWatch watch = new ServerWatch(api, namespace, scope)) {
            watch.onInterruption(interrupted).run(told -> told.event().ifPresent(listener));
        }
    }

    @Override
    public void close() {
        store.close();
    }
}
