// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.nio.ByteBuffer;
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

    /** A growing array, in pages that copies share and that are never changed. */
    private static final class Bytes {

        private static final int PAGE = 4096;
        private static final byte[] BLANK = new byte[PAGE];

        private final List<byte[]> pages = new ArrayList<>();
        int size;

        void write(int position, byte[] bytes, int from, int to) {
            int at = from;
            while (at < to) {
                int start = (position + at) % PAGE;
                int count = Math.min(to - at, PAGE - start);
                writePage((position + at) / PAGE, start, bytes, at, count);
                at += count;
            }
            size = Math.max(size, position + to);
        }

        private void writePage(int page, int start, byte[] bytes, int from, int count) {
            while (pages.size() <= page) {
                pages.add(BLANK);
            }
            if (count == PAGE && Arrays.equals(bytes, from, from + PAGE, BLANK, 0, PAGE)) {
                pages.set(page, BLANK);
            } else {
                byte[] changed = pages.get(page).clone();
                System.arraycopy(bytes, from, changed, start, count);
                pages.set(page, changed);
            }
        }

        void read(int position, ByteBuffer into, int count) {
            int at = position;
            while (at < position + count) {
                int start = at % PAGE;
                int part = Math.min(position + count - at, PAGE - start);
                into.put(pages.get(at / PAGE), start, part);
                at += part;
            }
        }

        void cut(int at) {
            if (at < size) {
                int page = (at + PAGE - 1) / PAGE;
                pages.subList(page, pages.size()).clear();
                if (at % PAGE > 0) {
                    byte[] last = Arrays.copyOf(pages.get(page - 1), at % PAGE);
                    pages.set(page - 1, Arrays.copyOf(last, PAGE));
                }
                size = at;
            }
        }

        Bytes copy() {
            Bytes copy = new Bytes();
            copy.pages.addAll(pages);
            copy.size = size;
            return copy;
        }
    }

    int size() {
        return seen.size;
    }

    byte[] bytes() {
        ByteBuffer all = ByteBuffer.allocate(seen.size);
        seen.read(0, all, seen.size);
        return all.array();
    }

    /** As much as there is from the position on, at most what the buffer takes. */
    int read(long position, ByteBuffer into) {
        if (position >= seen.size) {
            return 0;
        }
        int count = Math.min(into.remaining(), seen.size - (int) position);
        seen.read((int) position, into, count);
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
