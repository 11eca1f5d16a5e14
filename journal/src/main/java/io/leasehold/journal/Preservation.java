// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.DamagedFileException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Disk;
import io.leasehold.spi.DiskFile;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Copies the files of a journal to a directory of their own, before they are repaired. The last file
 * in it says why; where that is missing, the copy was cut short.
 */
final class Preservation {

    private static final String REASON = "why.txt";
    private static final int CHUNK = 1 << 20;

    private final JournalDirectory directory;
    private final Disk disk;
    private final Consumer<String> progress;
    private final List<Path> made = new ArrayList<>();

    Preservation(JournalDirectory directory, Consumer<String> progress) {
        this.directory = directory;
        this.disk = directory.disk();
        this.progress = progress;
    }

    /** Returns where the copies are, when they are on disk. */
    Path copy(DamagedFileException damage) {
        try {
            Path to = firstFree();
            disk.createDirectories(to);
            made.add(to);
            disk.forceDirectory(directory.path());
            for (Path file : directory.contents().files()) {
                progress.accept("copying " + file.getFileName() + " to " + to.getFileName());
                copy(file, to.resolve(file.getFileName()));
            }
            disk.forceDirectory(to);
            String reason = damage.file().getFileName() + " was damaged at offset "
                    + damage.offset() + ": " + damage.problem() + ".\n";
            write(to.resolve(REASON), reason);
            disk.forceDirectory(to);
            return to;
        } catch (IOException e) {
            undo();
            throw new StoreUnavailableException(
                    "the files of " + directory.path()
                            + " can't be copied before they are repaired: "
                            + JournalDirectory.reason(e) + ". Nothing was changed",
                    e);
        }
    }

    private Path firstFree() throws IOException {
        int number = 1;
        while (disk.exists(directory.path().resolve("before-repair-" + number))) {
            number++;
        }
        return directory.path().resolve("before-repair-" + number);
    }

    private void copy(Path from, Path to) throws IOException {
        made.add(to);
        try (DiskFile in = disk.openToRead(from);
                DiskFile out = disk.create(to)) {
            ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
            long at = 0;
            while (in.read(at, chunk.clear()) > 0) {
                chunk.flip();
                int length = chunk.remaining();
                out.write(at, chunk);
                at += length;
            }
            Forced.all(out, to);
        }
    }

    private void write(Path to, String text) throws IOException {
        made.add(to);
        try (DiskFile out = disk.create(to)) {
            out.write(0, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
            Forced.all(out, to);
        }
    }

    /** A copy that is not complete is of no use, and may be what filled the disk. */
    private void undo() {
        for (int i = made.size() - 1; i >= 0; i--) {
            Leftovers.delete(disk, made.get(i));
        }
    }
}
