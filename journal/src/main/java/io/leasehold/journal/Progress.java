// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.spi.Time;
import io.leasehold.table.LeaseTable;

import java.util.Locale;
import java.util.function.Consumer;

/** Says how far the reading of a journal has come, once a second if it takes that long. */
final class Progress {

    private static final long INTERVAL = 1_000_000_000;

    private final Time time;
    private final Consumer<String> line;
    private long total;
    private long read;
    private long begun;
    private long lastLine;

    Progress(Time time, Consumer<String> line) {
        this.time = time;
        this.line = line;
    }

    void begin(long bytes) {
        total = bytes;
        begun = time.nanos();
        lastLine = begun;
    }

    void advance(long bytes, LeaseTable table) {
        read += bytes;
        if (time.nanos() - lastLine >= INTERVAL) {
            lastLine = time.nanos();
            say(table);
        }
    }

    /** The last line, if there was any before. */
    void end(LeaseTable table) {
        if (lastLine != begun) {
            say(table);
        }
    }

    private void say(LeaseTable table) {
        long percent = total == 0 ? 100 : Math.min(100, 100 * read / total);
        line.accept(String.format(
                Locale.ROOT,
                "reading the journal: %d %% of %.1f MB, %d leases and records, %.1f s",
                percent,
                total / 1e6,
                table.size(),
                (time.nanos() - begun) / 1e9));
    }
}
