// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import io.leasehold.guard.Marks;
import io.leasehold.model.FencingToken;
import io.leasehold.model.KeyRange;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * One change in the log of a region file: whose it is, which keys it marks, and what it writes
 * where. Numbers are big-endian, the length is a multiple of 16.
 *
 * <pre>
 *  0  4  marker "LREC"
 *  4  4  length of the record, padding included
 *  8  4  CRC32C of the record's position in the log (8 bytes) and of all its other bytes
 * 12  4  number of pieces
 * 16  8  sequence
 * 24  8  token
 * 32     first key, key behind the last: 2 bytes of length, then UTF-8
 *        for each piece: 8 bytes of offset, 4 of length, then its bytes
 *        zeros up to a multiple of 16
 * </pre>
 *
 * <p>A slot of 16 bytes follows. It is filled when the record is durable and applied:
 *
 * <pre>
 *  0  4  marker "LEND"
 *  4  4  CRC32C of the slot's position in the log (8 bytes) and of the sequence (8 bytes)
 *  8  8  sequence of the record before it
 * </pre>
 *
 * @param sequence one more than that of the record before
 * @param mark which keys see which token
 * @param pieces what is written, in order
 */
record LogRecord(long sequence, Marks.Range mark, List<Piece> pieces) {

    static final int SLOT = 16;
    static final int MARKER = 0x4C524543; // "LREC"
    static final int SLOT_MARKER = 0x4C454E44; // "LEND"
    static final int MAX_LENGTH = GuardedRegionFile.MAX_CHANGE_BYTES + 8192;

    private static final int CRC_AT = 8;
    private static final int FIXED = 32;

    /** Some bytes and where they go. */
    @SuppressWarnings("ArrayRecordComponent") // never compared, never leaves the package
    record Piece(long offset, byte[] bytes) {

        static final int OVERHEAD = 12;

        long end() {
            return offset + bytes.length;
        }
    }

    /** The first byte behind all that is written; 0 if nothing is. */
    long extent() {
        return pieces.stream().mapToLong(Piece::end).max().orElse(0);
    }

    /** How long the record is in the log, without its slot. */
    int length() {
        int length = FIXED + Keys.length(mark.keys());
        for (Piece piece : pieces) {
            length += Piece.OVERHEAD + piece.bytes().length;
        }
        return padded(length);
    }

    static int padded(int length) {
        return (length + 15) & ~15;
    }

    byte[] encode(long position) {
        ByteBuffer out = ByteBuffer.allocate(length());
        out.putInt(MARKER).putInt(out.capacity()).putInt(0).putInt(pieces.size());
        out.putLong(sequence).putLong(mark.token().value());
        Keys.put(mark.keys(), out);
        for (Piece piece : pieces) {
            out.putLong(piece.offset()).putInt(piece.bytes().length).put(piece.bytes());
        }
        out.putInt(CRC_AT, crc(position, out.array(), 0, out.capacity()));
        return out.array();
    }

    byte[] encodeSlot(long position) {
        ByteBuffer out = ByteBuffer.allocate(SLOT);
        return out.putInt(SLOT_MARKER)
                .putInt(slotCrc(position, sequence))
                .putLong(sequence)
                .array();
    }

    /** How long the record at an index says that it is; 0 if no record can begin there. */
    static int lengthAt(byte[] log, int index) {
        ByteBuffer in = ByteBuffer.wrap(log);
        if (index + FIXED > log.length || in.getInt(index) != MARKER) {
            return 0;
        }
        int length = in.getInt(index + 4);
        return length < FIXED || length > MAX_LENGTH || length % 16 != 0 ? 0 : length;
    }

    /** The record at an index of these bytes, which is at the position in the log; if it is one. */
    static Optional<LogRecord> decode(byte[] log, int index, long position) {
        int length = lengthAt(log, index);
        if (length == 0 || length > log.length - index) {
            return Optional.empty();
        }
        ByteBuffer in = ByteBuffer.wrap(log, index, length).slice();
        if (in.getInt(CRC_AT) != crc(position, log, index, length)) {
            return Optional.empty();
        }
        try {
            return Optional.of(read(in));
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static LogRecord read(ByteBuffer in) {
        int count = in.getInt(12);
        long sequence = in.getLong(16);
        FencingToken token = new FencingToken(in.getLong(24));
        in.position(FIXED);
        KeyRange keys = Keys.take(in);
        List<Piece> pieces = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long offset = in.getLong();
            int length = in.getInt();
            if (offset < 0 || length < 0 || length > in.remaining()) {
                throw new IllegalArgumentException("a piece of " + length + " at " + offset);
            }
            byte[] bytes = new byte[length];
            in.get(bytes);
            pieces.add(new Piece(offset, bytes));
        }
        return new LogRecord(sequence, new Marks.Range(keys, token), pieces);
    }

    /** The sequence in the slot at an index, which is at the position in the log; if it is one. */
    static Optional<Long> decodeSlot(byte[] log, int index, long position) {
        ByteBuffer in = ByteBuffer.wrap(log);
        if (index + SLOT > log.length || in.getInt(index) != SLOT_MARKER) {
            return Optional.empty();
        }
        long sequence = in.getLong(index + 8);
        return in.getInt(index + 4) == slotCrc(position, sequence)
                ? Optional.of(sequence)
                : Optional.empty();
    }

    private static int crc(long position, byte[] log, int index, int length) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(8).putLong(0, position));
        crc.update(log, index, CRC_AT);
        crc.update(log, index + CRC_AT + 4, length - CRC_AT - 4);
        return (int) crc.getValue();
    }

    private static int slotCrc(long position, long sequence) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(16).putLong(0, position).putLong(8, sequence));
        return (int) crc.getValue();
    }
}
