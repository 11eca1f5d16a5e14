// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.leasehold.model.FencingToken;
import io.leasehold.model.StaleTokenException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class MemoryGuardTest {

    private final List<String> ledger = new ArrayList<>();
    private final MemoryGuard<List<String>> guard = MemoryGuard.around("ledger", ledger);

    private static FencingToken token(long value) {
        return new FencingToken(value);
    }

    @Test
    void aNewGuardHasNoMarkAndAcceptsAnyToken() {
        assertThat(guard.mark()).isEmpty();

        guard.admit(token(7));

        assertThat(guard.mark()).contains(token(7));
    }

    @Test
    void theSameTokenPassesAgainAndANewerOneRaisesTheMark() {
        guard.write(token(7), entries -> entries.add("first"));
        guard.write(token(7), entries -> entries.add("second"));
        int size = guard.change(token(9), List::size);

        assertThat(size).isEqualTo(2);
        assertThat(guard.mark()).contains(token(9));
    }

    @Test
    void anOlderTokenIsRejectedWithBothNumbersAndItsWriteDoesNotRun() {
        guard.admit(token(9));

        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> guard.write(token(8), entries -> entries.add("late")))
                .withMessage("stale token 8: ledger has seen token 9")
                .satisfies(stale -> {
                    assertThat(stale.token()).isEqualTo(token(8));
                    assertThat(stale.mark()).isEqualTo(token(9));
                });
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> guard.admit(token(8)));
        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> guard.seal(token(1)));
        assertThat(ledger).isEmpty();
        assertThat(guard.mark()).contains(token(9));
    }

    @Test
    void aSealBeforeTheFirstReadShutsOutEarlierHolders() {
        guard.write(token(1), entries -> entries.add("1"));

        guard.seal(token(2));
        int read = ledger.size();
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() ->
                        guard.write(token(1), entries -> entries.add("between read and write")));
        guard.write(token(2), entries -> entries.add("after " + read));

        assertThat(ledger).containsExactly("1", "after 1");
    }

    @Test
    void aChangeThatThrowsLeavesTheMarkRaisedAndTheGuardUsable() {
        assertThatIllegalStateException()
                .isThrownBy(() -> guard.write(token(5), entries -> {
                    throw new IllegalStateException("disk full");
                }))
                .withMessage("disk full");

        assertThat(guard.mark()).contains(token(5));
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> guard.admit(token(4)));
        guard.write(token(5), entries -> entries.add("again"));
        assertThat(ledger).containsExactly("again");
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void whateverWayTwoHoldersRaceTheDataIsThatOfTheNewest() throws Exception {
        for (long round = 0; round < 2_000; round++) {
            race(2 * round + 1, 2 * round + 2);
            assertThat(ledger.get(ledger.size() - 1)).isEqualTo("token " + (2 * round + 2));
            assertThat(guard.mark()).contains(token(2 * round + 2));
        }
    }

    private void race(long older, long newer) throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        CompletableFuture<Void> rival = CompletableFuture.runAsync(() -> write(start, older));
        write(start, newer);
        rival.get();
    }

    private void write(CyclicBarrier start, long token) {
        try {
            start.await();
            guard.write(token(token), entries -> entries.add("token " + token));
        } catch (StaleTokenException e) {
            assertThat(e.mark()).isGreaterThan(e.token());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
