// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What a simulated file holds: as programs see it, as it is surely on the medium, and the writes
 * that make the difference. Not thread-safe.
 */
final class SimulatedContent {

    private static final int SECTOR = 512;

    private Bytes seen = new Bytes();
    private Bytes durable = new Bytes();
    private final List<Step> unforced = new ArrayList<>();

    /** Bytes written at a position, or with none, a cut at it. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Step(int position, byte[] bytes, boolean cut) {

        void applyTo(Bytes content) {
            if (cut) {
                content.cut(position);
            } else {
                content.write(position, bytes, 0, bytes.length);
            }
        }
    }

    /** A growing array. */
    private static final class Bytes {
        byte[] array = new byte[0];
        int size;

        void write(int position, byte[] bytes, int from, int to) {
            int end = position + to;
            if (end > array.length) {
                array = Arrays.copyOf(array, Math.max(end, array.length * 2));
            }
            System.arraycopy(bytes, from, array, position + from, to - from);
            size = Math.max(size, end);
        }

        void cut(int at) {
            if (at < size) {
                Arrays.fill(array, at, size, (byte) 0);
                size = at;
            }
        }

        Bytes copy() {
            Bytes copy = new Bytes();
            copy.array = Arrays.copyOf(array, size);
            copy.size = size;
            return copy;
        }
    }

    int size() {
        return seen.size;
    }

    byte[] bytes() {
        return Arrays.copyOf(seen.array, seen.size);
    }

    /** As much as there is from the position on, at most to the length of the target. */
    int read(long position, byte[] into) {
        if (position >= seen.size) {
            return 0;
        }
        int count = Math.min(into.length, seen.size - (int) position);
        System.arraycopy(seen.array, (int) position, into, 0, count);
        return count;
    }

    void write(long position, byte[] bytes) {
        add(new Step(Math.toIntExact(position), bytes, false));
    }

    void truncate(long size) {
        if (size < seen.size) {
            add(new Step((int) size, new byte[0], true));
        }
    }

    private void add(Step step) {
        unforced.add(step);
        step.applyTo(seen);
    }

    void force() {
        unforced.forEach(step -> step.applyTo(durable));
        unforced.clear();
    }

    /**
     * The force fails: some sectors have reached the medium, and the system gives up on the others.
     * Programs still see them, and no later force writes them.
     */
    void failForce(SplittableRandom random) {
        int style = random.nextInt(4); // all, none, or sector by sector
        for (Step step : unforced) {
            if (style == 0) {
                step.applyTo(durable);
            } else if (style > 1) {
                keepSome(step, random);
            }
        }
        unforced.clear();
    }

    /** Keeps of what was not forced whichever sectors the medium happens to have written. */
    void crash(SplittableRandom random) {
        failForce(random);
        seen = durable.copy();
    }

    private void keepSome(Step step, SplittableRandom random) {
        if (step.cut()) {
            if (random.nextBoolean()) {
                step.applyTo(durable);
            }
            return;
        }
        int at = 0;
        while (at < step.bytes().length) {
            int sector = SECTOR - (step.position() + at) % SECTOR;
            int to = Math.min(step.bytes().length, at + sector);
            if (random.nextBoolean()) {
                durable.write(step.position(), step.bytes(), at, to);
            }
            at = to;
        }
    }

    /** Puts other bytes in place, as if they had always been there. */
    void put(byte[] bytes) {
        seen = new Bytes();
        seen.write(0, bytes, 0, bytes.length);
        durable = seen.copy();
        unforced.clear();
    }
}
