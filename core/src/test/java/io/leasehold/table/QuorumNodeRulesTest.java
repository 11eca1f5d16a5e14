// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.NodeRecord;
import io.leasehold.spi.Raising;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Round;
import io.leasehold.spi.TokenState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a table owes as a node of a quorum: raising tokens, restoring leases, taking back. */
final class QuorumNodeRulesTest {

    private static final Duration TTL = Duration.ofSeconds(1);
    private static final long LATER = TTL.toNanos();
    private static final Raising RAISED = new Raising.Raised();
    private static final Raising MISMATCH = new Refused(RefusalReason.TOKEN_MISMATCH);
    private static final Round FIRST = new Round(1, 17);
    private static final Round SECOND = new Round(2, 17);
    private static final Round OF_ANOTHER = new Round(2, 4);

    private final LeaseTable table =
            new LeaseTable(TableOptions.defaults(), 1, 0, LeaseTable.Listener.nobody());
    private long ids;

    @Test
    void aLeaseTakesATokenAboveTheCounterAndTheCounterFollows() {
        Grant grant = grant(request("a"));
        assertThat(table.raise(grant, token(7), FIRST, 0)).isEqualTo(RAISED);
        assertThat(table.lastToken()).isEqualTo(7);
        assertThat(grant(request("b")).token()).isEqualTo(token(8));
    }

    @Test
    void aTokenThatTheCounterHasPassedLeavesItWhereItIs() {
        Grant grant = grant(request("a"));
        table.skipTo(9);
        assertThat(table.raise(grant, token(5), FIRST, 0)).isEqualTo(RAISED);
        assertThat(grant(request("b")).token()).isEqualTo(token(10));
    }

    @Test
    void theTokenThatALeaseHasIsTakenAgain() {
        Grant grant = grant(request("a"));
        assertThat(table.raise(grant, grant.token(), FIRST, 0)).isEqualTo(RAISED);
        table.raise(grant, token(5), FIRST, 0);
        grant(request("b"));
        assertThat(table.raise(grant, token(5), FIRST, 0)).isEqualTo(RAISED);
    }

    @Test
    void whatANodeDrewItselfIsMarkedOnlyWhenItIsProposed() {
        LeaseRequest request = request("a");
        Grant grant = grant(request);
        assertThat(table.tokenState(grant)).isEqualTo(new TokenState(1, Round.NONE, FIRST, 0));
        table.raise(grant, grant.token(), FIRST, 0);
        assertThat(table.tokenState(grant)).isEqualTo(new TokenState(1, FIRST, FIRST, 0));
    }

    @Test
    void aTokenOfARoundBeforeTheLastThatAskedIsNotTaken() {
        LeaseRequest request = request("a");
        Grant grant = grant(request);
        acquire(request, OF_ANOTHER);
        assertThat(table.raise(grant, token(9), FIRST, 0)).isEqualTo(MISMATCH);
        assertThat(table.raise(grant, token(9), OF_ANOTHER, 0)).isEqualTo(RAISED);
        assertThat(table.tokenState(grant).mark()).isEqualTo(OF_ANOTHER);
    }

    @Test
    void ofTwoRoundsWithOneNumberTheAttemptDecides() {
        LeaseRequest request = request("a");
        Grant grant = grant(request);
        acquire(request, new Round(FIRST.number(), FIRST.attempt() + 1));
        assertThat(table.raise(grant, token(9), FIRST, 0)).isEqualTo(MISMATCH);
    }

    @Test
    void aTokenBelowTheNodesOwnDrawIsNotTakenUnlessItIsFinal() {
        table.skipTo(5);
        Grant grant = grant(request("a"));
        assertThat(table.raise(grant, token(5), FIRST, 0)).isEqualTo(MISMATCH);
        assertThat(table.raise(grant, token(5), Round.FINAL, 0)).isEqualTo(RAISED);
        assertThat(table.raise(grant, token(5), SECOND, 0)).isEqualTo(RAISED);
        assertThat(table.tokenState(grant).mark()).isEqualTo(Round.FINAL);
    }

    @Test
    void aFinalTokenIsReplacedByNoOther() {
        Grant grant = grant(request("a"));
        table.raise(grant, grant.token(), Round.FINAL, 0);
        assertThat(table.raise(grant, token(9), SECOND, 0)).isEqualTo(MISMATCH);
    }

    @Test
    void aRotationBeginsTheAgreementAnewButKeepsTheRounds() {
        LeaseRequest request = request("a");
        Grant first = grant(request);
        table.raise(first, first.token(), SECOND, 0);
        Grant drawn = ((Rotation.Rotated) table.rotate(first, FIRST, 0)).grant();
        assertThat(table.tokenState(drawn)).isEqualTo(new TokenState(2, Round.NONE, SECOND, 1));
        assertThat(table.raise(first, token(9), SECOND, 0)).isEqualTo(MISMATCH);
        table.retract(request, SECOND, 0);
        assertThat(table.raise(drawn, drawn.token(), FIRST, 0)).isEqualTo(MISMATCH);
        assertThat(table.raise(drawn, drawn.token(), SECOND, 0)).isEqualTo(RAISED);
    }

    @Test
    void theWordThatATokenIsFinalComesTooLateAfterItsRotation() {
        Grant first = grant(request("a"));
        Grant drawn = ((Rotation.Rotated) table.rotate(first, FIRST, 0)).grant();
        assertThat(table.raise(drawn, first.token(), Round.FINAL, 0)).isEqualTo(MISMATCH);
        assertThat(table.raise(drawn, drawn.token(), Round.FINAL, 0)).isEqualTo(RAISED);
    }

    @Test
    void aLateRepairDoesNotTakeARotationBack() {
        LeaseRequest request = request("a");
        Grant first = grant(request);
        Grant drawn = ((Rotation.Rotated) table.rotate(first, FIRST, 0)).grant();
        table.raise(drawn, drawn.token(), FIRST, 0);
        Granted restored = (Granted) table.restore(request, first.token(), 0);
        assertThat(restored.grant().token()).isEqualTo(drawn.token());
    }

    @Test
    void aRotationThatCameToNothingIsTakenBackByTheRepair() {
        LeaseRequest request = request("a");
        Grant first = grant(request);
        Grant drawn = ((Rotation.Rotated) table.rotate(first, FIRST, 0)).grant();
        Granted restored = (Granted) table.restore(request, first.token(), 0);
        assertThat(restored.grant().token()).isEqualTo(first.token());
        assertThat(table.raise(drawn, drawn.token(), FIRST, 0)).isEqualTo(MISMATCH);
    }

    @Test
    void tokensAreThoseThatNoOtherNodeDraws() {
        table.drawEvery(5, 3);
        assertThat(grant(request("a")).token()).isEqualTo(token(3));
        assertThat(grant(request("b")).token()).isEqualTo(token(8));
        table.skipTo(12);
        assertThat(grant(request("c")).token()).isEqualTo(token(13));
        table.skipTo(14);
        assertThat(grant(request("d")).token()).isEqualTo(token(18));
    }

    @Test
    void aLeaseThatIsOverTakesNoToken() {
        Grant released = grant(request("a"));
        table.release(released, 0);
        assertThat(table.raise(released, token(9), FIRST, 0))
                .isEqualTo(new Refused(RefusalReason.NOT_FOUND));
        Grant expired = grant(request("a"));
        assertThat(table.raise(expired, token(9), FIRST, LATER))
                .isEqualTo(new Refused(RefusalReason.EXPIRED));
        assertThat(table.lastToken()).isEqualTo(2);
    }

    @Test
    void aRotationCanBeRepeatedAfterItsTokenWasRaised() {
        Grant first = grant(request("a"));
        Grant drawn = ((Rotation.Rotated) table.rotate(first, 0)).grant();
        table.raise(drawn, token(9), FIRST, 0);
        assertThat(((Rotation.Rotated) table.rotate(first, 0)).grant().token()).isEqualTo(token(9));
    }

    @Test
    void aLeaseIsRestoredUnderItsTokenWithoutADraw() {
        LeaseRequest request = request("a");
        Granted restored = (Granted) table.restore(request, token(9), 0);
        assertThat(restored.grant().token()).isEqualTo(token(9));
        assertThat(table.lastToken()).isEqualTo(9);
        assertThat(table.release(restored.grant(), 0)).isEqualTo(new Ending.Ended());
        assertThat(table.restore(request, token(9), 0))
                .isEqualTo(new Acquisition.Gone(RefusalReason.NOT_FOUND));
    }

    @Test
    void aLeaseThatRanOutHereIsRestored() {
        LeaseRequest request = request("a");
        Grant grant = grant(request);
        table.advance(LeaseTable.ALL, LATER);
        assertThat(table.restore(request, grant.token(), LATER)).isInstanceOf(Granted.class);
    }

    @Test
    void aLeaseIsNotRestoredWhereAnotherStandsInTheWay() {
        grant(request("a"));
        assertThat(table.restore(request("a"), token(9), 0)).isInstanceOf(Acquisition.Held.class);
    }

    @Test
    void aRestoredLeaseThatIsThereOnlyChangesItsToken() {
        LeaseRequest request = request("a");
        grant(request);
        Granted restored = (Granted) table.restore(request, token(9), LATER / 2);
        assertThat(restored.validity().remaining()).isEqualTo(TTL.dividedBy(2));
        assertThat(restored.version()).isEqualTo(1);
    }

    @Test
    void aFinalTokenIsRestoredAlsoBelowTheDraw() {
        table.skipTo(5);
        LeaseRequest request = request("a");
        Grant grant = grant(request);
        Granted restored = (Granted) table.restore(request, token(4), 0);
        assertThat(restored.grant().token()).isEqualTo(token(4));
        assertThat(table.tokenState(grant).mark()).isEqualTo(Round.FINAL);
    }

    @Test
    void whatIsTakenBackMayComeAgain() {
        LeaseRequest request = request("a");
        acquire(request, FIRST);
        table.retract(request, FIRST, 0);
        assertThat(grant(request("a"))).isNotNull();
        table.retract(request, FIRST, 0);
        assertThat(acquire(request, SECOND)).singleElement().isInstanceOf(Acquisition.Held.class);
    }

    @Test
    void whatALaterRoundHasGotIsNotTakenBackByALateMessage() {
        LeaseRequest request = request("a");
        acquire(request, FIRST);
        acquire(request, SECOND);
        table.retract(request, FIRST, 0);
        assertThat(acquire(request("a"), FIRST))
                .singleElement()
                .isInstanceOf(Acquisition.Held.class);

        LeaseRequest waiting = request("a").waitingAtMost(TTL);
        List<Acquisition> answers = acquire(waiting, FIRST);
        acquire(waiting, SECOND);
        table.retract(waiting, FIRST, 0);
        assertThat(answers).isEmpty();
        table.retract(waiting, SECOND, 0);
        assertThat(answers).containsExactly(new Acquisition.Gone(RefusalReason.NOT_FOUND));
    }

    @Test
    void whatTwoAttemptsAskedForIsTakenBackByNeither() {
        LeaseRequest request = request("a");
        acquire(request, FIRST);
        acquire(request, OF_ANOTHER);
        table.retract(request, OF_ANOTHER, 0);
        table.retract(request, SECOND, 0);
        assertThat(acquire(request("a"), FIRST))
                .singleElement()
                .isInstanceOf(Acquisition.Held.class);

        LeaseRequest waiting = request("a").waitingAtMost(TTL);
        List<Acquisition> answers = acquire(waiting, FIRST);
        acquire(waiting, OF_ANOTHER);
        table.retract(waiting, OF_ANOTHER, 0);
        assertThat(answers).isEmpty();
    }

    @Test
    void whatWasRestoredIsTakenBackByNobody() {
        LeaseRequest request = request("a");
        table.restore(request, token(9), 0);
        acquire(request, FIRST);
        table.retract(request, FIRST, 0);
        assertThat(acquire(request, SECOND)).singleElement().isInstanceOf(Granted.class);
        assertThat(table.lastToken()).isEqualTo(9);
    }

    // ---- records

    @Test
    void aRecordOfAnotherNodeIsTakenUnlessThereIsOneAsNew() {
        Scope scope = Scope.name("a");
        table.keep(record("a", 7, "seven"), 0);
        table.keep(record("a", 5, "five"), 0);
        table.keep(record("a", 7, "again"), 0);
        assertThat(table.record(scope, 0)).contains(record("a", 7, "seven"));
        table.keep(record("a", 9, "nine"), 0);
        assertThat(table.record(scope, 0)).contains(record("a", 9, "nine"));
        assertThat(table.record(Scope.name("b"), 0)).isEmpty();
        assertThat(table.lastToken()).isEqualTo(9);
    }

    @Test
    void aRecordOfAnotherNodeIsKeptForAsLongAsItWasThere() {
        table.keep(record("a", 7, "seven"), 0);
        assertThat(acquire(request("a").unlessCompleted(), FIRST))
                .containsExactly(new Acquisition.Completed(LeaseRecord.of("seven"), token(7), TTL));
        assertThat(table.record(Scope.name("a"), LATER)).isEmpty();
    }

    @Test
    void whoeverWaitsForARecordGetsThatOfAnotherNode() {
        grant(request("a"));
        List<Acquisition> answers =
                acquire(request("a").waitingAtMost(TTL).unlessCompleted(), FIRST);
        assertThat(answers).isEmpty();
        table.keep(record("a", 7, "seven"), 0);
        assertThat(answers).hasSize(1).first().isInstanceOf(Acquisition.Completed.class);
    }

    @Test
    void recordsAreListedInPartsThatHaveThemAll() {
        List<NodeRecord> all = new ArrayList<>();
        for (int i = 1; i <= 100; i++) {
            all.add(record("name-" + i, 3 * i, "done"));
        }
        all.forEach(record -> table.keep(record, 0));
        List<NodeRecord> listed = new ArrayList<>();
        Optional<String> cursor = Optional.of(NodeRecord.Page.FIRST);
        while (cursor.isPresent()) {
            NodeRecord.Page page = table.records(cursor.get(), 0);
            assertThat(page.records()).hasSizeBetween(1, 32);
            listed.addAll(page.records());
            cursor = page.next();
        }
        assertThat(listed).containsExactlyElementsOf(all);
    }

    @Test
    void aFullTableTakesNoFurtherRecord() {
        LeaseTable small = new LeaseTable(
                new TableOptions(1, 10, Duration.ofMinutes(1), 10),
                1,
                0,
                LeaseTable.Listener.nobody());
        small.keep(record("a", 1, "one"), 0);
        small.keep(record("a", 2, "two"), 0);
        assertThatExceptionOfType(LimitExceededException.class)
                .isThrownBy(() -> small.keep(record("b", 3, "three"), 0));
    }

    private static NodeRecord record(String name, long token, String text) {
        Holding holding =
                new Holding(Claim.exclusive(Scope.name(name)), new Holder("x"), token(token));
        return new NodeRecord(Scope.name(name), holding, LeaseRecord.of(text), Duration.ZERO, TTL);
    }

    private LeaseRequest request(String name) {
        return LeaseRequest.of(
                new LeaseId(1, ++ids), Claim.exclusive(Scope.name(name)), new Holder("x"), TTL);
    }

    private Grant grant(LeaseRequest request) {
        return ((Granted) acquire(request, FIRST).get(0)).grant();
    }

    private List<Acquisition> acquire(LeaseRequest request, Round round) {
        List<Acquisition> answers = new ArrayList<>();
        table.acquire(request, round, 0, new Reply() {
            @Override
            public void settle(Acquisition outcome) {
                answers.add(outcome);
            }

            @Override
            public void fail(LeaseholdException reason) {
                throw reason;
            }
        });
        return answers;
    }

    private static FencingToken token(long value) {
        return new FencingToken(value);
    }
}
