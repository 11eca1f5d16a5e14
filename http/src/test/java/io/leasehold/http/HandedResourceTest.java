// SPDX-License-Identifier: Apache-2.0
package io.leasehold.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.leasehold.guard.MemoryGuard;
import io.leasehold.model.FencingToken;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When and how a handler gets at the resource of the guard in front of it. */
final class HandedResourceTest {

    private final StringBuilder text = new StringBuilder();
    private final FencingFilter filter =
            FencingFilter.guardingWrites(MemoryGuard.around("ledger/1", text));
    private final List<Object> seen = new ArrayList<>(); // by one request at a time

    @Test
    void aResourceOfAnotherTypeIsNamed() {
        send(
                filter,
                request -> assertThatIllegalArgumentException()
                        .isThrownBy(() -> FencingFilter.resource(request, List.class))
                        .withMessage(
                                "the guard of this request hands over a java.lang.StringBuilder,"
                                        + " which is no java.util.List"));
    }

    @Test
    void behindAnAdmissionOnlyThereIsNoResource() {
        send(
                filter.withAdmissionOnly(),
                request -> seen.add(FencingFilter.resource(request, Object.class)));
        assertThat(seen).containsExactly(Optional.empty());
    }

    @Test
    void withoutAGuardThereIsNoResource() {
        send(
                FencingFilter.guarding(request -> Optional.empty()),
                request -> seen.add(FencingFilter.resource(request, Object.class)));
        assertThat(seen).containsExactly(Optional.empty());
    }

    @Test
    void theResourceIsGoneWhenTheHandlerHasReturned() {
        Filter outside = (request, response, chain) -> {
            filter.doFilter(request, response, chain);
            seen.add(FencingFilter.resource(request, Object.class));
        };
        send(outside, request -> seen.add(FencingFilter.resource(request, StringBuilder.class)));
        assertThat(seen).containsExactly(Optional.of(text), Optional.empty());
    }

    @Test
    void ofTwoFiltersTheInnerOneHandsOver() {
        FencingFilter inner = FencingFilter.guardingWrites(MemoryGuard.around("all", "inner"));
        Filter both =
                (request, response, chain) -> filter.doFilter(request, response, (again, same) -> {
                    inner.doFilter(again, same, chain);
                    seen.add(FencingFilter.resource(again, Object.class));
                });
        send(both, request -> seen.add(FencingFilter.resource(request, Object.class)));
        assertThat(seen).containsExactly(Optional.of("inner"), Optional.of(text));
    }

    private interface Look {
        void at(ServletRequest request);
    }

    /** Sends a request through the filter to a handler that has a look at it. */
    private static void send(Filter filter, Look look) {
        Ledgers ledgers = new Ledgers((request, response) -> look.at(request));
        try (Server server = Server.start(filter, ledgers)) {
            var request = FencingHeaders.set(server.put("/1", ""), new FencingToken(7));
            assertThat(server.send(request).statusCode()).isEqualTo(200);
        }
    }
}
