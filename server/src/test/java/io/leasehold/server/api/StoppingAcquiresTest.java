// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.RequestHeaders;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.server.access.Access;
import io.leasehold.server.access.Principal;
import io.leasehold.server.engine.OpenedByTest;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseStore;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What becomes of an acquire that came before a stop and is not in its store yet. */
final class StoppingAcquiresTest {

    private static final Principal ANYONE =
            Access.open().identify(RequestHeaders.of(HttpMethod.GET, "/"), null);

    private final VirtualTime time = VirtualTime.create();
    private final LeaseStore store = MemoryLeaseStore.create(TableOptions.defaults(), time);
    private final Queue<Runnable> openings = new ArrayDeque<>();
    private final LeaseOperations operations = new LeaseOperations(
            OpenedByTest.namespaces(2, openings::add, name -> store),
            new OperationsOptions(
                    "test",
                    store.guarantees(),
                    OperationsOptions.Bounds.defaults(),
                    new OperationsOptions.Surroundings(
                            time, new SplittableRandom(18), Runnable::run)));

    @Test
    void anAcquireWhoseNamespaceIsOpenedDuringAStopIsNotGranted() {
        CompletableFuture<AcquireReply> asked = operations
                .acquire(
                        new Caller(ANYONE, new Delivery()),
                        AcquireRequest.newBuilder()
                                .setLeaseId("0".repeat(31) + "1")
                                .setHolder("test")
                                .addScopes("name:lock")
                                .build())
                .toCompletableFuture();
        assertThat(asked).isNotDone();
        operations.stopGranting();
        openings.remove().run();
        Throwable told = asked.handle((reply, failure) -> failure).join();
        assertThat(((CallFailedException) told).failure().getKind())
                .isEqualTo(Failure.Kind.UNAVAILABLE);
        LeasePage page = store.list(LeaseQuery.all()).toCompletableFuture().join();
        assertThat(page.leases()).isEmpty();
    }
}
