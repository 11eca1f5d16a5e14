// SPDX-License-Identifier: Apache-2.0
package io.leasehold.internal;

import java.util.Arrays;
import java.util.NoSuchElementException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A binary heap ordered by due time from which any element can be removed in logarithmic time,
 * because each element knows its slot. Times are compared by subtraction, so clocks with any origin
 * will do. Not thread-safe.
 */
public final class TimerHeap<E extends TimerHeap.Timed> {

    /** An element of at most one heap. */
    public interface Timed {

        /** When it is due; constant while in the heap, but for {@link TimerHeap#update}. */
        long dueAt();

        /** Where the heap keeps it, or -1 outside. Written by the heap only. */
        int slot();

        /** Called by the heap only. */
        void slot(int slot);
    }

    /** Outside of any heap. */
    public static final int NOWHERE = -1;

    private @Nullable Timed[] elements = new @Nullable Timed[8];
    private int size;

    public boolean isEmpty() {
        return size == 0;
    }

    public int size() {
        return size;
    }

    /** Whether the first element is due at the given time. */
    public boolean isDue(long now) {
        return size > 0 && at(0).dueAt() - now <= 0;
    }

    /** The element that is due first. */
    public E first() {
        if (size == 0) {
            throw new NoSuchElementException("the heap is empty");
        }
        return element(0);
    }

    public void add(E element) {
        if (size == elements.length) {
            elements = Arrays.copyOf(elements, size + (size >> 1));
        }
        siftUp(size++, element);
    }

    /** Removes the element; does nothing when it is not here. */
    public void remove(E element) {
        int slot = element.slot();
        if (slot == NOWHERE) {
            return;
        }
        element.slot(NOWHERE);
        Timed last = at(--size);
        elements[size] = null;
        if (slot < size) {
            place(slot, last);
        }
    }

    /** Restores the order after the element's due time changed. */
    public void update(E element) {
        place(element.slot(), element);
    }

    /** Whether the condition holds for any element. */
    public boolean anyMatch(Predicate<? super E> condition) {
        for (int i = 0; i < size; i++) {
            if (condition.test(element(i))) {
                return true;
            }
        }
        return false;
    }

    /** Passes on all elements, in no order. The heap must not be changed meanwhile. */
    public void forEach(Consumer<? super E> action) {
        for (int slot = 0; slot < size; slot++) {
            action.accept(element(slot));
        }
    }

    /** Restores the order after the due times of any elements changed. */
    public void reorder() {
        for (int slot = (size >>> 1) - 1; slot >= 0; slot--) {
            siftDown(slot, at(slot));
        }
    }

    private void place(int slot, Timed element) {
        if (slot > 0 && element.dueAt() - at((slot - 1) >>> 1).dueAt() < 0) {
            siftUp(slot, element);
        } else {
            siftDown(slot, element);
        }
    }

    private void siftUp(int slot, Timed element) {
        while (slot > 0) {
            int parent = (slot - 1) >>> 1;
            Timed above = at(parent);
            if (above.dueAt() - element.dueAt() <= 0) {
                break;
            }
            put(slot, above);
            slot = parent;
        }
        put(slot, element);
    }

    private void siftDown(int slot, Timed element) {
        int half = size >>> 1;
        while (slot < half) {
            int child = 2 * slot + 1;
            Timed least = at(child);
            if (child + 1 < size && at(child + 1).dueAt() - least.dueAt() < 0) {
                least = at(++child);
            }
            if (element.dueAt() - least.dueAt() <= 0) {
                break;
            }
            put(slot, least);
            slot = child;
        }
        put(slot, element);
    }

    private void put(int slot, Timed element) {
        elements[slot] = element;
        element.slot(slot);
    }

    @SuppressWarnings("unchecked") // only E is ever added
    private E element(int slot) {
        return (E) at(slot);
    }

    private Timed at(int slot) {
        Timed element = elements[slot];
        if (element == null) {
            throw new AssertionError("empty slot " + slot + " of " + size);
        }
        return element;
    }
}
