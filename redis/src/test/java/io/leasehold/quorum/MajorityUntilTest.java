// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A lease is held for as long as a majority holds it, and not for as long as the last node does. */
final class MajorityUntilTest {

    @Test
    void theEndIsThatOfTheMajority() {
        assertThat(Settlement.majorityUntil(List.of(30L, 10L, 20L), 2)).isEqualTo(20);
        assertThat(Settlement.majorityUntil(List.of(30L, 10L), 2)).isEqualTo(10);
        assertThat(Settlement.majorityUntil(List.of(5L, 1L, 4L, 2L, 3L), 3)).isEqualTo(3);
    }

    @Test
    void clocksMayOverflow() {
        long near = Long.MAX_VALUE - 5;
        assertThat(Settlement.majorityUntil(List.of(near, near + 10, near + 20), 2))
                .isEqualTo(near + 10);
    }

    @Test
    void whatOnlyOneNodeRenewedIsNotLeft() {
        Cluster cluster = new Cluster(1, 3, 0, Weather.fair(), Safeguards.ALL);
        cluster.found();
        QuorumLeaseStore store = cluster.open(cluster.wires(), cluster.time());
        Duration ttl = Duration.ofSeconds(2);
        LeaseRequest request = LeaseRequest.of(
                new LeaseId(1, 1), Claim.exclusive(Scope.name("a")), new Holder("test"), ttl);
        Granted first = (Granted) cluster.await(store.acquire(request));
        cluster.pass(ttl.dividedBy(2));
        cluster.node(1).crash(false);
        cluster.node(2).crash(false);
        CompletableFuture<Renewal> renewal =
                store.renew(RenewalRequest.of(first.grant(), ttl)).toCompletableFuture();
        cluster.pass(Cluster.PATIENCE.multipliedBy(2));
        assertThat(renewal).isCompletedExceptionally();
        cluster.node(1).start();
        cluster.node(2).start();
        cluster.pass(Cluster.PATIENCE);

        Granted repeated = (Granted) cluster.await(store.acquire(request));

        assertThat(repeated.validity().remaining()).isLessThan(ttl.dividedBy(2));
    }
}
