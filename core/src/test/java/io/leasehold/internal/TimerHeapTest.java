// SPDX-License-Identifier: Apache-2.0
package io.leasehold.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TimerHeapTest {

    private static final class Timer implements TimerHeap.Timed {
        private long dueAt;
        private int slot = TimerHeap.NOWHERE;

        Timer(long dueAt) {
            this.dueAt = dueAt;
        }

        @Override
        public long dueAt() {
            return dueAt;
        }

        @Override
        public int slot() {
            return slot;
        }

        @Override
        public void slot(int slot) {
            this.slot = slot;
        }
    }

    @Test
    void anEmptyHeapHasNothingDue() {
        TimerHeap<Timer> heap = new TimerHeap<>();

        assertThat(heap.isEmpty()).isTrue();
        assertThat(heap.isDue(Long.MAX_VALUE)).isFalse();
        assertThatExceptionOfType(NoSuchElementException.class).isThrownBy(heap::first);
    }

    @Test
    void anElementIsDueAtItsTimeAndNotBefore() {
        TimerHeap<Timer> heap = new TimerHeap<>();
        heap.add(new Timer(10));

        assertThat(heap.isDue(9)).isFalse();
        assertThat(heap.isDue(10)).isTrue();
        assertThat(heap.isDue(11)).isTrue();
    }

    @Test
    void removalOfWhatIsNotThereChangesNothing() {
        TimerHeap<Timer> heap = new TimerHeap<>();
        Timer there = new Timer(1);
        heap.add(there);
        heap.remove(new Timer(1));
        assertThat(heap.size()).isEqualTo(1);

        heap.remove(there);
        heap.remove(there);
        assertThat(heap.size()).isZero();
        assertThat(there.slot()).isEqualTo(TimerHeap.NOWHERE);
    }

    @Test
    void timesAreComparedOverTheEndOfTheClock() {
        TimerHeap<Timer> heap = new TimerHeap<>();
        Timer before = new Timer(Long.MAX_VALUE - 1);
        Timer after = new Timer(Long.MIN_VALUE + 1);
        heap.add(after);
        heap.add(before);

        assertThat(heap.first()).isSameAs(before);
        assertThat(heap.isDue(Long.MAX_VALUE)).isTrue();
        heap.remove(before);
        assertThat(heap.isDue(Long.MAX_VALUE)).isFalse();
        assertThat(heap.isDue(Long.MIN_VALUE + 1)).isTrue();
    }

    @Test
    void randomOperationsKeepTheFirstOneFirst() {
        for (long seed = 1; seed <= 100; seed++) {
            compareWithAList(seed);
        }
    }

    private static void compareWithAList(long seed) {
        Random random = new Random(seed);
        TimerHeap<Timer> heap = new TimerHeap<>();
        List<Timer> list = new ArrayList<>();
        for (int step = 0; step < 1_000; step++) {
            int choice = random.nextInt(10);
            if (choice < 5 || list.isEmpty()) {
                Timer timer = new Timer(random.nextInt(50));
                heap.add(timer);
                list.add(timer);
            } else if (choice < 7) {
                heap.remove(list.remove(random.nextInt(list.size())));
            } else if (choice < 9) {
                Timer timer = list.get(random.nextInt(list.size()));
                timer.dueAt = random.nextInt(50);
                heap.update(timer);
            } else {
                list.remove(heap.first());
                heap.remove(heap.first());
            }
            assertThat(heap.size()).as("seed %d, step %d", seed, step).isEqualTo(list.size());
            if (!list.isEmpty()) {
                long earliest = list.stream().mapToLong(Timer::dueAt).min().orElseThrow();
                assertThat(heap.first().dueAt())
                        .as("seed %d, step %d", seed, step)
                        .isEqualTo(earliest);
            }
        }
        drain(heap, list, seed);
    }

    private static void drain(TimerHeap<Timer> heap, List<Timer> list, long seed) {
        list.sort(Comparator.comparingLong(Timer::dueAt));
        for (Timer next : list) {
            assertThat(heap.first().dueAt()).as("seed %d", seed).isEqualTo(next.dueAt());
            heap.remove(heap.first());
        }
        assertThat(heap.isEmpty()).as("seed %d", seed).isTrue();
    }
}
