// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static io.leasehold.model.RefusalReason.NOT_FOUND;
import static io.leasehold.model.RefusalReason.SCOPE_MISMATCH;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.Scope;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal.Renewed;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whoever sends requests for others takes back only what nobody else can rely on. */
@Tag("essential")
abstract class SenderRules extends ContractRules {

    private static final long ONE = 4711;
    private static final long OTHER = LeaseRequest.MAX_SENDER;

    /** What the answer is if only the sender can know of the request. */
    private void assertTakenBack(Ending answer) {
        if (contract().knowsSenders()) {
            assertThat(answer).isEqualTo(ENDED);
        } else {
            assertThat(answer).isInstanceOf(Refused.class);
        }
    }

    private static void assertRefused(Ending answer) {
        assertThat(answer).isInstanceOf(Refused.class);
    }

    @Test
    void aLeaseThatOnlyTheSenderAskedForIsTakenBack() {
        LeaseRequest request = alice.request("a").sentBy(ONE);
        Grant grant = alice.holds(request);
        assertThat(alice.holds(request)).isEqualTo(grant);
        assertTakenBack(alice.withdrawsUnlessUsed(request));
        if (contract().knowsSenders()) {
            assertThat(alice.renews(grant)).isEqualTo(refused(NOT_FOUND));
            assertThat(alice.tries(request)).isEqualTo(gone(NOT_FOUND));
            assertFree("a");
        }
    }

    @Test
    void aWaiterThatOnlyTheSenderAskedForIsTakenBack() {
        Grant held = alice.holds("a");
        LeaseRequest request = bob.patient(bob.request("a")).sentBy(ONE);
        Pending waiting = bob.waits(request);
        Pending behind = carol.waits("a");
        assertTakenBack(bob.withdrawsUnlessUsed(request));
        if (contract().knowsSenders()) {
            assertThat(waiting.answer()).isEqualTo(gone(NOT_FOUND));
            Pending again = bob.waits(request);
            alice.releases(held);
            bob.releases(behind.grant());
            again.grant();
        }
    }

    @Test
    void aLeaseThatAnotherSenderAskedForStays() {
        LeaseRequest request = alice.request("a");
        Grant grant = alice.holds(request.sentBy(ONE));
        assertThat(alice.holds(request.sentBy(OTHER))).isEqualTo(grant);
        assertRefused(alice.withdrawsUnlessUsed(request.sentBy(ONE)));
        assertRefused(alice.withdrawsUnlessUsed(request.sentBy(OTHER)));
        assertThat(alice.renews(grant)).isInstanceOf(Renewed.class);
    }

    @Test
    void anotherRequestUnderTheIdOfALeaseIsNoRepeatOfIt() {
        LeaseRequest request = alice.request("a").sentBy(ONE);
        alice.holds(request);
        for (Claim claim : List.of(
                Claim.exclusive(Scope.name("b")),
                Claim.exclusive(Scope.name("a"), Scope.name("b")),
                Claim.shared(Scope.name("a")))) {
            LeaseRequest other =
                    new LeaseRequest(request.id(), claim, request.holder(), request.terms(), OTHER);
            assertThat(alice.tries(other)).isEqualTo(gone(SCOPE_MISMATCH));
        }
        assertTakenBack(alice.withdrawsUnlessUsed(request));
    }

    @Test
    void aLeaseThatTheClientAskedForItselfStays() {
        LeaseRequest request = alice.request("a");
        Grant grant = alice.holds(request.sentBy(ONE));
        alice.holds(request);
        assertRefused(alice.withdrawsUnlessUsed(request.sentBy(ONE)));
        assertRefused(alice.withdrawsUnlessUsed(request));
        assertThat(alice.renews(grant)).isInstanceOf(Renewed.class);
    }

    @Test
    void aLeaseThatWasAskedForAgainAfterAnotherSenderStays() {
        LeaseRequest request = alice.request("a");
        Grant grant = alice.holds(request.sentBy(ONE));
        alice.holds(request.sentBy(OTHER));
        alice.holds(request.sentBy(ONE));
        assertRefused(alice.withdrawsUnlessUsed(request.sentBy(ONE)));
        assertThat(alice.renews(grant)).isInstanceOf(Renewed.class);
    }

    @Test
    void aWaiterThatAnotherSenderAskedForStays() {
        Grant held = alice.holds("a");
        LeaseRequest request = bob.patient(bob.request("a"));
        bob.waits(request.sentBy(ONE));
        Pending elsewhere = bob.waits(request.sentBy(OTHER));
        assertRefused(bob.withdrawsUnlessUsed(request.sentBy(ONE)));
        elsewhere.assertQueued();
        alice.releases(held);
        assertThat(bob.renews(elsewhere.grant())).isInstanceOf(Renewed.class);
    }

    @Test
    void aLeaseOfAWaiterThatTwoSendersAskedForStays() {
        Grant held = alice.holds("a");
        LeaseRequest request = bob.patient(bob.request("a"));
        bob.waits(request.sentBy(ONE));
        Pending elsewhere = bob.waits(request.sentBy(OTHER));
        alice.releases(held);
        Grant grant = elsewhere.grant();
        assertRefused(bob.withdrawsUnlessUsed(request.sentBy(ONE)));
        assertRefused(bob.withdrawsUnlessUsed(request.sentBy(OTHER)));
        assertThat(bob.renews(grant)).isInstanceOf(Renewed.class);
    }

    @Test
    void aLeaseOfAWaiterOfOneSenderIsTakenBack() {
        Grant held = alice.holds("a");
        LeaseRequest request = bob.patient(bob.request("a")).sentBy(ONE);
        Pending waiting = bob.waits(request);
        alice.releases(held);
        Grant grant = waiting.grant();
        assertTakenBack(bob.withdrawsUnlessUsed(request));
        if (contract().knowsSenders()) {
            assertThat(bob.renews(grant)).isEqualTo(refused(NOT_FOUND));
        }
    }

    @Test
    void aLeaseThatWasRenewedStays() {
        LeaseRequest request = alice.request("a").sentBy(ONE);
        Grant grant = alice.holds(request);
        assertThat(alice.renews(grant)).isInstanceOf(Renewed.class);
        assertRefused(alice.withdrawsUnlessUsed(request));
        assertThat(alice.renews(grant)).isInstanceOf(Renewed.class);
    }

    @Test
    void aLeaseThatWasRotatedStays() {
        LeaseRequest request = alice.request("a").sentBy(ONE);
        Grant grant = alice.rotated(alice.holds(request));
        assertRefused(alice.withdrawsUnlessUsed(request));
        assertThat(alice.renews(grant)).isInstanceOf(Renewed.class);
    }

    @Test
    void aRequestThatIsNotKnownMayStillCome() {
        LeaseRequest request = alice.request("a").sentBy(ONE);
        assertRefused(alice.withdrawsUnlessUsed(request));
        alice.holds(request);
    }

    @Test
    void theSuccessorOfWhatWasTakenBackStays() {
        LeaseRequest request = alice.request("a").sentBy(ONE);
        Grant grant = alice.holds(request);
        alice.releases(grant);
        Grant successor = bob.holds(bob.request("a").sentBy(ONE));
        alice.withdrawsUnlessUsed(request);
        assertThat(bob.renews(successor)).isInstanceOf(Renewed.class);
    }
}
