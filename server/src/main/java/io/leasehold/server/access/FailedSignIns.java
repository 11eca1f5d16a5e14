// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import io.leasehold.protocol.v1.Failure;
import io.leasehold.server.api.CallId;
import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the sign-ins or the TLS handshakes that failed, and writes them to the audit log: the first
 * at once, then at most a line a second with how many there were and the last of them, so that
 * nobody can fill the log. Thread-safe.
 */
public final class FailedSignIns {

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final String what;
    private final Audit audit;
    private final Time time;
    private final AtomicLong count = new AtomicLong();
    // this and the rest are guarded by this object
    private Attempt last = new Attempt("", "", CallId.NONE);
    private long unwritten;
    private boolean pausing;

    private record Attempt(String address, String why, CallId call) {}

    /** Of what is called so in the log. */
    FailedSignIns(String what, Audit audit, Time time) {
        this.what = what;
        this.audit = audit;
        this.time = time;
    }

    /** How many there were since the server started, as it goes on. */
    public AtomicLong count() {
        return count;
    }

    /** Takes note of one, by the address it came from and what was said to it. */
    void add(String address, String why, CallId call) {
        count.incrementAndGet();
        synchronized (this) {
            last = new Attempt(address, why, call);
            unwritten++;
            if (pausing) {
                return;
            }
            pausing = true;
        }
        write();
    }

    private void write() {
        AuditEntry entry;
        synchronized (this) {
            if (unwritten == 0) {
                pausing = false;
                return;
            }
            String times = unwritten == 1 ? "" : " (the last of " + unwritten + ")";
            entry = new AuditEntry(
                    "",
                    what,
                    last.address(),
                    0,
                    last.why() + times,
                    Failure.Kind.UNAUTHENTICATED.name(),
                    last.call());
            unwritten = 0;
        }
        CompletionStage<Void> unusedLine = audit.write(entry);
        Time.Timer unused = time.schedule(PAUSE, this::write);
    }
}
