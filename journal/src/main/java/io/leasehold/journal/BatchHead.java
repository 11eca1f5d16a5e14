// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The first 64 bytes of a batch. A batch is written by one write and made durable by one force. It
 * begins at a multiple of 64, so its head lies within one sector of the disk and is there as a whole
 * or not at all.
 *
 * <pre>
 *  0  8  magic "LHBATCH\n"
 *  8  4  CRC32C of the file's number, the batch's offset (8 bytes each) and the rest of the head
 * 12  4  CRC32C of the body
 * 16  8  sequence: one more than that of the batch before, from 1
 * 24  8  durable: the sequence of the last batch that was known to be on disk when this was written
 * 32  8  store time of the last change in it
 * 40  8  start: how often the store had been opened
 * 48  4  length of the body
 * 52  4  number of entries
 * 56  8  last token that was drawn
 * </pre>
 *
 * <p>The body is its entries and, if there are any, the end mark "LHBEND.\n"; then zeros up to a
 * multiple of 64.
 *
 * @param sequence of the batch
 * @param durable of the last batch known to be on disk
 * @param moment how far the store had come
 * @param body what follows
 */
record BatchHead(long sequence, long durable, Moment moment, Body body) {

    static final int LENGTH = 64;
    static final long END_MARK = 0x4C4842454E442E0AL; // "LHBEND.\n"

    private static final long MAGIC = 0x4C4842415443480AL; // "LHBATCH\n"
    private static final int CRC_AT = 8;

    /**
     * What follows the head.
     *
     * @param length in bytes, end mark included
     * @param entries how many
     * @param crc of the bytes
     */
    record Body(int length, int entries, int crc) {

        static Body of(ByteBuffer bytes, int entries) {
            return new Body(bytes.remaining(), entries, crcOf(bytes));
        }
    }

    /** How long the whole batch is in the file. */
    int extent() {
        return extent(body.length);
    }

    static int extent(int bodyLength) {
        return LENGTH + bodyLength + (-bodyLength & LENGTH - 1);
    }

    /** Writes the head to the beginning of a buffer, for the given place. */
    void write(ByteBuffer out, long file, long offset) {
        out.putLong(0, MAGIC)
                .putInt(12, body.crc)
                .putLong(16, sequence)
                .putLong(24, durable)
                .putLong(32, moment.time())
                .putLong(40, moment.start())
                .putInt(48, body.length)
                .putInt(52, body.entries)
                .putLong(56, moment.lastToken())
                .putInt(CRC_AT, crcOf(out, file, offset));
    }

    /** The head at the beginning of a buffer, if it is one and belongs there. */
    static Optional<BatchHead> read(ByteBuffer in, long file, long offset) {
        if (in.getLong(0) != MAGIC || in.getInt(CRC_AT) != crcOf(in, file, offset)) {
            return Optional.empty();
        }
        Body body = new Body(in.getInt(48), in.getInt(52), in.getInt(12));
        Moment moment = new Moment(in.getLong(32), in.getLong(40), in.getLong(56));
        return Optional.of(new BatchHead(in.getLong(16), in.getLong(24), moment, body));
    }

    /** Whether something begins as a batch does, be it as it was written or not. */
    static boolean isAny(ByteBuffer in) {
        return in.getLong(0) == MAGIC;
    }

    static int crcOf(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }

    private static int crcOf(ByteBuffer head, long file, long offset) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(16).putLong(0, file).putLong(8, offset));
        crc.update(head.slice(0, CRC_AT));
        crc.update(head.slice(CRC_AT + 4, LENGTH - CRC_AT - 4));
        return (int) crc.getValue();
    }
}
