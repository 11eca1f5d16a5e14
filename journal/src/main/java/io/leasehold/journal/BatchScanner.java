// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.spi.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the batches of one file, whatever it contains. Nothing is allocated for a length that the
 * file can't have.
 */
final class BatchScanner {

    /** The longest body of a batch that anything writes, with room to spare. */
    static final int MAX_BODY = 2 << 20;

    static final int SECTOR = 512;

    private static final int WINDOW = 1 << 16;
    private static final int MAX_WINDOW = 1 << 20; // of a file that is long

    private static final ByteBuffer ZEROS = ByteBuffer.allocate(WINDOW).asReadOnlyBuffer();

    private final DiskFile file;
    private final long number;
    private final long size;
    private ByteBuffer window = ByteBuffer.allocate(0);
    private long windowAt;
    private int ahead = WINDOW;

    /** What is at some offset. */
    sealed interface Found {

        /**
         * A batch.
         *
         * @param head its head
         * @param body its entries and their end mark
         * @param end where the next one begins
         */
        record Whole(BatchHead head, ByteBuffer body, long end) implements Found {}

        /** Nothing was written there, or the file ends. */
        record Blank() implements Found {}

        /**
         * Something that is not a batch, or not all of one.
         *
         * @param problem in words
         * @param head the head, if that is in order
         */
        record Broken(String problem, @Nullable BatchHead head) implements Found {}
    }

    BatchScanner(DiskFile file, long number, long size) {
        this.file = file;
        this.number = number;
        this.size = size;
    }

    Found at(long offset) throws IOException {
        if (offset + BatchHead.LENGTH > size) {
            return new Found.Blank();
        }
        ByteBuffer bytes = bytes(offset, BatchHead.LENGTH);
        if (isZero(bytes)) {
            return new Found.Blank();
        }
        Optional<BatchHead> found = BatchHead.read(bytes, number, offset);
        if (found.isEmpty()) {
            return new Found.Broken("the checksum of a batch's head does not match", null);
        }
        BatchHead head = found.get();
        int length = head.body().length();
        if (length < 0 || length > MAX_BODY) {
            return new Found.Broken("a batch has a length of " + length, null);
        }
        if (offset + head.extent() > size) {
            return new Found.Broken("a batch goes on behind the end of the file", null);
        }
        ByteBuffer body = bytes(offset + BatchHead.LENGTH, length);
        if (BatchHead.crcOf(body) != head.body().crc()) {
            return new Found.Broken("the checksum of a batch does not match", head);
        }
        ahead = (int) Math.max(ahead, Math.min(offset, MAX_WINDOW));
        return new Found.Whole(head, body, offset + head.extent());
    }

    /** The head at an offset, if there is one, whatever became of its body. */
    Optional<BatchHead> headAt(long offset) throws IOException {
        return offset + BatchHead.LENGTH > size
                ? Optional.empty()
                : BatchHead.read(bytes(offset, BatchHead.LENGTH), number, offset);
    }

    /** Whether any batch begins at the offset or behind it. */
    boolean hasBatchFrom(long offset) throws IOException {
        if (isBlank(offset, size)) {
            return false;
        }
        for (long at = offset; at + BatchHead.LENGTH <= size; at += BatchHead.LENGTH) {
            ByteBuffer head = bytes(at, BatchHead.LENGTH);
            if (BatchHead.read(head, number, at).isPresent() && at(at) instanceof Found.Whole) {
                return true;
            }
        }
        return false;
    }

    /** Whether all bytes from one offset up to another are zero. */
    boolean isBlank(long from, long to) throws IOException {
        for (long at = from; at < to; at += WINDOW) {
            if (!isZero(bytes(at, (int) Math.min(WINDOW, to - at)))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isZero(ByteBuffer bytes) {
        return bytes.mismatch(ZEROS.slice(0, bytes.remaining())) < 0;
    }

    /** Bytes within the size of the file; those that can't be read after all are zeros. */
    private ByteBuffer bytes(long offset, int length) throws IOException {
        if (offset < windowAt || offset + length > windowAt + window.limit()) {
            int wanted = (int) Math.min(Math.max(length, ahead), size - offset);
            if (window.capacity() < wanted || wanted < window.capacity() / 2) {
                window = ByteBuffer.allocate(wanted);
            }
            window.clear().limit(wanted);
            int unused = file.read(offset, window);
            while (window.hasRemaining()) {
                window.put((byte) 0);
            }
            window.flip();
            windowAt = offset;
        }
        return window.slice((int) (offset - windowAt), length);
    }
}
