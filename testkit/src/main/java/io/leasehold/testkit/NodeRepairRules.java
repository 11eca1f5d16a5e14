// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvent.Change;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Round;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node that missed a lease, or its token, gets both from a repair, and nothing that is over. */
abstract class NodeRepairRules extends NodeRules {

    @BeforeEach
    final void admit() {
        admit(0);
    }

    @Test
    void aLeaseIsRestoredUnderItsTokenWithoutADraw() {
        LeaseRequest request = request("a");
        Granted restored = granted(restore(request, token(9)));
        assertThat(restored.grant().token()).isEqualTo(token(9));
        assertThat(counter()).isEqualTo(9);
        assertThat(state(request).mark()).isEqualTo(Round.FINAL);
        assertThat(state(request).draw()).isZero();
        assertThat(grant(request("b")).token()).isEqualTo(token(10));
    }

    @Test
    void aLeaseThatIsThereTakesTheTokenAndTheCounterFollows() {
        LeaseRequest request = request("a");
        Grant drawn = grant(request);
        assertThat(granted(restore(request, token(9))).grant().token()).isEqualTo(token(9));
        assertThat(counter()).isEqualTo(9);
        assertThat(state(request).mark()).isEqualTo(Round.FINAL);
        assertThat(raise(drawn, token(12), SECOND)).isEqualTo(MISMATCH);
        Grant agreed = grant(request);
        assertThat(agreed.token()).isEqualTo(token(9));
        assertThat(grant(request("b")).token()).isEqualTo(token(10));
        assertThat(Answers.of(node().release(agreed))).isEqualTo(ENDED);
    }

    @Test
    void nothingElseOfALeaseThatIsThereChanges() {
        LeaseRequest request = request("a");
        grant(request);
        passBrief();
        Granted restored = granted(restore(request, token(9)));
        assertLeft(restored.validity().remaining(), TTL.minus(BRIEF));
        assertThat(restored.version()).isEqualTo(1);
    }

    @Test
    void aFinalTokenIsRestoredAlsoBelowTheDraw() {
        admit(5);
        LeaseRequest request = request("a");
        grant(request);
        assertThat(granted(restore(request, token(5))).grant().token()).isEqualTo(token(5));
        assertThat(state(request).mark()).isEqualTo(Round.FINAL);
        assertThat(counter()).as("it never goes back").isEqualTo(7);
    }

    @Test
    void aLateRepairDoesNotReviveWhatWasEnded() {
        assertNotRevived((request, grant) -> node().release(grant));
        assertNotRevived((request, grant) -> node().withdraw(request));
        assertNotRevived((request, grant) -> node().complete(grant, LeaseRecord.of("r"), TTL));
        assertNotRevived((request, grant) ->
                node().forceRelease(request.claim().scopes().get(0), grant.token()));
    }

    private void assertNotRevived(BiFunction<LeaseRequest, Grant, CompletionStage<Ending>> ending) {
        LeaseRequest request = request("a");
        Grant grant = grant(request);
        assertThat(Answers.of(ending.apply(request, grant))).isEqualTo(ENDED);
        assertThat(restore(request, grant.token())).isEqualTo(GONE);
        Grant next = grant(request("a"));
        assertThat(Answers.of(node().release(next))).isEqualTo(ENDED);
    }

    @Test
    void aLeaseThatWasRestoredAndEndedIsNotRevivedEither() {
        LeaseRequest request = request("a");
        Granted restored = granted(restore(request, token(9)));
        assertThat(Answers.of(node().release(restored.grant()))).isEqualTo(ENDED);
        assertThat(restore(request, token(9))).isEqualTo(GONE);
    }

    @Test
    void aLeaseThatRanOutHereIsRestored() {
        LeaseRequest request = brief("a");
        Grant grant = grant(request);
        passBrief();
        assertThat(granted(restore(request, grant.token())).grant().token())
                .isEqualTo(grant.token());
    }

    @Test
    void aLeaseIsNotRestoredWhereAnotherStandsInTheWay() {
        grant(request("a"));
        assertHeld(restore(request("a"), token(9)));
        assertThat(counter()).isEqualTo(1);
    }

    @Test
    void aLeaseIsNotRestoredIntoTheLockDelayOfAnother() {
        grant(brief("a").withLockDelay(LOCK_DELAY));
        passBrief();
        assertHeld(restore(request("a"), token(9)));
    }

    @Test
    void whoeverWaitsIsNotInTheWayOfARepair() {
        grant(shared("a"));
        Pending waiter = queue(request("a"), FIRST);
        granted(restore(shared("a"), token(9)));
        waiter.assertQueued();
    }

    @Test
    void aRequestThatWaitsIsAnsweredWithTheLeaseThatIsRestoredForItAndGetsNoSecondOne() {
        Grant reader = grant(shared("a"));
        LeaseRequest writing = request("a").waitingAtMost(TTL);
        Pending writer = queue(writing, FIRST);
        LeaseRequest request = shared("a").waitingAtMost(TTL);
        Pending waiter = queue(request, FIRST);
        Grant restored = granted(restore(request, token(9))).grant();
        assertThat(waiter.grant()).isEqualTo(restored);
        writer.assertQueued();
        assertThat(Answers.of(node().release(restored))).isEqualTo(ENDED);
        assertThat(Answers.of(node().withdraw(writing))).isEqualTo(ENDED);
        assertThat(Answers.of(node().release(reader))).isEqualTo(ENDED);
        assertThat(Answers.of(node().list(LeaseQuery.all())).leases()).isEmpty();
    }

    @Test
    void whoeverWaitedBehindARequestThatIsRestoredIsServedWhenItsLeaseRunsOut() {
        Grant reader = grant(shared("a"));
        LeaseRequest writing = request("a").waitingAtMost(TTL);
        queue(writing, FIRST);
        LeaseRequest request = briefShared("a");
        queue(request, FIRST);
        Pending last = queue(request("a"), FIRST);
        granted(restore(request, token(9)));
        assertThat(Answers.of(node().withdraw(writing))).isEqualTo(ENDED);
        assertThat(Answers.of(node().release(reader))).isEqualTo(ENDED);
        last.assertQueued();
        passBrief();
        last.grant();
    }

    @Test
    void aLeaseIsNotRestoredForAnotherRequestThanTheOneThatWaitsUnderItsId() {
        grant(request("a"));
        LeaseRequest waiting = request("a");
        Pending waiter = queue(waiting, FIRST);
        LeaseRequest other = LeaseRequest.of(
                waiting.id(), Claim.exclusive(Scope.name("b")), waiting.holder(), TTL);
        assertThat(restore(other, token(9)))
                .isEqualTo(new Acquisition.Gone(RefusalReason.SCOPE_MISMATCH));
        waiter.assertQueued();
    }

    @Test
    void aLateRepairDoesNotTakeARotationBack() {
        LeaseRequest request = request("a");
        Grant first = grant(request);
        Grant drawn = rotated(first, FIRST);
        raise(drawn, drawn.token(), FIRST);
        assertThat(granted(restore(request, first.token())).grant().token())
                .isEqualTo(drawn.token());
    }

    @Test
    void aRepairWithAnOlderTokenDoesNotReplaceAFinalOne() {
        LeaseRequest request = request("a");
        restore(request, token(9));
        assertThat(granted(restore(request, token(6))).grant().token()).isEqualTo(token(9));
    }

    @Test
    void aRotationThatCameToNothingIsTakenBackByTheRepair() {
        LeaseRequest request = request("a");
        Grant first = grant(request);
        Grant drawn = rotated(first, FIRST);
        assertThat(granted(restore(request, first.token())).grant().token())
                .isEqualTo(first.token());
        assertThat(raise(drawn, drawn.token(), FIRST)).isEqualTo(MISMATCH);
    }

    @Test
    void aRepairIsToldAsAGrantUnderTheTokenAgreedOn() throws InterruptedException {
        try (LeaseEvents.Subscription subscription = listen()) {
            Grant entered = granted(restore(request("a"), token(9))).grant();
            LeaseRequest request = request("b");
            grant(request);
            Grant agreed = granted(restore(request, token(12))).grant();
            restore(request, token(12));
            Answers.of(node().release(agreed));
            expect(Change.GRANTED, entered);
            expect(Change.GRANTED, agreed);
            expect(Change.RELEASED, agreed);
        }
    }

    @Test
    void aRecordThatALeaseReplacesIsNoObstacle() {
        LeaseRequest request = request("a");
        Grant before = grant(request("a"));
        Answers.of(node().complete(before, LeaseRecord.of("r"), TTL));
        assertThat(restore(request, token(9))).isInstanceOf(Granted.class);
        assertThat(Answers.of(node().record(Scope.name("a")))).isPresent();
        assertThat(acquire(request("a"), FIRST)).isInstanceOf(Acquisition.Held.class);
    }
}
