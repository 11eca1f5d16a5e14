// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import io.leasehold.guard.Admission;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.spi.Disk;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/** A guarded file with a few places, each of which holds one value and has one mark. */
interface Subject {

    long INODE = 7;
    int WIDTH = 700; // more than a sector, and no multiple of one

    int places();

    void write(long token, int place, int value);

    void seal(long token, int place);

    long mark(int place);

    /** The value at the place, 0 if none was written; fails if it is torn. */
    int value(int place);

    /** How one is opened. */
    interface Kind {
        Subject open(Path file, Disk disk);
    }

    /** A whole file: one place. */
    static Subject whole(Path file, Disk disk) {
        GuardedFile guard = GuardedFile.open(file, Scope.inode(INODE), disk);
        return new Subject() {
            @Override
            public int places() {
                return 1;
            }

            @Override
            public void write(long token, int place, int value) {
                guard.write(new FencingToken(token), file -> file.replace(filled(value)));
            }

            @Override
            public void seal(long token, int place) {
                guard.seal(new FencingToken(token));
            }

            @Override
            public long mark(int place) {
                return number(guard.mark());
            }

            @Override
            public int value(int place) {
                return only(guard.read());
            }
        };
    }

    /** A file with four ranges, and a log that is soon full. */
    static Subject regions(Path file, Disk disk) {
        GuardedRegionFile guard = GuardedRegionFile.open(file, Scope.inode(INODE), disk, 6 * 1024);
        return new Subject() {
            @Override
            public int places() {
                return 4;
            }

            @Override
            public void write(long token, int place, int value) {
                long start = (long) place * WIDTH;
                guard.write(admission(token, place), file -> {
                    byte[] bytes = filled(value);
                    file.write(start, Arrays.copyOf(bytes, 300));
                    file.write(start + 300, Arrays.copyOfRange(bytes, 300, WIDTH));
                });
            }

            @Override
            public void seal(long token, int place) {
                guard.seal(admission(token, place));
            }

            @Override
            public long mark(int place) {
                return number(guard.mark(range(place)));
            }

            @Override
            public int value(int place) {
                byte[] bytes = guard.read((long) place * WIDTH, WIDTH);
                return only(bytes.length == 0 ? bytes : Arrays.copyOf(bytes, WIDTH));
            }
        };
    }

    static Admission admission(long token, int place) {
        return Admission.of(new FencingToken(token), range(place));
    }

    static Scope range(int place) {
        return Scope.range(INODE, (long) place * WIDTH, (long) (place + 1) * WIDTH);
    }

    static byte[] filled(int value) {
        byte[] bytes = new byte[WIDTH];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    static int only(byte[] bytes) {
        for (byte each : bytes) {
            if (each != bytes[0]) {
                throw new AssertionError("torn: both " + bytes[0] + " and " + each);
            }
        }
        return bytes.length == 0 ? 0 : Byte.toUnsignedInt(bytes[0]);
    }

    static long number(Optional<FencingToken> mark) {
        return mark.map(FencingToken::value).orElse(0L);
    }
}
