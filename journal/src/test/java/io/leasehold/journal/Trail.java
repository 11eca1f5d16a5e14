// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.Claim;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * What a process under load wants and what it was told, a line each: written before a call is made
 * and after its answer has come. A line is one write, so that it outlives the process; one that was
 * cut short counts as not written. Lines are in the order in which things happened.
 */
final class Trail implements AutoCloseable {

    private static final int SOME_LINES = 100;

    private final FileChannel file;
    private final Runnable onSomeLines;
    private final AtomicInteger lines = new AtomicInteger();

    private Trail(FileChannel file, Runnable onSomeLines) {
        this.file = file;
        this.onSomeLines = onSomeLines;
    }

    /** What a line is about. */
    enum Step {
        ACQUIRE,
        RENEW,
        ROTATE,
        RELEASE,
        COMPLETE
    }

    /**
     * A line.
     *
     * @param answered false for the intent, true for the acknowledgement
     * @param step what is done
     * @param id of the lease
     * @param token of the intent: the one that is held, or 0; of the acknowledgement: the one that
     *     was granted or was held, {@link #NOTHING} or {@link #UNAVAILABLE}
     * @param claim what is leased
     */
    record Line(boolean answered, Step step, LeaseId id, long token, Claim claim) {

        /** Somebody else has it. */
        static final long NOTHING = 0;

        /** The store can't do it now, and has not. */
        static final long UNAVAILABLE = -1;

        Line acknowledged(long answer) {
            return new Line(true, step, id, answer, claim);
        }

        private String text() {
            String scopes =
                    claim.scopes().stream().map(Scope::toString).collect(Collectors.joining(","));
            return (answered ? "! " : "? ") + step + " " + id.reveal() + " " + token + " "
                    + claim.mode() + " " + scopes + "\n";
        }

        private static Line parse(String text) {
            String[] words = text.split(" ", -1);
            List<Scope> scopes =
                    Arrays.stream(words[5].split(",", -1)).map(Scope::parse).toList();
            return new Line(
                    words[0].equals("!"),
                    Step.valueOf(words[1]),
                    LeaseId.parse(words[2]),
                    Long.parseLong(words[3]),
                    new Claim(scopes, Mode.valueOf(words[4])));
        }
    }

    /** A new file, and what to do once there are some lines in it. */
    static Trail create(Path path, Runnable onSomeLines) throws IOException {
        FileChannel file =
                FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.APPEND);
        return new Trail(file, onSomeLines);
    }

    void add(Line line) {
        try {
            int unused =
                    file.write(ByteBuffer.wrap(line.text().getBytes(StandardCharsets.US_ASCII)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (lines.incrementAndGet() == SOME_LINES) {
            onSomeLines.run();
        }
    }

    /** All whole lines; none if the process did not come so far as to make the file. */
    static List<Line> read(Path path) throws IOException {
        if (!Files.exists(path)) {
            return List.of();
        }
        String text = Files.readString(path, StandardCharsets.US_ASCII);
        String whole = text.substring(0, text.lastIndexOf('\n') + 1);
        return whole.lines().map(Line::parse).toList();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
