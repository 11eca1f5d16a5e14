// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvent.Change;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeaseRequest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An attempt takes back what it alone asked for, as if it had never asked. */
abstract class NodeRetractionRules extends NodeRules {

    @BeforeEach
    final void admit() {
        admit(0);
    }

    @Test
    void whatIsTakenBackMayComeAgain() {
        LeaseRequest request = request("a");
        acquire(request, FIRST);
        retract(request, FIRST);
        Grant other = grant(request("a"));
        retract(request, FIRST);
        assertHeld(acquire(request, SECOND));
        assertThat(Answers.of(node().release(other))).isEqualTo(ENDED);
        granted(acquire(request, SECOND));
    }

    @Test
    void whatALaterRoundHasGotIsNotTakenBackByALateMessage() {
        LeaseRequest request = request("a");
        acquire(request, FIRST);
        acquire(request, SECOND);
        retract(request, FIRST);
        assertHeld(acquire(request("a"), FIRST));

        LeaseRequest waiting = request("a");
        Pending first = queue(waiting, FIRST);
        Pending second = queue(waiting, SECOND);
        retract(waiting, FIRST);
        first.assertQueued();
        retract(waiting, SECOND);
        assertThat(first.answer()).isEqualTo(GONE);
        assertThat(second.answer()).isEqualTo(GONE);
    }

    @Test
    void whatTwoAttemptsAskedForIsTakenBackByNeither() {
        LeaseRequest request = request("a");
        acquire(request, FIRST);
        acquire(request, OF_ANOTHER);
        retract(request, OF_ANOTHER);
        retract(request, SECOND);
        assertHeld(acquire(request("a"), FIRST));

        LeaseRequest waiting = request("a");
        Pending first = queue(waiting, FIRST);
        queue(waiting, OF_ANOTHER);
        retract(waiting, OF_ANOTHER);
        retract(waiting, SECOND);
        settle();
        first.assertQueued();
    }

    @Test
    void whatWasRestoredIsTakenBackByNobody() {
        LeaseRequest request = request("a");
        restore(request, token(9));
        acquire(request, FIRST);
        retract(request, FIRST);
        granted(acquire(request, SECOND));
        assertThat(counter()).isEqualTo(9);
    }

    @Test
    void whatWasRotatedIsTakenBackByNobody() {
        LeaseRequest request = request("a");
        rotated(grant(request), FIRST);
        retract(request, SECOND);
        assertHeld(acquire(request("a"), FIRST));
    }

    @Test
    void whatIsTakenBackGoesToTheNextInLine() {
        LeaseRequest request = request("a");
        Grant drawn = grant(request);
        Pending next = queue(request("a"), FIRST);
        Pending last = queue(request("a"), FIRST);
        retract(request, FIRST);
        assertThat(next.grant().token()).isGreaterThan(drawn.token());
        last.assertQueued();
    }

    @Test
    void whoeverTakesItsPlaceInTheQueueBackMakesWayForThoseBehind() {
        grant(shared("a"));
        LeaseRequest waiting = request("a");
        Pending exclusive = queue(waiting, FIRST);
        Pending behind = queue(shared("a"), FIRST);
        retract(waiting, FIRST);
        assertThat(exclusive.answer()).isEqualTo(GONE);
        behind.grant();
    }

    @Test
    void whatIsTakenBackBeforeATokenWasTakenIsNotTold() throws InterruptedException {
        try (LeaseEvents.Subscription subscription = listen()) {
            LeaseRequest request = request("a");
            grant(request);
            Pending next = queue(request("a"), FIRST);
            retract(request, FIRST);
            raise(next.grant(), next.grant().token(), FIRST);
            expect(Change.GRANTED, next.grant());
        }
    }

    @Test
    void whatIsTakenBackAfterATokenWasTakenIsTold() throws InterruptedException {
        try (LeaseEvents.Subscription subscription = listen()) {
            LeaseRequest request = request("a");
            Grant drawn = grant(request);
            raise(drawn, drawn.token(), FIRST);
            retract(request, FIRST);
            expect(Change.GRANTED, drawn);
            expect(Change.RELEASED, drawn);
        }
    }
}
