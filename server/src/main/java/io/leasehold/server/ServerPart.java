// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import com.linecorp.armeria.server.ServerBuilder;

import io.leasehold.server.access.TokenAdministration;
import io.leasehold.server.api.Callers;
import io.leasehold.server.api.Health;
import io.leasehold.server.api.Operations;
import io.leasehold.server.metrics.ServerMeters;

import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** A way in, or something else that is served at the port. */
@FunctionalInterface
interface ServerPart {

    void addTo(ServerBuilder server, Parts parts);

    /**
     * What ways in are made of.
     *
     * @param options as given
     * @param operations what they lead to
     * @param callers who comes in
     * @param administration of the principals
     * @param health whether new work is taken
     * @param meters what is counted
     */
    record Parts(
            ServerOptions options,
            Operations operations,
            Callers callers,
            TokenAdministration administration,
            Supplier<CompletionStage<Health>> health,
            ServerMeters meters) {}
}
