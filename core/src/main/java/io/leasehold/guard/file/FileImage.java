// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import io.leasehold.model.DamagedFileException;
import io.leasehold.model.FencingToken;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * All that a guarded file says: a header, then the data. Numbers are big-endian.
 *
 * <pre>
 *  0  8  magic "LHGUARD\n"
 *  8  4  version, 1
 * 12  4  CRC32C of all other bytes
 * 16  8  mark, 0 if there is none
 * 24  8  length of the data
 * 32  4  length of the resource's text
 * 36     the resource's text in UTF-8, then the data
 * </pre>
 *
 * @param resource the canonical text of the scope
 * @param mark 0 if no token was seen
 * @param data what the file is for; not copied
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, never leaves the package
record FileImage(String resource, long mark, byte[] data) {

    static final int MAX_RESOURCE = 1024;
    static final long MAX_SIZE = 36L + MAX_RESOURCE + GuardedFile.MAX_BYTES;

    private static final long MAGIC = 0x4C4847554152440AL; // "LHGUARD\n"
    private static final int VERSION = 1;
    private static final int CRC_AT = 12;
    private static final int FIXED = 36;

    Optional<FencingToken> token() {
        return mark == 0 ? Optional.empty() : Optional.of(new FencingToken(mark));
    }

    byte[] encode() {
        byte[] text = resource.getBytes(StandardCharsets.UTF_8);
        ByteBuffer out = ByteBuffer.allocate(FIXED + text.length + data.length);
        out.putLong(MAGIC).putInt(VERSION).putInt(0);
        out.putLong(mark).putLong(data.length).putInt(text.length);
        out.put(text).put(data);
        out.putInt(CRC_AT, crc(out.array()));
        return out.array();
    }

    /** The fixed part, which by its checksum and lengths stands for all of it. */
    static byte[] header(byte[] image) {
        return Arrays.copyOf(image, FIXED);
    }

    /** Reads a file of any bytes; the file is named in what is thrown. */
    static FileImage decode(Path file, byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        if (bytes.length < FIXED) {
            throw new DamagedFileException(
                    file, bytes.length, "it ends within the header of a guarded file");
        }
        if (in.getLong() != MAGIC) {
            throw new DamagedFileException(file, 0, "it does not begin as a guarded file does");
        }
        int version = in.getInt();
        if (version != VERSION) {
            throw new DamagedFileException(file, 8, "it has version " + version + ", not 1");
        }
        if (in.getInt() != crc(bytes)) {
            throw new DamagedFileException(file, CRC_AT, "the checksum does not match");
        }
        long mark = in.getLong();
        long dataLength = in.getLong();
        int textLength = in.getInt();
        if (mark < 0 || mark > FencingToken.MAX_VALUE) {
            throw new DamagedFileException(file, 16, "it has a mark of " + mark);
        }
        if (textLength < 0
                || textLength > MAX_RESOURCE
                || dataLength != bytes.length - (long) FIXED - textLength) {
            throw new DamagedFileException(file, 24, "its lengths are not those of the file");
        }
        byte[] data = new byte[(int) dataLength];
        String text = new String(bytes, FIXED, textLength, StandardCharsets.UTF_8);
        in.position(FIXED + textLength).get(data);
        return new FileImage(text, mark, data);
    }

    private static int crc(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, CRC_AT);
        crc.update(bytes, CRC_AT + 4, bytes.length - CRC_AT - 4);
        return (int) crc.getValue();
    }
}
