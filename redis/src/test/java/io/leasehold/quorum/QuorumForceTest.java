// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Refused;
import io.leasehold.spi.RenewalRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** A lease is taken from its holder by a client that is not the holder's, while nodes are in trouble. */
final class QuorumForceTest {

    private static final Scope A = Scope.name("a");
    private static final Duration TTL = Duration.ofSeconds(2);
    private static final Duration A_WHILE = Cluster.PATIENCE.multipliedBy(3);
    private static final Ending ENDED = new Ending.Ended();
    private static final Refused NOT_FOUND = new Refused(RefusalReason.NOT_FOUND);

    private long ids;

    @Test
    void aNodeThatIsDownMeanwhileDoesNotKeepTheLeaseAlive() {
        Cluster cluster = founded();
        QuorumLeaseStore holder = cluster.open(cluster.wires(), cluster.time());
        QuorumLeaseStore other = cluster.open(cluster.wires(), cluster.time());
        Grant grant = granted(cluster, holder, "a");
        cluster.node(2).crash(false);
        cluster.pass(A_WHILE);
        assertThat(cluster.await(other.forceRelease(A, grant.token()))).isEqualTo(ENDED);
        cluster.node(2).start();
        cluster.pass(A_WHILE);

        assertThat(cluster.await(holder.renew(RenewalRequest.of(grant, TTL)))).isEqualTo(NOT_FOUND);
        assertThat(granted(cluster, other, "a").token()).isGreaterThan(grant.token());
    }

    @Test
    void aNodeThatNeverHadTheLeaseIsNoReasonToAskTheOthersNoMore() {
        Cluster cluster = founded();
        QuorumLeaseStore holder = cluster.open(cluster.wires(), cluster.time());
        List<Wire> wires = cluster.wires();
        QuorumLeaseStore other = cluster.open(wires, cluster.time());
        Grant grant = grantedByTheFirstTwo(cluster, holder);
        cluster.await(other.list(LeaseQuery.all()));
        wires.get(1).slow(Cluster.PATIENCE.dividedBy(2));

        assertThat(cluster.await(other.forceRelease(A, grant.token()))).isEqualTo(ENDED);

        assertThat(listed(cluster, 0)).isEmpty();
        assertThat(listed(cluster, 1)).isEmpty();
    }

    @Test
    void aNodeThatEndedItDoesNotTakeItBackFromALateRepair() {
        Cluster cluster = founded();
        QuorumLeaseStore holder = cluster.open(cluster.wires(), cluster.time());
        QuorumLeaseStore other = cluster.open(cluster.wires(), cluster.time());
        Grant grant = granted(cluster, holder, "a");
        cluster.await(other.forceRelease(A, grant.token()));
        cluster.pass(A_WHILE);
        LeaseRequest lease = LeaseRequest.of(
                grant.id(), grant.holding().claim(), grant.holding().holder(), TTL);

        for (int i = 0; i < 3; i++) {
            assertThat(cluster.await(cluster.node(i).node().restore(lease, grant.token())))
                    .isEqualTo(new Acquisition.Gone(RefusalReason.NOT_FOUND));
        }
    }

    @Test
    void withoutAMajorityNobodyCanTell() {
        Cluster cluster = founded();
        QuorumLeaseStore holder = cluster.open(cluster.wires(), cluster.time());
        Grant grant = granted(cluster, holder, "a");
        cluster.pass(A_WHILE);
        cluster.node(0).crash(false);
        cluster.node(1).crash(false);

        assertThatThrownBy(() -> cluster.await(holder.forceRelease(A, grant.token())))
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(OutcomeUnknownException.class);

        cluster.node(0).start();
        cluster.node(1).start();
        cluster.pass(A_WHILE);
        granted(cluster, holder, "other"); // brings the nodes back in
        cluster.pass(A_WHILE);
        assertThat(cluster.await(holder.forceRelease(A, grant.token()))).isEqualTo(ENDED);
        assertThat(cluster.await(holder.forceRelease(A, grant.token()))).isEqualTo(NOT_FOUND);
    }

    /** The third node is there again and knows nothing of it. */
    private Grant grantedByTheFirstTwo(Cluster cluster, QuorumLeaseStore holder) {
        cluster.node(2).crash(false);
        Grant grant = granted(cluster, holder, "a");
        cluster.node(2).start();
        cluster.pass(A_WHILE);
        assertThat(listed(cluster, 2)).isEmpty();
        return grant;
    }

    private static List<?> listed(Cluster cluster, int node) {
        return cluster.await(cluster.node(node).node().list(LeaseQuery.all())).leases();
    }

    private static Cluster founded() {
        Cluster cluster = new Cluster(1, 3, 0, Weather.fair(), Safeguards.ALL);
        cluster.found();
        return cluster;
    }

    private Grant granted(Cluster cluster, QuorumLeaseStore store, String name) {
        LeaseRequest request = LeaseRequest.of(
                new LeaseId(7, ++ids), Claim.exclusive(Scope.name(name)), new Holder("test"), TTL);
        Acquisition answer =
                cluster.await(store.acquire(request.waitingAtMost(Duration.ofSeconds(1))));
        assertThat(answer).isInstanceOf(Granted.class);
        return ((Granted) answer).grant();
    }
}
