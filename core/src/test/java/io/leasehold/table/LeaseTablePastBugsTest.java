// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.NaiveScopes;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Refused;
import io.leasehold.table.TableDriver.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every bug that the table once had, by its cause. */
final class LeaseTablePastBugsTest {

    private static final Scope A = Scope.name("a");
    private static final Scope B = Scope.name("b");
    private static final Duration LONG = Duration.ofMinutes(1);

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void aWaiterMetAtTwoOfItsScopesIsGrantedOnce(int stripes) {
        TableDriver driver = new TableDriver(stripes);
        Grant first = driver.acquire(Claim.exclusive(A, B)).grant();
        Answer exclusive = driver.queue(Claim.exclusive(A, B), LONG);
        Answer shared = driver.queue(Claim.shared(A, B), LONG);

        assertThat(driver.table.release(first, driver.now())).isEqualTo(new Ending.Ended());
        assertThat(exclusive.grant().token().value()).isEqualTo(2);
        assertThat(driver.table.release(exclusive.grant(), driver.now()))
                .isEqualTo(new Ending.Ended());
        assertThat(shared.grant().token().value()).isEqualTo(3);
        assertThat(driver.list()).hasSize(1);
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.SECONDS)
    void aQueueOfSharedRequestsIsWalkedOnceAndNotOnceForEachGrant() {
        TableOptions roomy = new TableOptions(1_000_000, 100_000, LONG, 10);
        TableDriver driver = new TableDriver(roomy, 0);
        Grant first = driver.acquire(Claim.exclusive(A)).grant();
        List<Answer> queue = Stream.generate(() -> driver.queue(Claim.shared(A), LONG))
                .limit(100_000)
                .toList();

        assertThat(driver.table.release(first, driver.now())).isEqualTo(new Ending.Ended());

        assertThat(queue).allMatch(Answer::isDone);
        assertThat(driver.table.lastToken()).isEqualTo(100_001);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void twoWaitsThatEndTogetherAreAnsweredThoughOneWasBehindTheOther(int stripes) {
        TableDriver driver = new TableDriver(stripes);
        Grant reader = driver.acquire(Claim.shared(A)).grant();
        Answer writer = driver.queue(Claim.exclusive(A, B), Duration.ofMillis(10));
        Answer behind = driver.queue(Claim.shared(A), Duration.ofMillis(20));
        driver.pass(Duration.ofMillis(20));

        driver.advance();

        Acquisition held = new Acquisition.Held(
                reader.holding(), Duration.ofMillis(980), java.util.Optional.empty(), false);
        assertThat(writer).isCompletedWithValue(held);
        assertThat(behind).isCompletedWithValue(held);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void aLeaseThatIsRestoredWhileItsRequestWaitsIsNotGrantedAgain(int stripes) {
        TableDriver driver = new TableDriver(stripes);
        driver.acquire(Claim.shared(A)).grant();
        Answer writer = driver.queue(Claim.exclusive(A), Duration.ofMillis(10));
        LeaseRequest request = driver.request(Claim.shared(A)).waitingAtMost(LONG);
        Answer waiter = driver.acquire(request);
        Acquisition restored = driver.table.restore(request, new FencingToken(9), driver.now());

        assertThat(waiter.join()).isEqualTo(restored);
        assertThat(driver.table.release(waiter.grant(), driver.now()))
                .isEqualTo(new Ending.Ended());
        driver.pass(Duration.ofMillis(10));
        driver.advance();

        assertThat(writer.join()).isInstanceOf(Acquisition.Held.class);
        assertThat(driver.list()).hasSize(1);
        driver.pass(LONG);
        driver.advance();
        assertThat(driver.table.size()).isZero();
        assertThat(driver.table.idsInUse()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void aRepairForWhichThereIsNoRoomLeavesItsRequestInTheQueue(int stripes) {
        TableDriver driver = TableDriver.withRoomFor(1, stripes);
        Grant reader = driver.acquire(Claim.shared(A)).grant();
        LeaseRequest writing = driver.request(Claim.exclusive(A)).waitingAtMost(LONG);
        driver.acquire(writing);
        LeaseRequest request = driver.request(Claim.shared(A)).waitingAtMost(LONG);
        Answer waiter = driver.acquire(request);

        assertThatThrownBy(() -> driver.table.restore(request, new FencingToken(9), driver.now()))
                .isInstanceOf(LimitExceededException.class);
        LeaseRequest elsewhere = LeaseRequest.of(
                request.id(), Claim.exclusive(B), request.holder(), TableDriver.TTL);
        assertThat(driver.acquire(elsewhere).join())
                .isEqualTo(new Acquisition.Gone(RefusalReason.SCOPE_MISMATCH));

        driver.table.release(reader, driver.now());
        driver.table.withdraw(writing, driver.now());
        assertThat(waiter.grant().token().value()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void aWaiterContentWithARecordLetsThoseBehindItsOtherScopesThrough(int stripes) {
        TableDriver driver = new TableDriver(stripes);
        Grant worker = driver.acquire(Claim.exclusive(A)).grant();
        LeaseRequest both = driver.request(Claim.exclusive(A, B)).waitingAtMost(LONG);
        Answer content = driver.acquire(both.unlessCompleted());
        Answer behind = driver.queue(Claim.exclusive(B), LONG);

        assertThat(driver.table.complete(worker, LeaseRecord.of("done"), LONG, driver.now()))
                .isEqualTo(new Ending.Ended());

        assertThat(content.join()).isInstanceOf(Acquisition.Completed.class);
        assertThat(behind.grant().token().value()).isEqualTo(2);
    }

    @Test
    void aLeaseInItsLockDelayDoesNotHideWhoHoldsTheScopeNow() {
        TableDriver driver = new TableDriver(1);
        Grant stale = driver.acquire(Claim.exclusive(A)).grant();
        assertThat(driver.table.release(stale, driver.now())).isEqualTo(new Ending.Ended());
        LeaseRequest delayed = driver.request(Claim.shared(A)).withLockDelay(LONG);
        assertThat(driver.acquire(delayed).join()).isInstanceOf(Acquisition.Granted.class);
        driver.pass(TableDriver.TTL.dividedBy(2));
        assertThat(driver.acquire(Claim.shared(A)).join()).isInstanceOf(Acquisition.Granted.class);
        driver.pass(TableDriver.TTL.dividedBy(2));

        assertThat(driver.table.rotate(stale, driver.now()))
                .isEqualTo(new Refused(RefusalReason.NOT_HOLDER));
    }

    @Test
    void aRequestThatQueuesForTwoScopesOfALeaseIsOneWaiterInTheListing() {
        TableDriver driver = new TableDriver(1);
        Answer holder = driver.acquire(Claim.exclusive(A, B));
        Answer waiter = driver.queue(Claim.exclusive(B, A), LONG);

        assertThat(holder).isDone();
        assertThat(waiter).isNotDone();
        assertThat(driver.list()).extracting(LeaseView::waiters).containsExactly(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 32})
    void theMemoryOfLeasesThatEndedIsNotDividedByTheStripes(int stripes) {
        TableDriver driver = new TableDriver(stripes);
        LeaseRequest late = driver.request(Claim.exclusive(A));
        acquireAndRelease(driver, late);
        for (int i = 1; i < 65_536; i++) { // as the documentation says
            acquireAndRelease(driver, driver.request(Claim.exclusive(A)));
        }
        assertThat(driver.acquire(late).join())
                .isEqualTo(new Acquisition.Gone(RefusalReason.NOT_FOUND));

        acquireAndRelease(driver, driver.request(Claim.exclusive(B)));
        assertThat(driver.acquire(late).join()).isInstanceOf(Acquisition.Granted.class);
    }

    private static void acquireAndRelease(TableDriver driver, LeaseRequest request) {
        Ending unused = driver.table.release(driver.acquire(request).grant(), driver.now());
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void aListingOfOneScopeDoesNotWalkEverything() {
        TableDriver driver = new TableDriver(1);
        for (int i = 0; i < 100_000; i++) {
            assertThat(driver.acquire(Claim.exclusive(Scope.name("n" + i)))).isDone();
            assertThat(driver.acquire(Claim.exclusive(Scope.range(i, 0, 10)))).isDone();
        }
        for (int i = 0; i < 100_000 && !Thread.currentThread().isInterrupted(); i++) {
            Scope scope = i % 2 == 0 ? Scope.name("n" + i) : Scope.inode(i);
            assertThat(driver.table.list(LeaseQuery.overlapping(scope), 0).leases())
                    .hasSize(1);
        }
    }

    @Test
    void aListingOfOneScopeLeavesOtherStripesAlone() {
        TableDriver driver = new TableDriver(32);
        assertThat(driver.table.stripeOf(Claim.exclusive(A)))
                .isNotEqualTo(driver.table.stripeOf(Claim.exclusive(B)));
        assertThat(driver.acquire(Claim.exclusive(A))).isDone();
        assertThat(driver.acquire(Claim.exclusive(B))).isDone();
        driver.pass(TableDriver.TTL);

        assertThat(driver.table.list(LeaseQuery.overlapping(A), driver.now()).leases())
                .isEmpty();
        assertThat(driver.table.size()).as("only b, which nobody looked at").isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void anIdUsedForOtherScopesBreaksNothing(int stripes) {
        for (long seed = 1; seed <= 300; seed++) {
            useFewIdsForManyClaims(seed, stripes);
        }
    }

    private static void useFewIdsForManyClaims(long seed, int stripes) {
        Random random = new Random(seed);
        TableDriver driver = new TableDriver(stripes);
        List<Grant> grants = new ArrayList<>();
        try {
            for (int step = 0; step < 200; step++) {
                driver.pass(Duration.ofMillis(random.nextInt(3) * 50L));
                LeaseRequest request = new LeaseRequest(
                        new LeaseId(0, random.nextInt(3)),
                        randomClaim(random),
                        driver.request(Claim.shared(A)).holder(),
                        driver.request(Claim.shared(A))
                                .waitingAtMost(Duration.ofMillis(random.nextInt(5) * 50L))
                                .terms());
                Answer answer = driver.acquire(request);
                if (answer.isDone() && answer.join() instanceof Acquisition.Granted granted) {
                    grants.add(granted.grant());
                }
                if (random.nextInt(3) > 0 && !grants.isEmpty()) {
                    driver.table.release(
                            grants.remove(random.nextInt(grants.size())), driver.now());
                }
                assertExclusion(driver.list());
            }
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("seed " + seed, e);
        }
        driver.pass(Duration.ofHours(1));
        assertThat(driver.list()).as("seed %d", seed).isEmpty();
    }

    private static Claim randomClaim(Random random) {
        List<Claim> claims = List.of(
                Claim.shared(A),
                Claim.shared(B),
                Claim.shared(A, B),
                Claim.shared(B, A),
                Claim.exclusive(B, A));
        return claims.get(random.nextInt(claims.size()));
    }

    private static void assertExclusion(List<LeaseView> leases) {
        for (LeaseView one : leases) {
            for (LeaseView other : leases) {
                boolean conflict = NaiveScopes.conflict(
                        one.holding().claim(), other.holding().claim());
                assertThat(conflict && !one.equals(other)).isFalse();
            }
        }
    }
}
