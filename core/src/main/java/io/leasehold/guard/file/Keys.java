// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import io.leasehold.model.KeyRange;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Key ranges as bytes: both keys, each as 2 bytes of length and UTF-8. */
final class Keys {

    private Keys() {}

    static int length(KeyRange keys) {
        return 4 + utf8(keys.from()).length + utf8(keys.to()).length;
    }

    static void put(KeyRange keys, ByteBuffer out) {
        put(keys.from(), out);
        put(keys.to(), out);
    }

    static void put(String text, ByteBuffer out) {
        byte[] bytes = utf8(text);
        out.putShort((short) bytes.length).put(bytes);
    }

    static KeyRange take(ByteBuffer in) {
        String from = takeText(in);
        return new KeyRange(from, takeText(in));
    }

    static String takeText(ByteBuffer in) {
        byte[] bytes = new byte[Short.toUnsignedInt(in.getShort())];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
