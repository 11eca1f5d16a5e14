// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the questions that have no answer yet, by number and by bytes. Acquires leave room for the
 * others: who holds a lease must be able to keep it, however many want one. Thread-safe.
 */
final class OpenQuestions {

    private static final int MAX_ACQUIRES = 100_000;
    private static final int MAX_QUESTIONS = 120_000;
    private static final long MAX_BYTES_OF_ACQUIRES = 64 << 20;
    private static final long MAX_BYTES = 80 << 20;

    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();

    /** Counts it, whether there is room or not; false if there is none. */
    boolean add(Question<?> question) {
        int number = count.incrementAndGet();
        long size = bytes.addAndGet(question.bytes());
        return question.acquires()
                ? number <= MAX_ACQUIRES && size <= MAX_BYTES_OF_ACQUIRES
                : number <= MAX_QUESTIONS && size <= MAX_BYTES;
    }

    /** It has its answer, or gets none. */
    void remove(Question<?> question) {
        count.decrementAndGet();
        bytes.addAndGet(-question.bytes());
    }
}
