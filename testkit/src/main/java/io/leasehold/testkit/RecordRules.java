// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static io.leasehold.model.RefusalReason.NOT_FOUND;
import static io.leasehold.model.RefusalReason.NOT_HOLDER;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Acquisition.Completed;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Refused;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A holder publishes a record with its request and leaves one behind with its completion. */
@Tag("essential")
abstract class RecordRules extends ContractRules {

    private static final LeaseRecord ADDRESS = LeaseRecord.of("10.0.0.7:8080");

    @Test
    void aSecondCompletionWithAnotherRecordIsRefused() {
        Grant grant = alice.holds("a");
        assertThat(alice.completes(grant, "one", ttl())).isEqualTo(ENDED);
        assertThat(alice.completes(grant, "two", ttl())).isEqualTo(refused(NOT_FOUND));
        assertThat(alice.completes(grant, "one", ttl().multipliedBy(2)))
                .isEqualTo(refused(NOT_FOUND));
        assertThat(alice.completes(grant, "one", ttl())).isEqualTo(ENDED);
        assertThat(listed())
                .singleElement()
                .satisfies(row -> assertThat(row.record()).contains(LeaseRecord.of("one")));
    }

    @Test
    void aSecondCompletionIsToldFromARepeatThoughAnotherHoldsTheScopeNow() {
        Grant grant = alice.holds("a");
        alice.completes(grant, "one", ttl());
        bob.holds("a");
        assertThat(alice.completes(grant, "one", ttl())).isEqualTo(ENDED);
        assertThat(alice.completes(grant, "two", ttl())).isEqualTo(refused(NOT_HOLDER));
    }

    @Test
    void aCompletionThatLeftNothingIsNoCompletionWithARecord() {
        Grant grant = alice.holds("a");
        assertThat(alice.completes(grant, "one", Duration.ZERO)).isEqualTo(ENDED);
        assertThat(alice.completes(grant, "one", ttl())).isEqualTo(refused(NOT_FOUND));
        assertThat(listed()).isEmpty();
    }

    @Test
    void aPublishedRecordIsSeenByWhoeverIsTurnedAway() {
        alice.holds(alice.request("a").withRecord(ADDRESS));
        assertThat(bob.tries("a"))
                .isInstanceOfSatisfying(
                        Acquisition.Held.class,
                        held -> assertThat(held.record()).contains(ADDRESS));
    }

    @Test
    void aPublishedRecordIsListed() {
        alice.holds(alice.request("a").withRecord(ADDRESS));
        assertThat(listed())
                .singleElement()
                .satisfies(row -> assertThat(row.record()).contains(ADDRESS));
    }

    @Test
    void aPublishedRecordGoesWithItsLease() {
        alice.releases(alice.holds(alice.request("a").withRecord(ADDRESS)));
        assertThat(listed()).isEmpty();
        bob.holds(bob.request("a").unlessCompleted());
    }

    @Test
    void completionLeavesARecordWithTokenAndRetention() {
        Grant grant = alice.holds("a");
        alice.completes(grant, "42", ttl());
        pass(ttl().dividedBy(2));
        assertCompleted(grant, "42", ttl().minus(ttl().dividedBy(2)), bob.tries(asking("a")));
    }

    @Test
    void aRecordIsListedAsCompleted() {
        Grant grant = alice.holds("a");
        alice.completes(grant, "42", ttl().multipliedBy(2));
        pass(ttl());
        assertThat(listed()).singleElement().satisfies(row -> {
            assertThat(row.holding()).isEqualTo(grant.holding());
            assertThat(row.state()).isEqualTo(LeaseView.State.COMPLETED);
            assertThat(row.record()).contains(LeaseRecord.of("42"));
            assertClose(row.age(), ttl());
            assertClose(row.remaining(), ttl());
        });
    }

    @Test
    void aRecordIsKeptForItsRetentionAndNoLonger() {
        alice.completes(alice.holds("a"), "42", ttl());
        passJustNot(ttl());
        assertThat(bob.tries(asking("a"))).isInstanceOf(Completed.class);
        passTheRest();
        bob.holds(asking("a"));
        assertThat(listed()).extracting(LeaseView::state).containsExactly(LeaseView.State.HELD);
    }

    @Test
    void whoeverDoesNotAskIsNotStoppedByARecord() {
        alice.completes(alice.holds("a"), "42", ttl());
        bob.holds("a");
    }

    @Test
    void aRecordOutlivesLeasesThatEndWithoutOne() {
        Grant first = alice.holds("a");
        alice.completes(first, "42", ttl());
        bob.releases(bob.holds("a"));
        assertCompleted(first, "42", ttl(), carol.tries(asking("a")));
    }

    @Test
    void aNewerCompletionReplacesTheRecord() {
        alice.completes(alice.holds("a"), "old", ttl());
        Grant newer = bob.holds("a");
        bob.completes(newer, "new", ttl());
        assertCompleted(newer, "new", ttl(), carol.tries(asking("a")));
        assertThat(listed()).hasSize(1);
    }

    @Test
    void aRetentionOfZeroLeavesNothing() {
        assertThat(alice.completes(alice.holds("a"), "42", Duration.ZERO)).isEqualTo(ENDED);
        bob.holds(asking("a"));
    }

    @Test
    void aRetentionOfZeroErasesWhatWasThere() {
        alice.completes(alice.holds("a"), "42", ttl());
        bob.completes(bob.holds("a"), "", Duration.ZERO);
        assertThat(listed()).isEmpty();
        carol.holds(asking("a"));
    }

    @Test
    void anEmptyRecordIsARecord() {
        Grant grant = alice.holds("a");
        alice.completes(grant, "", ttl());
        assertCompleted(grant, "", ttl(), bob.tries(asking("a")));
    }

    @Test
    void allWaitersThatAskGetTheRecordAndTheNextInLineThatDoesNotGetsTheLease() {
        Grant grant = alice.holds("a");
        Pending one = bob.waits(bob.patient(asking("a")));
        Pending two = carol.waits("a");
        Pending three = carol.waits(carol.patient(asking("a")));
        alice.completes(grant, "42", ttl());
        assertCompleted(grant, "42", ttl(), one.answer());
        assertCompleted(grant, "42", ttl(), three.answer());
        two.grant();
    }

    @Test
    void aWaiterThatAsksGetsTheLeaseWhenTheHolderLeavesNoRecord() {
        Grant grant = alice.holds("a");
        Pending waiter = bob.waits(bob.patient(asking("a")));
        alice.releases(grant);
        waiter.grant();
    }

    @Test
    void aRunningLeaseIsNotCompletedByAnEarlierRecord() {
        Grant first = alice.holds("a");
        alice.completes(first, "old", ttl());
        bob.holds("a");
        assertCompleted(first, "old", ttl(), carol.tries(asking("a")));
    }

    @Test
    void aStaleHolderCannotPublishAResult() {
        Grant stale = alice.holds("a");
        passAllOf(ttl());
        Grant current = bob.holds("a");
        assertThat(alice.completes(stale, "stale", ttl())).isInstanceOf(Refused.class);
        bob.completes(current, "fresh", ttl());
        assertCompleted(current, "fresh", ttl(), carol.tries(asking("a")));
    }

    @Test
    void aRotatedAwayTokenCannotPublishAResult() {
        Grant before = alice.holds("a");
        Grant after = alice.rotated(before);
        assertThat(alice.completes(before, "early", ttl())).isInstanceOf(Refused.class);
        alice.completes(after, "late", ttl());
        assertCompleted(after, "late", ttl(), bob.tries(asking("a")));
    }

    @Test
    void completionLeavesTheRecordAtEveryScope() {
        Grant grant = alice.holds(Claim.exclusive(Scope.name("a"), Scope.name("b")));
        alice.completes(grant, "42", ttl());
        assertCompleted(grant, "42", ttl(), bob.tries(asking("a")));
        assertCompleted(grant, "42", ttl(), bob.tries(asking("b")));
        bob.holds(asking("c"));
    }

    @Test
    void oneScopeWithARecordIsEnough() {
        Grant grant = alice.holds("b");
        alice.completes(grant, "42", ttl());
        LeaseRequest both = bob.request(Claim.exclusive(Scope.name("a"), Scope.name("b")));
        assertCompleted(grant, "42", ttl(), bob.tries(both.unlessCompleted()));
    }

    @Test
    void largeRecordsArriveUnchanged() {
        byte[] bytes = new byte[LeaseRecord.MAX_BYTES];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        alice.holds(alice.request("a").withRecord(LeaseRecord.of(bytes)));
        assertThat(listed())
                .singleElement()
                .satisfies(row -> assertThat(row.record()).contains(LeaseRecord.of(bytes)));
    }

    @Test
    void aRecordOlderThanTheOneAskedForIsNoAnswer() {
        Grant first = alice.holds("a");
        alice.completes(first, "old", ttl().multipliedBy(4));
        Grant second = bob.holds("a");

        Pending follower =
                carol.waits(carol.patient(carol.request("a").unlessCompletedSince(second.token())));
        follower.assertQueued();
        assertCompleted(first, "old", ttl().multipliedBy(4), carol.tries(asking("a")));

        bob.completes(second, "new", ttl().multipliedBy(4));
        assertCompleted(second, "new", ttl().multipliedBy(4), follower.answer());
    }

    @Test
    void whoAsksForTheRecordOfALostHolderIsNextInLine() {
        alice.completes(alice.holds("a"), "old", ttl().multipliedBy(4));
        Grant second = bob.holds("a");
        Pending follower =
                carol.waits(carol.patient(carol.request("a").unlessCompletedSince(second.token())));

        bob.releases(second);

        assertThat(follower.answer()).isInstanceOf(Acquisition.Granted.class);
    }

    @Test
    void theKindOfARecordArrivesUnchangedAndTellsTheStatus() {
        LeaseRecord running = LeaseRecord.of(LeaseRecord.Kind.RUNNING, new byte[] {1});
        LeaseRecord failure = LeaseRecord.of(LeaseRecord.Kind.FAILURE, new byte[] {2});
        alice.holds(alice.request("a").withRecord(running));
        Grant failed = bob.holds("b");
        Answers.of(store().complete(failed, failure, ttl()));
        carol.completes(carol.holds("c"), "42", ttl());
        carol.holds("d");

        assertThat(listed())
                .extracting(LeaseView::status)
                .containsExactly(
                        LeaseView.Status.RUNNING,
                        LeaseView.Status.FAILED,
                        LeaseView.Status.COMPLETED,
                        LeaseView.Status.HELD);
        assertThat(bob.tries("a"))
                .isInstanceOfSatisfying(
                        Acquisition.Held.class,
                        held -> assertThat(held.record()).contains(running));
        assertThat(carol.tries(asking("b")))
                .isInstanceOfSatisfying(
                        Completed.class, left -> assertThat(left.record()).isEqualTo(failure));
    }

    private LeaseRequest asking(String name) {
        return carol.request(name).unlessCompleted();
    }

    private void assertCompleted(Grant by, String result, Duration keptFor, Acquisition answer) {
        assertThat(answer).isInstanceOfSatisfying(Completed.class, completed -> {
            assertThat(completed.record()).isEqualTo(LeaseRecord.of(result));
            assertThat(completed.token()).isEqualTo(by.token());
            assertClose(completed.keptFor(), keptFor);
        });
    }
}
