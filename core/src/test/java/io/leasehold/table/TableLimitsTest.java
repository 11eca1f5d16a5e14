// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.table.TableDriver.Answer;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** At each limit the table refuses, keeps nothing of what it refused, and goes on with the rest. */
final class TableLimitsTest {

    private static final Claim A = Claim.exclusive(Scope.name("a"));
    private static final Claim B = Claim.exclusive(Scope.name("b"));
    private static final Claim BOTH = Claim.exclusive(Scope.name("a"), Scope.name("b"));
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Ending ENDED = new Ending.Ended();

    @Test
    void theLastTokenIsGrantedAndThenTheTableFailsClosed() {
        TableOptions narrow =
                new TableOptions(3, 10, LONG, 10); // so that a leak of room would show
        TableDriver driver = new TableDriver(narrow, FencingToken.MAX_VALUE - 1);
        Grant last = driver.acquire(A).grant();
        assertThat(last.token().value()).isEqualTo(FencingToken.MAX_VALUE);
        Answer waiter = driver.queue(BOTH, LONG);

        for (int i = 0; i < 3; i++) {
            assertThatExceptionOfType(LimitExceededException.class)
                    .isThrownBy(() -> driver.acquire(Claim.exclusive(Scope.name("c"))))
                    .withMessage("the namespace has used up its fencing tokens: start a new one");
            assertThatExceptionOfType(LimitExceededException.class)
                    .isThrownBy(() -> driver.table.rotate(last, driver.now()))
                    .satisfies(e -> assertThat(e.maximum()).isEqualTo(FencingToken.MAX_VALUE));
        }

        assertThat(driver.list()).hasSize(1);
        assertThat(driver.table.renew(RenewalRequest.of(last, LONG), driver.now()))
                .isInstanceOf(Renewal.Renewed.class);
        assertThat(driver.table.release(last, driver.now())).isEqualTo(ENDED);
        assertThat(waiter).isCompletedExceptionally();
        assertThat(driver.list()).isEmpty();
        assertThat(driver.table.idsInUse()).isZero();
        assertThat(driver.table.lastToken()).isEqualTo(FencingToken.MAX_VALUE);
        assertThat(driver.table.wakeAt(LeaseTable.ALL)).isEqualTo(LeaseTable.NEVER);
    }

    @Test
    void aFullStoreRefusesLeasesUntilOneGoes() {
        TableDriver driver = new TableDriver(new TableOptions(2, 10, LONG, 10), 0);
        Grant first = driver.acquire(A).grant();
        assertThatExceptionOfType(LimitExceededException.class)
                .isThrownBy(() -> driver.acquire(Claim.exclusive(Scope.name("b"), Scope.name("c"))))
                .withMessage("the store holds 2 leases and records, as many as it may");
        assertThat(driver.acquire(B).grant().token().value()).isEqualTo(2);
        assertThatExceptionOfType(LimitExceededException.class)
                .isThrownBy(() -> driver.acquire(Claim.shared(Scope.inode(1))));

        assertThat(driver.table.complete(first, LeaseRecord.of("kept"), LONG, driver.now()))
                .isEqualTo(ENDED);
        assertThatExceptionOfType(LimitExceededException.class).isThrownBy(() -> driver.acquire(A));
        driver.pass(LONG);
        assertThat(driver.acquire(BOTH).grant().token().value()).isEqualTo(3);
    }

    @Test
    void aWaiterThatFindsTheStoreFullAtItsTurnIsToldAndTheNextOneIsLookedAt() {
        TableDriver driver = new TableDriver(new TableOptions(2, 10, LONG, 10), 0);
        Grant first = driver.acquire(A).grant();
        Answer large = driver.queue(
                Claim.exclusive(Scope.name("a"), Scope.inode(1), Scope.inode(2)), LONG);
        Answer small = driver.queue(A, LONG);

        assertThat(driver.table.release(first, driver.now())).isEqualTo(ENDED);

        assertThat(large).isCompletedExceptionally();
        assertThat(small.grant().token().value()).isEqualTo(2);
        assertThat(driver.table.idsInUse()).isEqualTo(1);
    }

    @Test
    void aFullQueueRefusesWaitersAndKeepsNothingOfThem() {
        TableDriver driver = new TableDriver(new TableOptions(10, 2, LONG, 10), 0);
        Grant holder = driver.acquire(A).grant();
        Answer first = driver.queue(A, LONG);
        Answer second = driver.queue(BOTH, LONG);

        assertThatExceptionOfType(LimitExceededException.class)
                .isThrownBy(() -> driver.queue(BOTH, LONG))
                .withMessage("as many requests wait for 'name:a' as may: 2")
                .satisfies(e -> assertThat(e.limit()).isEqualTo("waiters per scope"));
        assertThat(driver.acquire(A).join()).isInstanceOf(Acquisition.Held.class);

        assertThat(driver.table.release(holder, driver.now())).isEqualTo(ENDED);
        assertThat(driver.table.release(first.grant(), driver.now())).isEqualTo(ENDED);
        assertThat(driver.table.release(second.grant(), driver.now())).isEqualTo(ENDED);
        assertThat(driver.list()).isEmpty();
    }

    @Test
    void aTableWithoutRoomForWaitersAnswersWhoDoesNotWait() {
        TableDriver driver = new TableDriver(new TableOptions(10, 0, LONG, 10), 0);

        assertThat(driver.queue(A, LONG).grant().token().value()).isEqualTo(1);
        assertThat(driver.acquire(A).join()).isInstanceOf(Acquisition.Held.class);
        assertThatExceptionOfType(LimitExceededException.class)
                .isThrownBy(() -> driver.queue(A, LONG));
    }

    @Test
    void theSeventeenthAttemptOfAWaiterTakesThePlaceOfTheFirst() {
        TableDriver driver = new TableDriver(1);
        Grant holder = driver.acquire(A).grant();
        LeaseRequest request = driver.request(A).waitingAtMost(LONG);
        List<Answer> attempts =
                Stream.generate(() -> driver.acquire(request)).limit(17).toList();

        assertThat(attempts.get(0))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(OutcomeUnknownException.class);
        assertThat(driver.table.release(holder, driver.now())).isEqualTo(ENDED);
        assertThat(attempts.subList(1, 17))
                .allMatch(attempt -> attempt.grant().token().value() == 2);
    }

    @Test
    void onlyTheLatestAreRememberedAndOnlyForAWhile() {
        RetryMemory memory = new RetryMemory(new RetryMemory.Shared(100, 2));
        LeaseId first = new LeaseId(0, 1);
        memory.remember(first, Outcome.of(End.RELEASED, 1), 0);
        memory.remember(new LeaseId(0, 2), Outcome.of(End.RELEASED, 2), 50);
        assertThat(memory.recall(first, 99)).isEqualTo(Outcome.of(End.RELEASED, 1));
        assertThat(memory.recall(first, 100)).isNull();

        memory.remember(first, Outcome.of(End.EXPIRED, 3), 60);
        memory.remember(new LeaseId(0, 3), Outcome.of(End.RELEASED, 4), 60);

        assertThat(memory.recall(new LeaseId(0, 2), 60)).isNull();
        assertThat(memory.recall(first, 60)).isEqualTo(Outcome.of(End.EXPIRED, 3));
    }

    @Test
    void aForgottenLeaseIsNotFoundAndItsIdIsFreeAgain() {
        TableDriver driver = new TableDriver(new TableOptions(10, 10, LONG, 10), 0);
        LeaseRequest request = driver.request(A);
        Grant grant = driver.acquire(request).grant();
        driver.pass(TableDriver.TTL);
        driver.advance();
        assertThat(driver.acquire(request).join())
                .isEqualTo(new Acquisition.Gone(RefusalReason.EXPIRED));
        driver.pass(LONG.minusNanos(1));
        assertThat(driver.acquire(request).join())
                .isEqualTo(new Acquisition.Gone(RefusalReason.EXPIRED));
        driver.pass(Duration.ofNanos(1));

        assertThat(driver.acquire(request).grant().token()).isGreaterThan(grant.token());
    }

    @Test
    void aTableCannotBeBuiltOnImpossibleState() {
        assertThatIllegalArgumentException().isThrownBy(() -> new TableDriver(0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TableDriver(TableOptions.defaults(), -1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TableDriver(TableOptions.defaults(), 1L << 53));
    }
}
