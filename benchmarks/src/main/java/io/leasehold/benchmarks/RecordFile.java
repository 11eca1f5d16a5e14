// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file that was laid out in full and is written by the shortest way: what a disk can do. From its
 * end it begins again at the start. Not thread-safe.
 */
final class RecordFile implements AutoCloseable {

    /** How long a record is. */
    static final int LENGTH = 100;

    private static final int SIZE = 1 << 24;

    private final FileChannel channel;
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 16);
    private long position;

    RecordFile(Path path) {
        try {
            channel = FileChannel.open(
                    path,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.WRITE);
            for (long at = 0; at < SIZE; at += bytes.capacity()) {
                write(bytes.clear(), at);
            }
            channel.force(true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes so many records by one write and forces them. */
    void append(int records) {
        int length = Math.min(bytes.capacity(), records * LENGTH);
        if (position + length > SIZE) {
            position = 0;
        }
        try {
            write(bytes.clear().limit(length), position);
            channel.force(false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        position += length;
    }

    private void write(ByteBuffer from, long at) throws IOException {
        long to = at;
        while (from.hasRemaining()) {
            to += channel.write(from, to);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
