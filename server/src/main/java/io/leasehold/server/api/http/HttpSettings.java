// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.linecorp.armeria.server.ServiceRequestContext;

import io.leasehold.server.access.Principal;
import io.leasehold.server.api.CallFailedException;
import io.leasehold.server.api.Health;
import io.leasehold.spi.Time;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import java.security.SecureRandom;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What the routes need besides the operations.
 *
 * @param callers tells who is asking, or throws a {@link CallFailedException} (UNAUTHENTICATED)
 * @param health whether the server takes new work, found out within seconds
 * @param meters what is told at {@code /metrics}
 * @param random where lease ids come from that a client left out
 * @param time for heartbeats
 * @param strangers whether requests are answered although nobody says who they are; then only such
 *     are taken that were made for an address of this machine, and not for a name that somebody
 *     made point here
 */
public record HttpSettings(
        Function<ServiceRequestContext, Principal> callers,
        Supplier<CompletionStage<Health>> health,
        PrometheusMeterRegistry meters,
        SecureRandom random,
        Time time,
        boolean strangers) {}
