// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import com.linecorp.armeria.server.ServerBuilder;

import io.leasehold.server.access.TokenAdministration;
import io.leasehold.server.api.Callers;
import io.leasehold.server.api.Health;
import io.leasehold.server.api.Operations;
import io.leasehold.server.api.Sessions;
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
     * @param sessions the streams of clients that have many calls under way
     * @param administration of the principals
     * @param health whether new work is taken
     * @param meters what is counted
     */
    record Parts(
            ServerOptions options,
            Operations operations,
            Callers callers,
            Sessions sessions,
            TokenAdministration administration,
            Supplier<CompletionStage<Health>> health,
            ServerMeters meters) {}
}
