// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Bytes that are being written, as many as it takes. Numbers are big-endian. */
final class Output {

    private ByteBuffer bytes;

    /** Empty but for the given number of bytes that are left for later. */
    Output(int capacity, int leave) {
        bytes = ByteBuffer.allocate(Math.max(capacity, leave)).position(leave);
    }

    int position() {
        return bytes.position();
    }

    Output put(int value) {
        room(Byte.BYTES).put((byte) value);
        return this;
    }

    Output putShort(int value) {
        room(Short.BYTES).putShort((short) value);
        return this;
    }

    Output putInt(int value) {
        room(Integer.BYTES).putInt(value);
        return this;
    }

    Output putInt(int position, int value) {
        bytes.putInt(position, value);
        return this;
    }

    Output putLong(long value) {
        room(Long.BYTES).putLong(value);
        return this;
    }

    Output put(byte[] value) {
        room(value.length).put(value);
        return this;
    }

    /** UTF-8 behind two bytes of length. */
    Output putText(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return putShort(utf8.length).put(utf8);
    }

    /** Zeros up to a multiple of the given size. */
    void align(int size) {
        int padding = -bytes.position() & size - 1;
        room(padding).put(new byte[padding]);
    }

    /** All that was written; changes to it are changes here. */
    ByteBuffer written() {
        return ByteBuffer.wrap(bytes.array(), 0, bytes.position());
    }

    private ByteBuffer room(int count) {
        if (bytes.remaining() < count) {
            int needed = Math.addExact(bytes.position(), count);
            ByteBuffer larger = ByteBuffer.allocate(Math.max(needed, 2 * bytes.capacity()));
            bytes = larger.put(bytes.flip());
        }
        return bytes;
    }
}
