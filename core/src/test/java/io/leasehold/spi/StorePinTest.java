// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.StoreId;
import io.leasehold.spi.StorePin.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a client keeps to its store, and when it goes over to another. */
final class StorePinTest {

    private static final StoreId OURS = new StoreId(1, 1);
    private static final StoreId OTHER = new StoreId(2, 2);
    private static final StoreId THIRD = new StoreId(3, 3);
    private static final Duration TTL = Duration.ofSeconds(10);

    private final List<StoreId> told = new ArrayList<>();

    private StorePin pinned(int addresses) {
        StorePin pin = new StorePin(addresses);
        var unused = pin.onChange(told::add);
        assertThat(heard(pin, "a", OURS, 0)).isEqualTo(Verdict.OURS);
        return pin;
    }

    private static Verdict heard(StorePin pin, String from, StoreId id, long now) {
        return pin.heard(from, Optional.of(id), now);
    }

    @Test
    void theFirstStoreThatIsHeardOfIsPinned() {
        StorePin pin = new StorePin(1);
        assertThat(pin.store()).isEmpty();
        assertThat(pin.heard("a", Optional.empty(), 0)).isEqualTo(Verdict.OURS);
        assertThat(heard(pin, "a", OURS, 0)).isEqualTo(Verdict.OURS);
        assertThat(pin.store()).contains(OURS);
    }

    @Test
    void theOnlyAddressIsFollowedAtOnceAndAllAreTold() {
        StorePin pin = pinned(1);
        assertThat(heard(pin, "a", OTHER, 0)).isEqualTo(Verdict.REPLACED);
        assertThat(pin.store()).contains(OTHER);
        assertThat(told).containsExactly(OTHER);
        assertThat(heard(pin, "a", OTHER, 0)).isEqualTo(Verdict.OURS);
    }

    @Test
    void oneOfTwoAddressesIsTurnedAway() {
        StorePin pin = pinned(2);
        assertThat(heard(pin, "b", OTHER, 0)).isEqualTo(Verdict.FOREIGN);
        assertThat(heard(pin, "b", OTHER, 0)).isEqualTo(Verdict.FOREIGN);
        assertThat(pin.store()).contains(OURS);
        assertThat(told).isEmpty();
    }

    @Test
    void bothOfTwoAddressesAreFollowedOnlyIfTheyTellTheSame() {
        StorePin pin = pinned(2);
        assertThat(heard(pin, "b", OTHER, 0)).isEqualTo(Verdict.FOREIGN);
        assertThat(heard(pin, "a", THIRD, 0)).isEqualTo(Verdict.FOREIGN);
        assertThat(heard(pin, "a", OTHER, 0)).isEqualTo(Verdict.REPLACED);
        assertThat(told).containsExactly(OTHER);
    }

    @Test
    void whatWasHeardBeforeThePinnedStoreAnsweredAgainDoesNotCount() {
        StorePin pin = pinned(2);
        assertThat(heard(pin, "b", OTHER, 0)).isEqualTo(Verdict.FOREIGN);
        assertThat(heard(pin, "a", OURS, 0)).isEqualTo(Verdict.OURS);
        assertThat(heard(pin, "a", OTHER, 0)).isEqualTo(Verdict.FOREIGN);
        assertThat(pin.store()).contains(OURS);
    }

    @Test
    void afterAChangeNothingIsAcquiredForTheLongestLeaseThatWasAskedFor() {
        StorePin pin = pinned(1);
        pin.asked(Duration.ofSeconds(1));
        pin.asked(TTL);
        pin.asked(Duration.ofSeconds(2));
        assertThat(pin.refusal(0)).isEmpty();
        assertThat(heard(pin, "a", OTHER, 0)).isEqualTo(Verdict.REPLACED);
        assertThat(pin.refusal(TTL.toNanos()).orElseThrow())
                .hasMessageContaining(OURS.toString())
                .hasMessageContaining(OTHER.toString());
        assertThat(pin.refusal(TTL.multipliedBy(2).toNanos())).isEmpty();
    }

    @Test
    void whoeverHasAskedForNoLeaseNeedNotWait() {
        StorePin pin = pinned(1);
        assertThat(heard(pin, "a", OTHER, 0)).isEqualTo(Verdict.REPLACED);
        assertThat(pin.refusal(0)).isEmpty();
    }

    @Test
    void whoHasClosedItsSubscriptionIsNotTold() {
        StorePin pin = pinned(1);
        pin.onChange(told::add).close();
        assertThat(heard(pin, "a", OTHER, 0)).isEqualTo(Verdict.REPLACED);
        assertThat(told).hasSize(1);
    }

    @Test
    void noAnswerOfTheNewStoreIsTakenBeforeTheListenersHaveReturned() throws Exception {
        StorePin pin = pinned(1);
        CountDownLatch inListener = new CountDownLatch(1);
        CountDownLatch mayReturn = new CountDownLatch(1);
        var unused = pin.onChange(id -> {
            inListener.countDown();
            await(mayReturn);
        });
        FutureTask<Verdict> first = new FutureTask<>(() -> heard(pin, "a", OTHER, 0));
        FutureTask<Verdict> second = new FutureTask<>(() -> heard(pin, "a", OTHER, 0));
        new Thread(first, "first").start();
        await(inListener);
        Thread waiting = new Thread(second, "second");
        waiting.start();
        while (!second.isDone() && waiting.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        assertThat(second.isDone()).isFalse();

        mayReturn.countDown();

        assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo(Verdict.REPLACED);
        assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo(Verdict.OURS);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts here", e);
        }
    }

    @Test
    void aListenerThatFailsKeepsBackNeitherTheOthersNorTheAnswer() {
        StorePin pin = new StorePin(1);
        var failing = pin.onChange(id -> {
            throw new IllegalStateException("a listener's own");
        });
        var other = pin.onChange(told::add);
        assertThat(heard(pin, "a", OURS, 0)).isEqualTo(Verdict.OURS);
        assertThat(heard(pin, "a", OTHER, 0)).isEqualTo(Verdict.REPLACED);
        assertThat(told).containsExactly(OTHER);
        failing.close();
        other.close();
    }

    @Test
    void anIdIsReadAsItWasWritten() {
        StoreId id = new StoreId(-1, 7);
        assertThat(id).hasToString("ffffffffffffffff0000000000000007");
        assertThat(StoreId.parse(id.toString())).isEqualTo(id);
    }
}
