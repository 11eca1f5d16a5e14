// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An open file of a {@link Disk}. It stays the same file while it is open, whatever becomes of its
 * name. Thread-safe.
 *
 * <p>When a force fails, what was written before it may be lost although it can still be read, and
 * another force that succeeds says nothing about it: write it again, then force.
 */
public interface DiskFile extends AutoCloseable {

    /**
     * Reads from the position on until the buffer is full or the file ends.
     *
     * @return how many bytes were read; 0 at or behind the end
     */
    int read(long position, ByteBuffer into) throws IOException;

    /**
     * Writes all of the buffer. A gap behind the end of the file becomes zeros. On failure any part
     * of it may have been written.
     */
    void write(long position, ByteBuffer from) throws IOException;

    /**
     * Writes all of the buffer behind the last byte.
     *
     * @return where it begins
     */
    long append(ByteBuffer from) throws IOException;

    long size() throws IOException;

    /** Cuts the file to the given size; no effect if it is not larger. */
    void truncate(long size) throws IOException;

    /** Makes the bytes durable, and of the metadata what it takes to read them back. */
    void forceData() throws IOException;

    /** Makes the bytes and all metadata durable. */
    void forceAll() throws IOException;

    /** Closes the file; the second time does nothing. Forces nothing, and does not fail. */
    @Override
    void close();
}
