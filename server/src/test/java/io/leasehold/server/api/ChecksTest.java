// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.protocol.v1.CheckReply;
import io.leasehold.protocol.v1.CheckRequest;
import io.leasehold.server.access.Permission;
import io.leasehold.server.access.Principal;
import io.leasehold.server.engine.OpenedByTest;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What is told of a token among many leases. */
final class ChecksTest {

    private static final int LEASES = 70_000;
    private static final int READS = 8;

    private final LeaseStore store =
            MemoryLeaseStore.create(TableOptions.defaults(), VirtualTime.create());

    private FencingToken shared(int number, Scope scope) {
        LeaseRequest request = LeaseRequest.of(
                new LeaseId(7, number),
                Claim.shared(scope),
                new Holder("test"),
                Duration.ofHours(1));
        Acquisition answer = store.acquire(request).toCompletableFuture().join();
        return ((Acquisition.Granted) answer).grant().token();
    }

    @Test
    void theNewestTokenIsKnownAmongMoreLeasesThanSixtyFourPagesHave() {
        for (int i = 1; i <= LEASES; i++) {
            shared(i, Scope.path("/a/" + i));
        }
        FencingToken newest = shared(LEASES + 1, Scope.subtree("/a"));
        CheckReply reply = Checks.check(store, Scope.subtree("/a"), newest)
                .toCompletableFuture()
                .join();
        assertThat(reply.getStanding()).isEqualTo(CheckReply.Standing.CURRENT);
        assertThat(reply.getNewest()).isEqualTo(newest.value());
    }

    private static Caller caller(String name) {
        Principal principal = new Principal() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public boolean may(Permission permission, String namespace) {
                return true;
            }

            @Override
            public boolean mayEverywhere(Permission permission) {
                return true;
            }
        };
        return new Caller(principal, new CompletableFuture<>());
    }

    private static CompletableFuture<CheckReply> check(Operations operations, Caller caller) {
        CheckRequest request =
                CheckRequest.newBuilder().setScope("name:x").setToken(1).build();
        return operations.check(caller, request).toCompletableFuture();
    }

    @Test
    void onePrincipalHasAQuarterOfTheReadsForItsChecksAndKeepsOutNobodyElse() {
        Queue<Runnable> reads = new ArrayDeque<>();
        try (LeaseOperations operations = new LeaseOperations(
                OpenedByTest.namespaces(2, Runnable::run, name -> store),
                new OperationsOptions(
                        "test",
                        store.guarantees(),
                        new OperationsOptions.Bounds(10, 10, READS, 3, 16, Duration.ofSeconds(5)),
                        new OperationsOptions.Surroundings(
                                VirtualTime.create(), new Random(1), Runnable::run, reads::add)))) {
            List<CompletableFuture<CheckReply>> taken = new ArrayList<>();
            for (int i = 0; i < READS / 4; i++) {
                taken.add(check(operations, caller("greedy")));
            }
            for (int i = 0; i < READS; i++) {
                assertThat(check(operations, caller("greedy")))
                        .failsWithin(Duration.ZERO)
                        .withThrowableThat()
                        .withMessageContaining("greedy has 2 checks under way");
            }
            taken.add(check(operations, caller("another")));
            while (!reads.isEmpty()) {
                reads.remove().run();
            }
            assertThat(taken)
                    .allMatch(answer -> answer.isDone()
                            && answer.join().getStanding() != CheckReply.Standing.CURRENT);
            check(operations, caller("greedy"));
            assertThat(reads).hasSize(1);
        }
    }
}
