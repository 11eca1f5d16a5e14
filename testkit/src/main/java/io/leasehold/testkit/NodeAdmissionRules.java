// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.NodeRecord;
import io.leasehold.spi.NodeStanding;
import io.leasehold.spi.NodeStanding.Membership;
import io.leasehold.spi.QuorumNode;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Round;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A node takes part once it was admitted as it is, and counts from the floor that it was given. */
abstract class NodeAdmissionRules extends NodeRules {

    @Test
    void whoeverWasNotAdmittedAnswersNothingAndChangesNothing() {
        LeaseRequest request = request("a");
        NodeStanding before = standing();
        assertThat(before.membership()).isEmpty();
        operations(request)
                .forEach((name, operation) -> assertThatExceptionOfType(
                                StoreUnavailableException.class)
                        .as(name)
                        .isThrownBy(() -> Answers.of(operation.get())));
        assertThat(standing().counter()).isEqualTo(before.counter());
        assertThat(standing().generation()).isEqualTo(before.generation());
        admit(0);
        assertThat(grant(request).token()).isEqualTo(token(1));
    }

    private Map<String, Supplier<CompletionStage<?>>> operations(LeaseRequest request) {
        QuorumNode node = node();
        Grant grant = grantOf(request, 1);
        Scope scope = request.claim().scopes().get(0);
        Map<String, Supplier<CompletionStage<?>>> all = new TreeMap<>();
        all.put("acquire", () -> node.acquire(request));
        all.put("acquire in a round", () -> node.acquire(request, FIRST));
        all.put("withdraw", () -> node.withdraw(request));
        all.put("renew", () -> node.renew(RenewalRequest.of(grant, TTL)));
        all.put("renewAll", () -> node.renewAll(List.of(RenewalRequest.of(grant, TTL))));
        all.put("rotate", () -> node.rotate(grant));
        all.put("rotate in a round", () -> node.rotate(grant, FIRST));
        all.put("release", () -> node.release(grant));
        all.put("forceRelease", () -> node.forceRelease(scope, grant.token()));
        all.put("complete", () -> node.complete(grant, LeaseRecord.of("r"), TTL));
        all.put("list", () -> node.list(LeaseQuery.all()));
        all.put("raise", () -> node.raise(grant, token(9), Round.FINAL));
        all.put("restore", () -> node.restore(request, token(9)));
        all.put("retract", () -> node.retract(request, FIRST));
        all.put("record", () -> node.record(scope));
        all.put("records", () -> node.records(NodeRecord.Page.FIRST));
        return all;
    }

    @Test
    void anAdmissionSetsTheQuorumAndTheFloor() {
        NodeStanding admitted = admit(20);
        assertThat(admitted.isOf(MEMBERSHIP)).isTrue();
        assertThat(admitted.counter()).isEqualTo(20);
        assertThat(grant(request("a")).token()).isEqualTo(token(22));
    }

    @Test
    void anAdmissionMeantForAnotherGenerationDoesNothing() {
        NodeStanding before = standing();
        NodeStanding after = admit(MEMBERSHIP, before.generation() + 1, 20);
        assertThat(after.membership()).isEmpty();
        assertThat(after.generation()).isEqualTo(before.generation());
        assertThat(after.counter()).isEqualTo(before.counter());
    }

    @Test
    void aNodeOfAnotherQuorumStaysThere() {
        admit(4);
        Membership other = new Membership("other", 3, 1);
        NodeStanding after = admit(other, standing().generation(), 20);
        assertThat(after.isOf(MEMBERSHIP)).isTrue();
        assertThat(after.counter()).isEqualTo(4);
        NodeStanding moved = admit(new Membership("q", 3, 2), after.generation(), 20);
        assertThat(moved.isOf(MEMBERSHIP)).isTrue();
        assertThat(grant(request("a")).token()).isEqualTo(token(7));
    }

    @Test
    void anAdmissionThatIsRepeatedOnlyRaisesTheFloor() {
        admit(20);
        Grant grant = grant(request("a"));
        assertThat(admit(5).counter()).isEqualTo(22);
        assertThat(admit(30).counter()).isEqualTo(30);
        assertThat(Answers.of(node().release(grant))).isEqualTo(ENDED);
    }

    @Test
    void tokensAreThoseThatNoOtherNodeDraws() {
        admit(0);
        assertThat(grant(request("a")).token()).isEqualTo(token(1));
        assertThat(grant(request("b")).token()).isEqualTo(token(4));
        admit(6);
        assertThat(grant(request("c")).token()).isEqualTo(token(7));
        admit(8);
        assertThat(grant(request("d")).token()).isEqualTo(token(10));
    }
}
