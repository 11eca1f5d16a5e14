// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LeaseholdOptions;
import io.leasehold.client.RemoteLeaseStore;
import io.leasehold.client.RemoteOptions;
import io.leasehold.server.access.AccessRule;
import io.leasehold.server.access.EdgeLimits;
import io.leasehold.server.access.Security;
import io.leasehold.server.access.TokenFile;
import io.leasehold.server.api.OperationsOptions;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseView;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.TestLength;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Clients that repeat what they wait for, on a server that has room for each of them once. */
@Isolated
final class RepeatedWaitersTest {

    private static final int WAITERS = TestLength.of(500, 3_500);
    private static final Duration PATIENCE = Duration.ofMillis(400);

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    /** Room for the waiters of one principal and one more. */
    private ServerOptions options(TokenFile tokens) {
        ServerOptions options = TestServer.options("memory");
        ServerOptions.Bounds bounds = options.bounds();
        OperationsOptions.Bounds calls = bounds.calls();
        return options.withBounds(new ServerOptions.Bounds(
                        new OperationsOptions.Bounds(
                                WAITERS + 1,
                                calls.others(),
                                calls.reads(),
                                calls.watches(),
                                calls.eventsKept(),
                                calls.grace()),
                        bounds.namespaces(),
                        bounds.drain()))
                .withLimits(EdgeLimits.defaults()
                        .withPrincipal(new EdgeLimits.PerPrincipal(WAITERS + 2, WAITERS + 1, 1)))
                .withSecurity(new Security(
                        Optional.of(tokens.path()), Optional.empty(), Optional.empty(), false));
    }

    @Test
    void waitersCountOnceForEveryLimitHoweverOftenTheyRepeat() {
        TokenFile tokens = TokenFile.at(directory.resolve("tokens"));
        String token = tokens.create("crowd", List.of(AccessRule.parse("*=acquire,read")));
        try (LeaseholdServer server = LeaseholdServer.start(options(tokens));
                RemoteLeaseStore store = RemoteLeaseStore.connect(
                        RemoteOptions.at("leasehold://127.0.0.1:" + server.port())
                                .withToken(token));
                Leasehold leasehold = Leasehold.on(
                        store,
                        LeaseholdOptions.defaults().withPatience(PATIENCE).withStoreLeftOpen())) {
            Lease held = leasehold.lock("lock").acquire(RealTime.PATIENCE);
            List<CompletableFuture<Lease>> waiting = new ArrayList<>();
            for (int i = 0; i < WAITERS; i++) {
                waiting.add(leasehold.lock("lock").acquireAsync(RealTime.PATIENCE));
            }
            RealTime.until("all wait", () -> waiters(store) == WAITERS);
            RealTime.pass(PATIENCE.multipliedBy(5));
            assertThat(waiting).noneMatch(CompletableFuture::isDone);
            leasehold.lock("other").acquire(RealTime.PATIENCE).close();
            assertThat(held.isValid()).isTrue();
            waiting.forEach(lease -> lease.cancel(false));
        }
    }

    private static int waiters(RemoteLeaseStore store) {
        return RealTime.answer(store.list(LeaseQuery.all())).leases().stream()
                .mapToInt(LeaseView::waiters)
                .sum();
    }
}
