// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;

/** A file of the machine. Both ways to force it are fsync, which is at least what is asked for. */
final class SystemFile implements DiskFile {

    private static final int CHUNK = 1 << 16;

    private final ReentrantLock lock = new ReentrantLock(); // guards the position of the file
    private final RandomAccessFile file;

    SystemFile(RandomAccessFile file) {
        this.file = file;
    }

    @Override
    public int read(long position, ByteBuffer into) throws IOException {
        lock.lock();
        try {
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
        return file.length();
    }

    @Override
    public void truncate(long size) throws IOException {
        lock.lock();
        try {
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

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            // nothing depends on it: whatever had to be durable was forced, or its force failed
        }
    }
}
