// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Writes what one caller can cause at will to the audit log: the first entry at once, then at most a
 * line a second for each caller with how many entries there were and the last of them, so that nobody
 * can fill the log. Thread-safe.
 */
final class SummedLines {

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Audit audit;
    private final Time time;
    /** Of those that had a line within the last second. Guarded by this. */
    private final Map<String, Unwritten> pausing = new HashMap<>();

    private record Unwritten(AuditEntry last, int count) {}

    SummedLines(Audit audit, Time time) {
        this.audit = audit;
        this.time = time;
    }

    /** Completes when the line is written, or at once if it is for later. Never fails. */
    CompletionStage<Void> add(AuditEntry entry) {
        synchronized (this) {
            Unwritten before = pausing.get(entry.who());
            int count = before == null ? 0 : before.count() + 1;
            pausing.put(entry.who(), new Unwritten(entry, count));
            if (before != null) {
                return CompletableFuture.completedStage(null);
            }
        }
        return write(entry);
    }

    private CompletionStage<Void> write(AuditEntry entry) {
        CompletionStage<Void> written = audit.write(entry);
        Time.Timer unused = time.schedule(PAUSE, () -> writeUnwritten(entry.who()));
        return written;
    }

    private void writeUnwritten(String who) {
        Unwritten unwritten;
        synchronized (this) {
            unwritten = pausing.remove(who);
            if (unwritten == null || unwritten.count() == 0) {
                return;
            }
            pausing.put(who, new Unwritten(unwritten.last(), 0));
        }
        CompletionStage<Void> unused = write(unwritten.last().asLastOf(unwritten.count()));
    }
}
