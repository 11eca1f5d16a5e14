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
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is told of a token among many leases. */
final class ChecksTest {

    private static final int LEASES = 70_000;

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
}
