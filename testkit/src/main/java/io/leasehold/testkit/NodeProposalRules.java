// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.RefusalReason;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvent.Change;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Polled;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Round;
import io.leasehold.spi.TokenState;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node takes the token that was proposed to it, as one acceptor of an agreement. */
abstract class NodeProposalRules extends NodeRules {

    @BeforeEach
    final void admit() {
        admit(0);
    }

    @Test
    void aLeaseTakesATokenAboveTheCounterAndTheCounterFollows() {
        Grant grant = grant(request("a"));
        assertThat(raise(grant, token(9), FIRST)).isEqualTo(RAISED);
        assertThat(counter()).isEqualTo(9);
        assertThat(grant(request("b")).token()).isEqualTo(token(10));
    }

    @Test
    void aTokenThatTheCounterHasPassedLeavesItWhereItIs() {
        Grant grant = grant(request("a"));
        admit(9);
        assertThat(raise(grant, token(5), FIRST)).isEqualTo(RAISED);
        assertThat(grant(request("b")).token()).isEqualTo(token(10));
    }

    @Test
    void theTokenThatALeaseHasIsTakenAgain() {
        Grant grant = grant(request("a"));
        assertThat(raise(grant, grant.token(), FIRST)).isEqualTo(RAISED);
        raise(grant, token(5), FIRST);
        grant(request("b"));
        assertThat(raise(grant, token(5), FIRST)).isEqualTo(RAISED);
    }

    @Test
    void whatANodeDrewItselfIsMarkedOnlyWhenItIsProposed() {
        LeaseRequest request = request("a");
        Polled<?> drawn = poll(request, FIRST);
        assertThat(drawn.state().draw()).isEqualTo(1);
        assertThat(drawn.state().mark()).isEqualTo(Round.NONE);
        Grant grant = grant(request);
        raise(grant, grant.token(), FIRST);
        assertState(request, new TokenState(1, FIRST, FIRST, 0));
    }

    @Test
    void aTokenOfARoundBeforeTheLastThatAskedIsNotTaken() {
        LeaseRequest request = request("a");
        Grant grant = grant(request);
        acquire(request, OF_ANOTHER);
        assertThat(raise(grant, token(9), FIRST)).isEqualTo(MISMATCH);
        assertThat(raise(grant, token(9), OF_ANOTHER)).isEqualTo(RAISED);
        assertThat(state(request).mark()).isEqualTo(OF_ANOTHER);
    }

    @Test
    void ofTwoRoundsWithOneNumberTheAttemptDecides() {
        LeaseRequest request = request("a");
        Grant grant = grant(request);
        acquire(request, new Round(FIRST.number(), FIRST.attempt() + 1));
        assertThat(raise(grant, token(9), FIRST)).isEqualTo(MISMATCH);
    }

    @Test
    void aTokenBelowTheNodesOwnDrawIsNotTakenUnlessItIsFinal() {
        admit(5);
        LeaseRequest request = request("a");
        Grant grant = grant(request);
        assertThat(raise(grant, token(5), FIRST)).isEqualTo(MISMATCH);
        assertThat(raise(grant, token(5), Round.FINAL)).isEqualTo(RAISED);
        assertThat(raise(grant, token(5), SECOND)).isEqualTo(RAISED);
        assertThat(state(request).mark()).isEqualTo(Round.FINAL);
    }

    @Test
    void aFinalTokenIsReplacedByNoOther() {
        Grant grant = grant(request("a"));
        raise(grant, grant.token(), Round.FINAL);
        assertThat(raise(grant, token(9), SECOND)).isEqualTo(MISMATCH);
        assertThat(counter()).isEqualTo(1);
    }

    @Test
    void aRotationBeginsTheAgreementAnewButKeepsTheRounds() {
        LeaseRequest request = request("a");
        Grant first = grant(request);
        raise(first, first.token(), SECOND);
        Polled<Rotation> polled = rotate(first, FIRST);
        Grant drawn = ((Rotation.Rotated) polled.answer()).grant();
        assertThat(drawn.token()).isEqualTo(token(4));
        assertThat(polled.state().draw()).isEqualTo(4);
        assertThat(polled.state().mark()).isEqualTo(Round.NONE);
        assertThat(polled.state().rotatedFrom()).isEqualTo(1);
        assertThat(raise(first, token(9), SECOND)).isEqualTo(MISMATCH);
        retract(request, SECOND);
        assertThat(raise(drawn, drawn.token(), FIRST)).isEqualTo(MISMATCH);
        assertThat(raise(drawn, drawn.token(), SECOND)).isEqualTo(RAISED);
    }

    @Test
    void aRotationShutsOutTheRoundsBeforeItsOwn() {
        Grant drawn = rotated(grant(request("a")), SECOND);
        assertThat(raise(drawn, drawn.token(), FIRST)).isEqualTo(MISMATCH);
        assertThat(raise(drawn, drawn.token(), SECOND)).isEqualTo(RAISED);
    }

    @Test
    void aRepeatedRotationShutsOutTheRoundsBeforeTheRepeat() {
        Grant first = grant(request("a"));
        Grant drawn = rotated(first, FIRST);
        assertThat(rotated(first, SECOND)).isEqualTo(drawn);
        assertThat(raise(drawn, drawn.token(), FIRST)).isEqualTo(MISMATCH);
        assertThat(raise(drawn, drawn.token(), SECOND)).isEqualTo(RAISED);
    }

    @Test
    void theWordThatATokenIsFinalComesTooLateAfterItsRotation() {
        Grant first = grant(request("a"));
        Grant drawn = rotated(first, FIRST);
        assertThat(raise(drawn, first.token(), Round.FINAL)).isEqualTo(MISMATCH);
        assertThat(raise(drawn, drawn.token(), Round.FINAL)).isEqualTo(RAISED);
    }

    @Test
    void aRotationCanBeRepeatedAfterItsTokenWasRaised() {
        Grant first = grant(request("a"));
        Grant drawn = rotated(first, FIRST);
        raise(drawn, token(9), FIRST);
        assertThat(rotated(first, FIRST).token()).isEqualTo(token(9));
    }

    @Test
    void aLeaseThatIsOverTakesNoToken() {
        Grant released = grant(request("a"));
        Answers.of(node().release(released));
        assertThat(raise(released, token(9), FIRST))
                .isEqualTo(new Refused(RefusalReason.NOT_FOUND));
        Grant expired = grant(brief("a"));
        passBrief();
        assertThat(raise(expired, token(9), FIRST)).isEqualTo(new Refused(RefusalReason.EXPIRED));
        assertThat(counter()).isEqualTo(4);
    }

    @Test
    void aTokenIsToldOnceWhenItIsTakenAndNotWhenItIsDrawn() throws InterruptedException {
        try (LeaseEvents.Subscription subscription = listen()) {
            LeaseRequest request = request("a");
            Grant drawn = grant(request);
            raise(drawn, drawn.token(), FIRST);
            raise(drawn, drawn.token(), FIRST);
            raise(drawn, token(9), FIRST);
            Grant raised = grant(request);
            Grant rotated = rotated(raised, FIRST);
            raise(rotated, token(15), FIRST);
            Grant last = grant(request);
            Answers.of(node().release(last));
            expect(Change.GRANTED, drawn);
            expect(Change.GRANTED, raised);
            expect(Change.ROTATED, last);
            expect(Change.RELEASED, last);
        }
    }

    /** But for when it was asked for, which a node need not tell. */
    private void assertState(LeaseRequest request, TokenState expected) {
        TokenState actual = state(request);
        assertThat(actual.draw()).isEqualTo(expected.draw());
        assertThat(actual.mark()).isEqualTo(expected.mark());
        assertThat(actual.rotatedFrom()).isEqualTo(expected.rotatedFrom());
    }
}
