// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Limits;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.table.TableDriver.Answer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What an engine relies on beside the answers: the course of time, restarts, stripes, queues. */
final class TableUpkeepTest {

    private static final Scope A = Scope.name("a");
    private static final Scope B = Scope.name("b");
    private static final Duration TTL = TableDriver.TTL;
    private static final Duration LONG = Duration.ofMinutes(1);

    private final TableDriver driver = new TableDriver(1);

    private Grant acquire(Scope scope, Duration ttl) {
        LeaseRequest plain = driver.request(Claim.exclusive(scope));
        return driver.acquire(LeaseRequest.of(plain.id(), plain.claim(), plain.holder(), ttl))
                .grant();
    }

    private void assertHeldAfter(Duration time, int leases) {
        driver.pass(time);
        driver.advance();
        assertThat(driver.table.size()).isEqualTo(leases);
    }

    @Test
    void aRenewedLeaseDoesNotHideOneThatRunsOutBeforeIt() {
        Grant renewed = acquire(A, TTL);
        driver.pass(TTL.dividedBy(4));
        acquire(B, TTL);
        driver.pass(TTL.dividedBy(2));
        assertThat(driver.table.renew(RenewalRequest.of(renewed, TTL), driver.now()))
                .isInstanceOf(Renewal.Renewed.class);
        assertHeldAfter(TTL.dividedBy(4), 2); // the renewed one is looked at and put off
        assertHeldAfter(TTL.dividedBy(4), 1);
        assertHeldAfter(TTL.dividedBy(2), 0);
    }

    @Test
    void aLeaseThatRunsAgainAfterARestartDoesNotHideOneThatRunsOutBeforeIt() {
        acquire(A, TTL.multipliedBy(4));
        driver.pass(TTL.multipliedBy(3).plusMillis(1));
        acquire(B, TTL); // runs out after the first one would
        driver.table.resume(0, driver.now());
        assertHeldAfter(TTL, 1);
        assertHeldAfter(TTL.multipliedBy(3), 0);
    }

    @Test
    void afterARestartTokensGoOnAboveTheLastOneThatIsKnown() {
        driver.table.resume(41, driver.now());
        assertThat(acquire(A, TTL).token().value()).isEqualTo(42);
    }

    @Test
    void aTableWhoseTokensAreUsedUpOpensAndFailsClosed() {
        TableDriver full = new TableDriver(TableOptions.defaults(), FencingToken.MAX_VALUE);
        assertThatExceptionOfType(LimitExceededException.class)
                .isThrownBy(() -> full.acquire(Claim.exclusive(A)));
    }

    @Test
    void aFullTableTakesNoLeaseOfOtherTables() {
        LeaseTable full = new TableDriver(new TableOptions(1, 0, Limits.MAX_KEEP_FOR, 0), 0).table;
        LeaseRequest first = driver.request(Claim.exclusive(A));
        LeaseRequest second = driver.request(Claim.exclusive(B));
        assertThat(full.restore(first, new FencingToken(7), 0))
                .isInstanceOf(Acquisition.Granted.class);
        assertThatExceptionOfType(LimitExceededException.class)
                .isThrownBy(() -> full.restore(second, new FencingToken(8), 0));
        assertThat(full.size()).isEqualTo(1);
    }

    @Test
    void anIdThatARepairFoundNoRoomForIsFreeAgain() {
        TableDriver full = TableDriver.withRoomFor(1, 1);
        Grant first = full.acquire(Claim.exclusive(A)).grant();
        LeaseRequest request = full.request(Claim.exclusive(B));
        assertThatExceptionOfType(LimitExceededException.class)
                .isThrownBy(() -> full.table.restore(request, new FencingToken(9), full.now()));
        assertThat(full.table.idsInUse()).isEqualTo(1);
        full.table.release(first, full.now());
        assertThat(full.acquire(request).grant().id()).isEqualTo(request.id());
    }

    @Test
    void whoWaitsBehindARestoredRequestIsLookedAtWhenItsLeaseRunsOut() {
        driver.acquire(Claim.shared(A));
        driver.queue(Claim.exclusive(A), Duration.ofMillis(10));
        LeaseRequest request = driver.request(Claim.shared(A, B)).waitingAtMost(LONG);
        driver.acquire(request);
        Answer behind = driver.queue(Claim.exclusive(B), LONG);
        driver.table.restore(request, new FencingToken(9), driver.now());
        driver.pass(Duration.ofMillis(10)); // the writer's wait is over
        driver.advance();
        assertThat(behind).isNotDone();
        assertThat(driver.table.wakeAt(LeaseTable.ALL)).isEqualTo(TTL.toNanos());
        driver.pass(TTL);
        driver.advance();
        assertThat(behind.grant().token().value()).isGreaterThan(9);
    }

    @Test
    void aWaiterThatWasFailedHasLeftTheQueue() {
        Grant held = acquire(A, TTL);
        Answer waiter = driver.queue(Claim.exclusive(A), LONG);
        driver.table.failWaiters(new StoreUnavailableException("thrown by a test"));
        assertThat(waiter).isCompletedExceptionally();
        assertThat(driver.table.wakeAt(LeaseTable.ALL)).isEqualTo(LeaseTable.NEVER);
        assertThat(driver.table.release(held, driver.now())).isEqualTo(new Ending.Ended());
        assertThat(driver.table.size()).isZero();
    }

    @Test
    void aRecordWhoseTimeIsOverIsNotListed() {
        driver.table.complete(acquire(A, TTL), LeaseRecord.of("r"), LONG, driver.now());
        assertThat(driver.list()).hasSize(1);
        driver.pass(LONG);
        assertThat(driver.list()).isEmpty();
    }

    @Test
    void aLeaseOrAWaiterThatSpansStripesTiesThemTogetherUntilItIsGone() {
        TableDriver striped = new TableDriver(32);
        LeaseTable table = striped.table;
        int a = table.stripeOf(Claim.exclusive(A));
        int b = table.stripeOf(Claim.exclusive(B));
        assertThat(a).isNotEqualTo(b);
        assertThat(table.stripeOf(LeaseQuery.overlapping(A))).isEqualTo(a);
        assertThat(table.stripeOf(LeaseQuery.overlapping(B))).isEqualTo(b);
        assertThat(table.stripeOf(LeaseQuery.all())).isEqualTo(LeaseTable.ALL);

        Grant single = striped.acquire(Claim.exclusive(A)).grant();
        assertIsolated(table, true, a, b);
        Answer both = striped.queue(Claim.exclusive(A, B), LONG);
        assertIsolated(table, false, a, b);
        assertThat(table.release(single, striped.now())).isEqualTo(new Ending.Ended());
        assertIsolated(table, false, a, b);
        assertThat(table.release(both.grant(), striped.now())).isEqualTo(new Ending.Ended());
        assertIsolated(table, true, a, b);
    }

    @Test
    void aLeaseThatSpansStripesIsOverForWhoeverAsksInOneOfThem() {
        TableDriver striped = new TableDriver(32);
        Answer both = striped.acquire(Claim.exclusive(A, B));
        Answer waiter = striped.queue(Claim.exclusive(B), LONG);
        assertThat(both.grant().token().value()).isEqualTo(1);
        assertThat(striped.table.wakeAt(striped.table.stripeOf(Claim.exclusive(A))))
                .isEqualTo(TTL.toNanos());
        striped.pass(TTL);
        assertThat(striped.acquire(Claim.exclusive(A)).join())
                .isInstanceOf(Acquisition.Granted.class);
        assertThat(waiter.join()).isInstanceOf(Acquisition.Granted.class);
    }

    private static void assertIsolated(LeaseTable table, boolean isolated, int... stripes) {
        for (int stripe : stripes) {
            assertThat(table.isIsolated(stripe)).as("stripe %d", stripe).isEqualTo(isolated);
        }
    }
}
