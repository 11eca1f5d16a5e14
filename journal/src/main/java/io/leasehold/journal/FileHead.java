// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.zip.CRC32C;

/**
 * The first 128 bytes of a file of the journal.
 *
 * <pre>
 *  0  8  magic: "LHJOURNL" a segment of the log, "LHSNAPSH" a snapshot
 *  8  4  version of the format, 1
 * 12  4  CRC32C of the rest of the head
 * 16  8  number of the file, as in its name
 * 24  8  length of the file
 * 32  8  segment: sequence of its first batch; snapshot: of the first batch behind it
 * 40  8  segment: where the batches of the one before end, 0 if there is none; snapshot: number of
 *        its entries
 * 48  8  store time
 * 56  8  start: how often the store had been opened
 * 64  8  last token that was drawn
 * 72     zeros
 * </pre>
 *
 * @param number in the order of the files
 * @param length of the file
 * @param sequence of the first batch
 * @param before where the batches of the segment before end; or the number of entries
 * @param moment how far the store had come
 */
record FileHead(long number, long length, long sequence, long before, Moment moment) {

    static final int LENGTH = 128;
    static final int VERSION = 1;

    private static final int CRC_AT = 12;

    /** What a file of the journal is. */
    enum Kind {
        SEGMENT(0x4C484A4F55524E4CL), // "LHJOURNL"
        SNAPSHOT(0x4C48534E41505348L); // "LHSNAPSH"

        private final long magic;

        Kind(long magic) {
            this.magic = magic;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The file is sound, but nothing that this program could read. */
    static final class UnknownVersionException extends IllegalArgumentException {

        private static final long serialVersionUID = 1;

        UnknownVersionException(int version) {
            super("it has version " + version + " of the format, and this program knows version "
                    + VERSION + " only: open it with the program that wrote it, or a newer one");
        }
    }

    /** Writes the head to the beginning of a buffer. */
    void write(Kind kind, ByteBuffer out) {
        out.putLong(0, kind.magic)
                .putInt(8, VERSION)
                .putLong(16, number)
                .putLong(24, length)
                .putLong(32, sequence)
                .putLong(40, before)
                .putLong(48, moment.time())
                .putLong(56, moment.start())
                .putLong(64, moment.lastToken())
                .putInt(CRC_AT, crcOf(out));
    }

    /**
     * Reads the head at the beginning of a buffer.
     *
     * @throws IllegalArgumentException if it is none, and says why
     */
    static FileHead read(Kind kind, ByteBuffer in) {
        if (in.getLong(0) != kind.magic) {
            throw new IllegalArgumentException("it does not begin as a " + kind + " does");
        }
        if (in.getInt(CRC_AT) != crcOf(in)) {
            throw new IllegalArgumentException("the checksum of its head does not match");
        }
        int version = in.getInt(8);
        if (version != VERSION) {
            throw new UnknownVersionException(version);
        }
        Moment moment = new Moment(in.getLong(48), in.getLong(56), in.getLong(64));
        return new FileHead(in.getLong(16), in.getLong(24), in.getLong(32), in.getLong(40), moment);
    }

    /** Whether something begins as a segment does, be it as it was written or not. */
    static boolean isAny(ByteBuffer in) {
        return in.getLong(0) == Kind.SEGMENT.magic;
    }

    private static int crcOf(ByteBuffer head) {
        CRC32C crc = new CRC32C();
        crc.update(head.slice(0, CRC_AT));
        crc.update(head.slice(CRC_AT + 4, LENGTH - CRC_AT - 4));
        return (int) crc.getValue();
    }
}
