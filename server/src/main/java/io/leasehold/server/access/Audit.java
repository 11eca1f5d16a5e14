// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Time;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit log: a line of JSON for each force-release and each call of the administration, also
 * for those that were refused, in sum, and for sign-ins that failed. It goes to the logger {@code
 * leasehold.audit} and, if one is named, to a file, which is opened anew for each line, so that it
 * can be rotated. Never lease ids or secrets. Thread-safe.
 */
public final class Audit {

    private static final Logger LOG = LoggerFactory.getLogger("leasehold.audit");
    private static final Set<OpenOption> APPEND =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);

    private final Optional<Path> file;
    private final Time time;
    private final Executor executor;
    private final SummedLines refusals;

    private Audit(Optional<Path> file, Time time, Executor executor) {
        this.file = file;
        this.time = time;
        this.executor = executor;
        this.refusals = new SummedLines(this, time);
    }

    /** To the logger alone. */
    public static Audit toLog(Time time, Executor executor) {
        return new Audit(Optional.empty(), time, executor);
    }

    /**
     * To the file as well.
     *
     * @param executor writes the lines, in their order; may block
     * @throws StoreUnavailableException if it can't be written
     */
    public static Audit toFile(Path file, Time time, Executor executor) {
        try {
            append(file, "");
        } catch (IOException e) {
            throw new StoreUnavailableException(
                    "cannot write the audit log " + file + ": " + e.getMessage(), e);
        }
        return new Audit(Optional.of(file), time, executor);
    }

    /**
     * Writes a line, on the executor. If that takes no more, the line is an error in the log alone:
     * callers are event loops, which must not wait for a file. Completes when it is written; calls
     * are answered after that. Never fails.
     */
    CompletionStage<Void> write(AuditEntry entry) {
        String line = entry.toJson(time.wallMillis());
        try {
            return CompletableFuture.runAsync(() -> write(line), executor);
        } catch (RuntimeException | Error e) { // too many wait, or the server has stopped
            file.ifPresentOrElse(
                    path -> LOG.error(
                            "not in the audit log {} (too many lines wait, or the server has stopped): {}",
                            path,
                            line),
                    () -> LOG.info("{}", line));
            return CompletableFuture.completedFuture(null);
        }
    }

    /** Writes a line for what came to nothing, which a caller can repeat at will: in sum. */
    CompletionStage<Void> writeRefusal(AuditEntry entry) {
        return refusals.add(entry);
    }

    private void write(String line) {
        LOG.info("{}", line);
        file.ifPresent(path -> {
            try {
                append(path, line + "\n");
            } catch (IOException | RuntimeException | Error e) { // who waits for it must hear
                LOG.error("not in the audit log {} ({}): {}", path, e.getMessage(), line);
            }
        });
    }

    /** In one write, so that lines of several threads don't mix. */
    private static void append(Path file, String text) throws IOException {
        FileAttribute<?>[] attributes =
                FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------"))
                        }
                        : new FileAttribute<?>[0];
        try (SeekableByteChannel channel = Files.newByteChannel(file, APPEND, attributes)) {
            channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
        }
    }
}
