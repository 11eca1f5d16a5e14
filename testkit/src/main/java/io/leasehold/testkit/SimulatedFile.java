// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.spi.DiskFile;
import io.leasehold.testkit.SimulatedDisk.Call;
import io.leasehold.testkit.SimulatedDisk.Kind;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.util.Arrays;

/** An open file of a {@link SimulatedDisk}, under whose lock it works. */
final class SimulatedFile implements DiskFile {

    private final SimulatedDisk disk;
    private final SimulatedContent content;
    private final long life;
    private final boolean writable;
    private final boolean locked;
    private volatile boolean closed;

    SimulatedFile(SimulatedDisk disk, SimulatedContent content, long life, boolean writable) {
        this(disk, content, life, writable, false);
    }

    private SimulatedFile(
            SimulatedDisk disk,
            SimulatedContent content,
            long life,
            boolean writable,
            boolean locked) {
        this.disk = disk;
        this.content = content;
        this.life = life;
        this.writable = writable;
        this.locked = locked;
    }

    /** A file that is locked until it is closed. */
    static SimulatedFile locked(SimulatedDisk disk, SimulatedContent content, long life) {
        return new SimulatedFile(disk, content, life, true, true);
    }

    @Override
    public int read(long position, ByteBuffer into) throws IOException {
        return run(Kind.READ, () -> content.read(position, into), () -> {});
    }

    @Override
    public void write(long position, ByteBuffer from) throws IOException {
        byte[] bytes = taken(from);
        run(Kind.WRITE, () -> put(position, bytes), () -> content.write(position, half(bytes)));
    }

    @Override
    public long append(ByteBuffer from) throws IOException {
        byte[] bytes = taken(from);
        return run(
                Kind.WRITE,
                () -> put(content.size(), bytes),
                () -> content.write(content.size(), half(bytes)));
    }

    /** Writes all, or on a full disk what fits. */
    private long put(long position, byte[] bytes) throws IOException {
        long growth = Math.max(0, position + bytes.length - content.size());
        long excess = growth - Math.min(growth, disk.room());
        if (excess == 0) {
            content.write(position, bytes);
            return position;
        }
        if (excess < bytes.length) {
            content.write(position, Arrays.copyOf(bytes, (int) (bytes.length - excess)));
        }
        throw new IOException("No space left on device");
    }

    private static byte[] taken(ByteBuffer from) {
        byte[] bytes = new byte[from.remaining()];
        from.get(bytes);
        return bytes;
    }

    private static byte[] half(byte[] bytes) {
        return Arrays.copyOf(bytes, bytes.length / 2);
    }

    @Override
    public long size() throws IOException {
        return run(Kind.READ, () -> (long) content.size(), () -> {});
    }

    @Override
    public void truncate(long size) throws IOException {
        run(
                Kind.CHANGE,
                () -> {
                    content.truncate(size);
                    return true;
                },
                () -> {});
    }

    @Override
    public void forceData() throws IOException {
        forceAll();
    }

    @Override
    public void forceAll() throws IOException {
        disk.beginForce();
        run(
                Kind.FORCE,
                () -> {
                    content.force();
                    return true;
                },
                () -> disk.failForce(content));
    }

    private <T> T run(Kind kind, Call<T> call, Runnable damage) throws IOException {
        if (closed) {
            throw new ClosedChannelException();
        }
        if (!writable && kind != Kind.READ) {
            throw new AccessDeniedException("the file was opened to read only");
        }
        disk.ensureAlive(life);
        return disk.run(kind, call, damage);
    }

    @Override
    public void close() {
        if (!closed && locked) {
            disk.unlock(content, life);
        }
        closed = true;
    }
}
