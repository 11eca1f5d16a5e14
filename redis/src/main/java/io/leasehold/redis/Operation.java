// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** One operation on its way to the script. */
final class Operation {

    private final byte[][] words;
    private final int weight;
    private final CompletableFuture<List<Object>> answer = new CompletableFuture<>();
    // how often it was sent again, and since when
    private final AtomicInteger repeats = new AtomicInteger();
    private volatile long repeatedSince;

    private Operation(byte[][] words, int weight) {
        this.words = words;
        this.weight = weight;
    }

    static Operation of(char letter, byte[]... arguments) {
        return of(letter, 1, arguments);
    }

    static Operation of(char letter, int weight, byte[]... arguments) {
        byte[][] words = new byte[arguments.length + 1][];
        words[0] = Wire.text(letter + Integer.toString(arguments.length));
        System.arraycopy(arguments, 0, words, 1, arguments.length);
        return new Operation(words, weight);
    }

    /** One that is a single word; {@code state.lua} says which there are. */
    static Operation inOne(byte[] word, int weight) {
        return new Operation(new byte[][] {word}, weight);
    }

    /** Its letter with the number of arguments, then those; or all in one. */
    byte[][] words() {
        return words;
    }

    /** How much work it is, in acquires. */
    int weight() {
        return weight;
    }

    /** Completed with the answer: a letter and what belongs to it. */
    CompletableFuture<List<Object>> answer() {
        return answer;
    }

    /** Counts that it is sent once more; returns how often it was. */
    int repeat(long now) {
        if (repeats.get() == 0) {
            repeatedSince = now;
        }
        return repeats.incrementAndGet();
    }

    /** When it was sent again for the first time. */
    long repeatedSince() {
        return repeatedSince;
    }

    int bytes() {
        int bytes = 0;
        for (byte[] word : words) {
            bytes += word.length;
        }
        return bytes;
    }
}
