// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The next segment of the log, laid out once by whoever comes first: the housekeeper who was asked
 * to, or the writer who needs it. Thread-safe.
 */
final class Spare implements Runnable {

    private final JournalDirectory directory;
    private final long number;
    private final long length;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

    /** One of the two. */
    private record Outcome(
            @Nullable Segment segment, @Nullable IOException failure) {}

    /** There is no room for the segment. Nothing was written: try again when there is. */
    static final class NoRoomException extends IOException {

        private static final long serialVersionUID = 1;

        NoRoomException(IOException cause) {
            super("there is no room for the next segment of the log: " + cause.getMessage(), cause);
        }
    }

    Spare(JournalDirectory directory, long number, long length) {
        this.directory = directory;
        this.number = number;
        this.length = length;
    }

    @Override
    public void run() {
        if (begun.getAndSet(true)) {
            return;
        }
        try {
            Segment blank = Segment.findBlank(directory, number, length);
            Segment segment = blank != null ? blank : Segment.make(directory, number, length);
            outcome.complete(new Outcome(segment, null));
        } catch (Forced.FailedException | LockedDirectory.LostException e) {
            outcome.complete(new Outcome(null, e));
        } catch (IOException e) {
            outcome.complete(new Outcome(null, new NoRoomException(e)));
        } catch (RuntimeException | Error e) {
            outcome.complete(new Outcome(null, new IOException(String.valueOf(e), e)));
        }
    }

    /**
     * The segment; lays it out here and now if nobody has begun to, and waits for it otherwise.
     *
     * @throws NoRoomException if another one may be tried later; after any other failure none may
     */
    Segment take() throws IOException {
        run();
        Outcome done = outcome.join();
        if (done.failure != null) {
            throw done.failure;
        }
        return Objects.requireNonNull(done.segment);
    }

    /** The segment, if it is there. */
    @Nullable
    Segment segment() {
        Outcome done = outcome.getNow(null);
        return done == null ? null : done.segment;
    }

    /** Why it could not be laid out, if that was tried and failed. */
    @Nullable
    IOException failure() {
        Outcome done = outcome.getNow(null);
        return done == null ? null : done.failure;
    }
}
