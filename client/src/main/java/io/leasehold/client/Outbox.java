// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What waits to be sent, in the order in which it came, but acquires behind all others: who holds a
 * lease must be able to keep it, however many want one. Thread-safe.
 */
final class Outbox {

    private static final int MAX_CALLS = 256;
    private static final int MAX_BYTES = 256 << 10;

    private final Queue<Question<?>> urgent = new ConcurrentLinkedQueue<>();
    private final Queue<Question<?>> acquires = new ConcurrentLinkedQueue<>();

    void add(Question<?> question) {
        (question.acquires() ? acquires : urgent).add(question);
    }

    /** Takes as much as goes into one message; nothing if there is nothing. By one thread. */
    List<Question<?>> nextBatch() {
        List<Question<?>> batch = new ArrayList<>();
        int bytes = fill(batch, urgent, 0);
        fill(batch, acquires, bytes);
        return batch;
    }

    private static int fill(List<Question<?>> batch, Queue<Question<?>> from, int before) {
        int bytes = before;
        for (Question<?> next = from.peek(); next != null; next = from.peek()) {
            boolean fits = batch.size() < MAX_CALLS && bytes + next.bytes() <= MAX_BYTES;
            if (!batch.isEmpty() && !fits) {
                return MAX_BYTES;
            }
            batch.add(next);
            bytes += next.bytes();
            from.remove();
        }
        return bytes;
    }

    /** Takes all that the condition is true of. */
    List<Question<?>> take(Predicate<Question<?>> condition) {
        List<Question<?>> taken = new ArrayList<>();
        take(urgent, condition, taken);
        take(acquires, condition, taken);
        return taken;
    }

    private static void take(
            Queue<Question<?>> from, Predicate<Question<?>> condition, List<Question<?>> taken) {
        for (Iterator<Question<?>> all = from.iterator(); all.hasNext(); ) {
            Question<?> next = all.next();
            if (condition.test(next)) {
                all.remove();
                taken.add(next);
            }
        }
    }

    /** Takes one, whichever; null if there is none. */
    @Nullable
    Question<?> takeAny() {
        Question<?> first = urgent.poll();
        return first == null ? acquires.poll() : first;
    }
}
