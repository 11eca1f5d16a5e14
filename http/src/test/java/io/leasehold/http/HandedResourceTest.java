// SPDX-License-Identifier: Apache-2.0
package io.leasehold.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.leasehold.guard.MemoryGuard;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
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

    @Test
    void backBehindAFilterThatWasPassedItsResourceIsHandedOverAgain() {
        FencingFilter inner = FencingFilter.guardingWrites(MemoryGuard.around("all", "inner"));
        Filter thrice = (request, response, chain) -> filter.doFilter(
                request,
                response,
                (again, same) -> inner.doFilter(again, same, (third, last) -> {
                    filter.doFilter(third, last, chain);
                    seen.add(FencingFilter.resource(third, Object.class));
                }));
        send(thrice, request -> {
            seen.add(FencingFilter.resource(request, Object.class));
            seen.add(FencingFilter.admission(request).orElseThrow().target());
        });
        assertThat(seen)
                .containsExactly(Optional.of(text), Scope.name("ledger/1"), Optional.of("inner"));
    }

    @Test
    void theAdmissionIsGoneWhenTheHandlerHasReturned() {
        for (FencingFilter either : List.of(filter, filter.withAdmissionOnly())) {
            Filter outside = (request, response, chain) -> {
                either.doFilter(request, response, chain);
                seen.add(FencingFilter.admission(request));
            };
            send(
                    outside,
                    request -> assertThat(FencingFilter.admission(request)).isPresent());
        }
        assertThat(seen).containsExactly(Optional.empty(), Optional.empty());
    }

    @Test
    void aRefusedRequestHasNoAdmission() {
        MemoryGuard<String> guard = MemoryGuard.around("ledger/1", "");
        guard.admit(new FencingToken(8));
        FencingFilter refusing = FencingFilter.guardingWrites(guard);
        for (FencingFilter either : List.of(refusing, refusing.withAdmissionOnly())) {
            Filter outside = (request, response, chain) -> {
                either.doFilter(request, response, chain);
                seen.add(FencingFilter.admission(request));
            };
            try (Server server = Server.start(outside, new Ledgers())) {
                var request = FencingHeaders.set(server.put("/1", ""), new FencingToken(7));
                assertThat(server.send(request).statusCode()).isEqualTo(409);
            }
        }
        assertThat(seen).containsExactly(Optional.empty(), Optional.empty());
    }

    @Test
    void aHandlerThatGoesOnAsynchronouslyKeepsItsAdmission() {
        CountDownLatch returned = new CountDownLatch(1);
        FencingFilter admitting = filter.withAdmissionOnly();
        Filter outside = (request, response, chain) -> {
            try {
                admitting.doFilter(request, response, chain);
            } finally {
                returned.countDown();
            }
        };
        send(outside, request -> {
            AsyncContext context = request.startAsync();
            context.start(() -> {
                try {
                    returned.await();
                    seen.add(FencingFilter.admission(request).isPresent());
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                } finally {
                    context.complete();
                }
            });
        });
        assertThat(seen).containsExactly(true);
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
