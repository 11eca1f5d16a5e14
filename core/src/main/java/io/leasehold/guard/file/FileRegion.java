// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import io.leasehold.model.Claim;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.Scope;
import io.leasehold.model.ScopeMismatchException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.DiskFile;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A file as a change of some of its bytes sees it. Only for the duration of the change, on one
 * thread. Nothing is written before the change has returned, and then all of it or nothing.
 */
public final class FileRegion {

    private final Scope target;
    private final DiskFile data;
    private final List<LogRecord.Piece> pieces = new ArrayList<>();
    private int total;
    private boolean over;

    FileRegion(Scope target, DiskFile data) {
        this.target = target;
        this.data = data;
    }

    /**
     * Writes at the offset. A gap behind the end of the file becomes zeros.
     *
     * @throws ScopeMismatchException if a byte of it is outside the admitted range
     * @throws LimitExceededException if it is more than one change may write, or too far behind
     */
    public void write(long offset, byte[] bytes) {
        write(offset, ByteBuffer.wrap(bytes));
    }

    /** {@link #write(long, byte[])} of what remains in the buffer. */
    public void write(long offset, ByteBuffer bytes) {
        ensureOpen();
        checkOffset(offset);
        int length = bytes.remaining();
        if (length == 0) {
            return;
        }
        checkLimits(offset, length);
        if (target instanceof Scope.ByteRange range
                && (offset < range.start() || offset + length > range.end())) {
            throw ScopeMismatchException.notLeased(
                    Claim.exclusive(target), Scope.range(range.inode(), offset, offset + length));
        }
        byte[] copy = new byte[length];
        bytes.get(copy);
        pieces.add(new LogRecord.Piece(offset, copy));
        total += length + LogRecord.Piece.OVERHEAD;
    }

    private void checkLimits(long offset, int length) {
        if (offset > GuardedRegionFile.MAX_SIZE - length) {
            throw new LimitExceededException(
                    "bytes of a region file",
                    GuardedRegionFile.MAX_SIZE,
                    length + " bytes at offset " + offset + " are behind the largest file");
        }
        if (length > GuardedRegionFile.MAX_CHANGE_BYTES - LogRecord.Piece.OVERHEAD - total) {
            throw new LimitExceededException(
                    "bytes of one change",
                    GuardedRegionFile.MAX_CHANGE_BYTES,
                    "another " + length + " bytes are too many for one change of a region file;"
                            + " make several changes");
        }
    }

    /**
     * Reads from anywhere in the file, what this change has written included.
     *
     * @return fewer bytes than asked for where the file ends before
     */
    public byte[] read(long offset, int length) {
        ensureOpen();
        checkOffset(offset);
        byte[] bytes = new byte[checkedLength(length)];
        int end;
        try {
            end = data.read(offset, ByteBuffer.wrap(bytes));
        } catch (IOException e) {
            throw new StoreUnavailableException(
                    "the bytes at offset " + offset + " can't be read: " + e.getMessage(), e);
        }
        for (LogRecord.Piece piece : pieces) {
            long from = Math.max(offset, piece.offset());
            long to = Math.min(offset + length, piece.end());
            if (from < to) {
                int count = (int) (to - from);
                int source = (int) (from - piece.offset());
                System.arraycopy(piece.bytes(), source, bytes, (int) (from - offset), count);
                end = Math.max(end, (int) (to - offset));
            }
        }
        return Arrays.copyOf(bytes, end);
    }

    static int checkedLength(int length) {
        if (length < 0 || length > GuardedRegionFile.MAX_CHANGE_BYTES) {
            throw new IllegalArgumentException("a read of " + length + " bytes is outside 0 to "
                    + GuardedRegionFile.MAX_CHANGE_BYTES);
        }
        return length;
    }

    static void checkOffset(long offset) {
        if (offset < 0) {
            throw new IllegalArgumentException("offset " + offset + " is below 0");
        }
    }

    /** What is to be written. No method works from here on. */
    List<LogRecord.Piece> end() {
        over = true;
        return pieces;
    }

    private void ensureOpen() {
        if (over) {
            throw new IllegalStateException("the change is over; start another one");
        }
    }
}
