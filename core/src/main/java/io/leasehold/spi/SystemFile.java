// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A file of the machine. Both ways to force it are fsync, which is at least what is asked for. Its
 * descriptor is closed when nobody in this JVM has the file locked, see {@link FileTurns}.
 */
final class SystemFile implements DiskFile {

    private static final int CHUNK = 1 << 16;

    private final ReentrantLock lock = new ReentrantLock(); // guards closed and the position
    private final RandomAccessFile file;
    private final boolean writable;
    private final Runnable end;
    private boolean closed;

    private SystemFile(RandomAccessFile file, boolean writable, Runnable end) {
        this.file = file;
        this.writable = writable;
        this.end = end;
    }

    /** A file by its key. */
    static SystemFile of(RandomAccessFile file, boolean writable, String key) {
        return new SystemFile(file, writable, () -> FileTurns.giveBack(key, file));
    }

    /** A file that is locked for as long as it is open. */
    static SystemFile locked(RandomAccessFile file, FileTurns.Turn turn) {
        return new SystemFile(file, true, () -> turn.end(file));
    }

    @Override
    public int read(long position, ByteBuffer into) throws IOException {
        lock.lock();
        try {
            ensureOpen();
            file.seek(position);
            byte[] chunk = new byte[Math.min(CHUNK, into.remaining())];
            int total = 0;
            while (into.hasRemaining()) {
                int count = file.read(chunk, 0, Math.min(chunk.length, into.remaining()));
                if (count < 0) {
                    break;
                }
                into.put(chunk, 0, count);
                total += count;
            }
            return total;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void write(long position, ByteBuffer from) throws IOException {
        lock.lock();
        try {
            put(position, from);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long append(ByteBuffer from) throws IOException {
        lock.lock();
        try {
            long position = file.length();
            put(position, from);
            return position;
        } finally {
            lock.unlock();
        }
    }

    private void put(long position, ByteBuffer from) throws IOException {
        ensureOpen();
        if (!writable) {
            throw new AccessDeniedException("the file was opened to read only");
        }
        file.seek(position);
        if (from.hasArray()) {
            file.write(from.array(), from.arrayOffset() + from.position(), from.remaining());
            from.position(from.limit());
            return;
        }
        byte[] chunk = new byte[Math.min(CHUNK, from.remaining())];
        while (from.hasRemaining()) {
            int count = Math.min(chunk.length, from.remaining());
            from.get(chunk, 0, count);
            file.write(chunk, 0, count);
        }
    }

    @Override
    public long size() throws IOException {
        lock.lock();
        try {
            ensureOpen();
            return file.length();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void truncate(long size) throws IOException {
        lock.lock();
        try {
            ensureOpen();
            if (size < file.length()) {
                file.setLength(size);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void forceData() throws IOException {
        forceAll();
    }

    @Override
    public void forceAll() throws IOException {
        file.getFD().sync();
    }

    private void ensureOpen() throws ClosedChannelException {
        if (closed) {
            throw new ClosedChannelException();
        }
    }

    /** Nothing depends on it: whatever had to be durable was forced, or its force failed. */
    @Override
    public void close() {
        boolean first;
        lock.lock();
        try {
            first = !closed;
            closed = true;
        } finally {
            lock.unlock();
        }
        if (first) {
            end.run();
        }
    }
}
