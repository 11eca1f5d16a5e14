// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/** Writes commands for the server, each at one go. Not thread-safe. */
final class RespWriter {

    private static final int FIRST_SIZE = 8 * 1024;
    private static final int LARGEST_KEPT = 1024 * 1024;
    private static final byte[] LINE_END = {'\r', '\n'};

    private final OutputStream out;
    private byte[] buffer = new byte[FIRST_SIZE];
    private int size;

    RespWriter(OutputStream out) {
        this.out = out;
    }

    /** Sends the words as one command; the second part follows the first. */
    void write(byte[][] first, byte[][] second) throws IOException {
        size = 0;
        header('*', first.length + second.length);
        for (byte[] word : first) {
            word(word);
        }
        for (byte[] word : second) {
            word(word);
        }
        out.write(buffer, 0, size);
        if (buffer.length > LARGEST_KEPT) {
            buffer = new byte[FIRST_SIZE];
        }
    }

    private void word(byte[] word) {
        header('$', word.length);
        append(word);
        append(LINE_END);
    }

    private void header(char kind, int number) {
        append(new byte[] {(byte) kind});
        append(Integer.toString(number).getBytes(US_ASCII));
        append(LINE_END);
    }

    private void append(byte[] bytes) {
        if (buffer.length - size < bytes.length) {
            buffer = Arrays.copyOf(buffer, Math.max(2 * buffer.length, size + bytes.length));
        }
        System.arraycopy(bytes, 0, buffer, size, bytes.length);
        size += bytes.length;
    }
}
