// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import io.leasehold.guard.Marks;
import io.leasehold.model.DamagedFileException;
import io.leasehold.model.FencingToken;
import io.leasehold.model.KeyRange;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The first bytes of a region file's log: what all earlier logs came to. Numbers are big-endian,
 * the length is a multiple of 16. Records begin behind it.
 *
 * <pre>
 *  0  8  magic "LHMARKS\n"
 *  8  4  version, 1
 * 12  4  CRC32C of all other bytes of the head
 * 16  4  length of the head, padding included
 * 20  4  number of marks
 * 24  8  length of the log, which never changes
 * 32  8  sequence of the first record behind the head
 * 40  8  extent: the first byte of the data behind all that was ever written
 * 48     the resource's text: 2 bytes of length, then UTF-8
 *        for each mark: 8 bytes of token, then first key and key behind the last as in a record
 *        zeros up to a multiple of 16
 * </pre>
 *
 * @param resource the canonical text of the scope
 * @param capacity the length of the log
 * @param sequence of the next record
 * @param extent the first byte behind all that was written
 * @param marks disjoint and in order
 */
record LogHead(
        String resource, long capacity, long sequence, long extent, List<Marks.Range> marks) {

    static final int FIXED = 48;
    static final int MAX_LENGTH = 1 << 23; // room for the most marks of byte ranges

    private static final long MAGIC = 0x4C484D41524B530AL; // "LHMARKS\n"
    private static final int VERSION = 1;
    private static final int CRC_AT = 12;

    int length() {
        int length = FIXED + 2 + resource.getBytes(StandardCharsets.UTF_8).length;
        for (Marks.Range range : marks) {
            length += 8 + Keys.length(range.keys());
        }
        return LogRecord.padded(length);
    }

    LogHead withCapacity(long changed) {
        return new LogHead(resource, changed, sequence, extent, marks);
    }

    byte[] encode() {
        ByteBuffer out = ByteBuffer.allocate(length());
        out.putLong(MAGIC).putInt(VERSION).putInt(0);
        out.putInt(out.capacity()).putInt(marks.size());
        out.putLong(capacity).putLong(sequence).putLong(extent);
        Keys.put(resource, out);
        for (Marks.Range range : marks) {
            out.putLong(range.token().value());
            Keys.put(range.keys(), out);
        }
        out.putInt(CRC_AT, crc(out.array()));
        return out.array();
    }

    /** How long the head says that it is, from its fixed part; the file is named in refusals. */
    static int lengthIn(Path file, byte[] fixed, long size) {
        ByteBuffer in = ByteBuffer.wrap(fixed);
        if (size < FIXED) {
            throw new DamagedFileException(file, size, "it ends within the head of a log of marks");
        }
        if (in.getLong() != MAGIC) {
            throw new DamagedFileException(file, 0, "it does not begin as a log of marks does");
        }
        int version = in.getInt();
        if (version != VERSION) {
            throw new DamagedFileException(file, 8, "it has version " + version + ", not 1");
        }
        int length = in.getInt(16);
        if (length < FIXED || length > MAX_LENGTH || length > size || length % 16 != 0) {
            throw new DamagedFileException(file, 16, "its head has a length of " + length);
        }
        if (in.getLong(24) != size) {
            throw new DamagedFileException(
                    file, 24, "it has " + size + " bytes and says " + in.getLong(24));
        }
        return length;
    }

    /** Reads a whole head, of the length it says. */
    static LogHead decode(Path file, byte[] head) {
        ByteBuffer in = ByteBuffer.wrap(head);
        if (in.getInt(CRC_AT) != crc(head)) {
            throw new DamagedFileException(file, CRC_AT, "the checksum of its head does not match");
        }
        try {
            return read(in);
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new DamagedFileException(file, FIXED, "its head makes no sense");
        }
    }

    private static LogHead read(ByteBuffer in) {
        int count = in.getInt(20);
        in.position(FIXED);
        String resource = Keys.takeText(in);
        List<Marks.Range> marks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            FencingToken token = new FencingToken(in.getLong());
            KeyRange keys = Keys.take(in);
            marks.add(new Marks.Range(keys, token));
        }
        return new LogHead(resource, in.getLong(24), in.getLong(32), in.getLong(40), marks);
    }

    private static int crc(byte[] head) {
        CRC32C crc = new CRC32C();
        crc.update(head, 0, CRC_AT);
        crc.update(head, CRC_AT + 4, head.length - CRC_AT - 4);
        return (int) crc.getValue();
    }
}
