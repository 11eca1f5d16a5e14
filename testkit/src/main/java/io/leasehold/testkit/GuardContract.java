// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.guard.Admission;
import io.leasehold.guard.Guard;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.model.ScopeMismatchException;
import io.leasehold.model.StaleTokenException;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What every guard owes, as tests. A guard's test extends this class and says how to open a guard
 * around an empty resource that holds one text; everything that {@link Guard} states is then
 * checked. A guard of a resource with parts extends {@link RangeGuardContract} as well.
 *
 * @param <R> how the guarded resource is reached in a write
 */
public abstract class GuardContract<R> {

    /** The resource that the tests guard. */
    protected static final Scope RESOURCE = Scope.name("ledger/42");

    /**
     * Opens a guard of {@link #RESOURCE}, which was never written. Called once per test, before
     * anything else; whatever it opens is closed by the subclass after the test.
     */
    protected abstract Guard<R> open();

    /**
     * Opens the same resource again, as another process would after this one is gone. What does not
     * outlive its process returns the guard that it is given.
     */
    protected abstract Guard<R> reopen(Guard<R> guard);

    /** Writes the text, from within a change. */
    protected abstract void put(R resource, String text);

    /** Reads the text from outside any change; empty if nothing was written. */
    protected abstract String read(Guard<R> guard);

    /** How many writes the random run makes, at least a tenth of them stale. */
    protected int writes() {
        return TestLength.of(1_000, 100_000);
    }

    @Test
    void aNewGuardHasNoMarkAndAcceptsAnyToken() {
        Guard<R> guard = open();
        assertThat(guard.mark()).isEmpty();

        put(guard, 7, "first");

        assertThat(guard.mark()).contains(token(7));
        assertThat(read(guard)).isEqualTo("first");
    }

    @Test
    void theSameTokenPassesAgainAndANewerOneRaisesTheMark() {
        Guard<R> guard = open();
        put(guard, 7, "first");
        put(guard, 7, "second");
        put(guard, 9, "third");

        assertThat(read(guard)).isEqualTo("third");
        assertThat(guard.mark()).contains(token(9));
    }

    @Test
    void anOlderTokenIsRejectedWithBothNumbersAndItsWriteDoesNotRun() {
        Guard<R> guard = open();
        put(guard, 9, "newest");

        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> put(guard, 8, "late"))
                .withMessageContaining("stale token 8")
                .withMessageContaining("token 9")
                .satisfies(stale -> {
                    assertThat(stale.token()).isEqualTo(token(8));
                    assertThat(stale.mark()).isEqualTo(token(9));
                });
        assertStale(() -> guard.admit(token(8)));
        assertStale(() -> guard.seal(token(1)));
        assertThat(read(guard)).isEqualTo("newest");
        assertThat(guard.mark()).contains(token(9));
    }

    @Test
    void aSealBeforeTheFirstReadShutsOutEarlierHolders() {
        Guard<R> guard = open();
        put(guard, 1, "1");

        guard.seal(token(2));
        String read = read(guard);
        assertStale(() -> put(guard, 1, "between read and write"));
        put(guard, 2, read + " and 2");

        assertThat(read(guard)).isEqualTo("1 and 2");
    }

    @Test
    void aSealOfAnEmptyResourceHolds() {
        Guard<R> guard = open();
        guard.seal(token(5));

        assertThat(read(guard)).isEmpty();
        assertStale(() -> put(guard, 4, "late"));
        assertThat(guard.mark()).contains(token(5));
    }

    @Test
    void theMarkIsAsDurableAsTheData() {
        Guard<R> guard = open();
        put(guard, 3, "three");
        guard.seal(token(4));

        Guard<R> again = reopen(guard);

        assertThat(again.mark()).contains(token(4));
        assertThat(read(again)).isEqualTo("three");
        assertStale(() -> put(again, 3, "late"));
        put(again, 4, "four");
        assertThat(read(reopen(again))).isEqualTo("four");
    }

    @Test
    void aChangeThatThrowsIsPassedOnAndLeavesTheGuardUsable() {
        Guard<R> guard = open();
        put(guard, 5, "five");

        assertThatThrownBy(() -> guard.write(token(6), resource -> {
                    throw new IllegalStateException("no");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no");

        assertStale(() -> put(guard, 4, "late"));
        put(guard, 6, "six");
        assertThat(read(guard)).isEqualTo("six");
    }

    @Test
    void theHighestTokenOfAllPasses() {
        Guard<R> guard = open();
        put(guard, FencingToken.MAX_VALUE, "last");

        assertThat(reopen(guard).mark()).contains(token(FencingToken.MAX_VALUE));
        assertStale(() -> put(guard, FencingToken.MAX_VALUE - 1, "late"));
    }

    @Test
    void aChangeReturnsItsResult() {
        Guard<R> guard = open();

        assertThat(guard.<String>change(token(1), resource -> "returned")).isEqualTo("returned");
    }

    @Test
    void anAdmissionUnderALeaseOnSomethingElseDoesNotExist() {
        assertThatExceptionOfType(ScopeMismatchException.class)
                .isThrownBy(() ->
                        new Admission(token(1), Claim.exclusive(Scope.name("ledger/43")), RESOURCE))
                .withMessage("a lease on name:ledger/43 does not cover name:ledger/42")
                .satisfies(mismatch -> {
                    assertThat(mismatch.target()).isEqualTo(RESOURCE);
                    assertThat(mismatch.reason()).isEqualTo(RefusalReason.SCOPE_MISMATCH);
                });
    }

    @Test
    void aGuardThatIsAskedAboutAnotherResourceRefuses() {
        Guard<R> guard = open();
        Scope other = Scope.name("ledger/43");

        assertThatExceptionOfType(ScopeMismatchException.class)
                .isThrownBy(() -> guard.write(Admission.of(token(1), other), resource -> {
                    put(resource, "elsewhere");
                }))
                .withMessage("the guard of name:ledger/42 was asked about name:ledger/43");
        assertThat(read(guard)).isEmpty();
        assertThat(guard.mark()).isEmpty();
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void whateverWayTwoHoldersRaceTheDataIsThatOfTheNewest() throws Exception {
        Guard<R> guard = open();
        for (long round = 0; round < 200; round++) {
            race(guard, 2 * round + 1, 2 * round + 2);
            assertThat(read(guard)).isEqualTo("token " + (2 * round + 2));
            assertThat(guard.mark()).contains(token(2 * round + 2));
        }
    }

    private void race(Guard<R> guard, long older, long newer) throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        CompletableFuture<Void> rival = CompletableFuture.runAsync(() -> {
            await(start);
            putUnlessStale(guard, older);
        });
        await(start);
        assertThat(putUnlessStale(guard, newer)).isTrue();
        rival.get();
    }

    /**
     * Holders come and go; each write is made by the newest or by one that was paused since. Every
     * stale one is refused, and what is there is always what the newest wrote.
     */
    @Test
    @Timeout(value = 300, unit = TimeUnit.SECONDS)
    void amongManyWritesEveryStaleOneIsRefused() {
        Guard<R> guard = open();
        SplittableRandom random = new SplittableRandom(42);
        long newest = 1;
        int stale = 0;
        String expected = "";
        for (int i = 0; i < writes(); i++) {
            if (random.nextInt(4) == 0) {
                newest += 1 + random.nextInt(3);
            }
            long token = random.nextInt(5) == 0 ? 1 + random.nextLong(newest) : newest;
            boolean late = token < guard.mark().map(FencingToken::value).orElse(0L);
            String text = "write " + i;
            if (late) {
                stale++;
                assertStale(() -> put(guard, token, text));
            } else {
                put(guard, token, text);
                expected = text;
            }
            if (i % 100 == 0) {
                assertThat(read(guard)).isEqualTo(expected);
            }
        }
        assertThat(read(guard)).isEqualTo(expected);
        assertThat(stale).as("stale writes").isGreaterThanOrEqualTo(writes() / 10);
    }

    @Test
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void tokensAcceptedFromManyThreadsNeverDecrease() {
        Guard<R> guard = open();
        AtomicLong highest = new AtomicLong(); // raised only from within changes
        CompletableFuture<?>[] threads = new CompletableFuture<?>[4];
        for (int t = 0; t < threads.length; t++) {
            SplittableRandom random = new SplittableRandom(t);
            threads[t] = CompletableFuture.runAsync(() -> {
                for (long i = 1; i <= 250; i++) {
                    long token = i + random.nextInt(20);
                    try {
                        guard.write(token(token), resource -> {
                            assertThat(highest.getAndSet(token)).isLessThanOrEqualTo(token);
                            put(resource, "token " + token);
                        });
                    } catch (StaleTokenException e) {
                        assertThat(e.mark()).isGreaterThan(e.token());
                    }
                }
            });
        }
        CompletableFuture.allOf(threads).join();

        assertThat(read(guard)).isEqualTo("token " + highest);
        assertThat(guard.mark()).contains(token(highest.get()));
    }

    private boolean putUnlessStale(Guard<R> guard, long token) {
        try {
            put(guard, token, "token " + token);
            return true;
        } catch (StaleTokenException e) {
            assertThat(e.mark()).isGreaterThan(e.token());
            return false;
        }
    }

    private void put(Guard<R> guard, long token, String text) {
        guard.write(token(token), resource -> put(resource, text));
    }

    private static void assertStale(Runnable write) {
        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(write::run);
    }

    private static void await(CyclicBarrier start) {
        try {
            start.await();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static FencingToken token(long value) {
        return new FencingToken(value);
    }
}
