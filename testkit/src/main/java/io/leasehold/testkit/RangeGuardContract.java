// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.guard.Admission;
import io.leasehold.guard.Guard;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.model.ScopeMismatchException;
import io.leasehold.model.StaleTokenException;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a guard of an inode's bytes owes beyond {@link GuardContract}: a mark for each part.
 *
 * @param <R> how the guarded bytes are reached in a write
 */
public abstract class RangeGuardContract<R> {

    /** The inode that the tests guard. */
    protected static final long INODE = 4711;

    /** Opens a guard of inode {@link #INODE}, which was never written. Once per test. */
    protected abstract Guard<R> open();

    /** Opens the same resource again; see {@link GuardContract#reopen}. */
    protected abstract Guard<R> reopen(Guard<R> guard);

    /** Fills the bytes [start, end) with the given one, from within a change. */
    protected abstract void fill(R resource, long start, long end, byte with);

    /** The bytes [0, length), zero where nothing was written. */
    protected abstract byte[] read(Guard<R> guard, int length);

    /** How many writes the long run makes. */
    protected int writes() {
        return 20_000;
    }

    @Test
    void writesToDifferentBytesDoNotMeet() {
        Guard<R> guard = open();
        fill(guard, 9, 0, 10);
        fill(guard, 3, 10, 20);

        assertThat(mark(guard, 0, 10)).contains(9L);
        assertThat(mark(guard, 10, 20)).contains(3L);
        assertThat(mark(guard, 20, 30)).isEmpty();
        assertThat(guard.mark()).map(FencingToken::value).contains(9L);
    }

    @Test
    void aWriteIsRefusedWhenAnyByteOfItHasSeenANewerToken() {
        Guard<R> guard = open();
        fill(guard, 9, 10, 20);

        assertStale(guard, 8, 19, 30);
        assertStale(guard, 8, 0, 11);
        assertStale(guard, 8, 0, 30);
        assertStale(guard, 8, 12, 13);
        fill(guard, 8, 20, 30);
        fill(guard, 8, 0, 10);
    }

    @Test
    void exactlyTheWrittenBytesAreRaised() {
        Guard<R> guard = open();
        fill(guard, 1, 0, 100);
        fill(guard, 5, 40, 60);

        assertThat(mark(guard, 0, 40)).contains(1L);
        assertThat(mark(guard, 39, 41)).contains(5L);
        assertThat(mark(guard, 59, 61)).contains(5L);
        assertThat(mark(guard, 60, 100)).contains(1L);
        fill(guard, 2, 0, 40);
        assertStale(guard, 1, 0, 1);
        assertStale(guard, 4, 0, 41);
    }

    @Test
    void aSealOfTheWholeShutsOutEarlierHoldersEverywhere() {
        Guard<R> guard = open();
        fill(guard, 3, 0, 10);
        guard.seal(new FencingToken(7));

        assertStale(guard, 6, 0, 10);
        assertStale(guard, 6, 1_000_000, 1_000_001);
        assertThat(mark(guard, 5_000, 6_000)).contains(7L);
    }

    @Test
    void aBareTokenIsRefusedWhenAnyPartHasSeenANewerOne() {
        Guard<R> guard = open();
        fill(guard, 9, 500, 501);

        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> guard.admit(new FencingToken(8)));
        assertThat(mark(guard, 0, 500)).isEmpty();
    }

    @Test
    void anotherInodeIsNoPartOfTheResource() {
        Guard<R> guard = open();
        Scope foreign = Scope.range(INODE + 1, 0, 10);

        assertThatExceptionOfType(ScopeMismatchException.class)
                .isThrownBy(() -> guard.admit(Admission.of(new FencingToken(1), foreign)));
    }

    @Test
    void bytesOutsideTheLeasedRangeAreRefused() {
        Guard<R> guard = open();
        Claim leased = Claim.exclusive(Scope.range(INODE, 0, 10));

        assertThatExceptionOfType(ScopeMismatchException.class)
                .isThrownBy(() -> guard.admit(
                        new Admission(new FencingToken(1), leased, Scope.range(INODE, 5, 11))))
                .withMessage("a lease on range:4711:0-10 does not cover range:4711:5-11");
    }

    @Test
    void theMarksAreAsDurableAsTheBytes() {
        Guard<R> guard = open();
        fill(guard, 9, 0, 10);
        fill(guard, 3, 10, 20);
        guard.seal(admission(5, 30, 40));

        Guard<R> again = reopen(guard);

        assertThat(mark(again, 0, 10)).contains(9L);
        assertThat(mark(again, 10, 20)).contains(3L);
        assertThat(mark(again, 30, 40)).contains(5L);
        assertThat(mark(again, 20, 30)).isEmpty();
        assertStale(again, 2, 15, 16);
        byte[] bytes = read(again, 40);
        assertThat(bytes[0]).isEqualTo((byte) 9);
        assertThat(bytes[19]).isEqualTo((byte) 3);
        assertThat(bytes[30]).isZero();
    }

    /** A mark for every byte, kept naively, says which writes must pass. */
    @Test
    @Timeout(value = 300, unit = TimeUnit.SECONDS)
    void randomWritesPassExactlyWhenNoByteHasSeenANewerToken() {
        int size = 300;
        Guard<R> guard = open();
        SplittableRandom random = new SplittableRandom(7);
        long[] marks = new long[size];
        byte[] expected = new byte[size];
        int stale = 0;
        for (int i = 1; i <= writes(); i++) {
            int start = random.nextInt(size);
            int end = start + 1 + random.nextInt(Math.min(40, size - start));
            long token = 1L + i / 10 + random.nextInt(30);
            long highest = Arrays.stream(marks, start, end).max().orElseThrow();
            if (token < highest) {
                stale++;
                assertStale(guard, token, start, end);
            } else {
                fill(guard, token, start, end);
                Arrays.fill(marks, start, end, token);
                Arrays.fill(expected, start, end, (byte) token);
            }
            assertThat(mark(guard, start, end)).contains(Math.max(token, highest));
            if (i % 500 == 0) {
                guard = i % 1000 == 0 ? reopen(guard) : guard;
                assertThat(read(guard, size)).isEqualTo(expected);
            }
        }
        assertThat(stale).as("stale writes").isGreaterThan(writes() / 10);
    }

    private void fill(Guard<R> guard, long token, long start, long end) {
        guard.write(admission(token, start, end), bytes -> fill(bytes, start, end, (byte) token));
    }

    private void assertStale(Guard<R> guard, long token, long start, long end) {
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> fill(guard, token, start, end));
    }

    private static Optional<Long> mark(Guard<?> guard, long start, long end) {
        return guard.mark(Scope.range(INODE, start, end)).map(FencingToken::value);
    }

    private static Admission admission(long token, long start, long end) {
        return Admission.of(new FencingToken(token), Scope.range(INODE, start, end));
    }
}
