// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import io.leasehold.protocol.v1.Failure;
import io.leasehold.server.api.CallId;
import io.leasehold.spi.Time;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the sign-ins or the TLS handshakes that failed, and writes them to the audit log, all of
 * them together as if they were of one caller: see {@link SummedLines}. Thread-safe.
 */
public final class FailedSignIns {

    private final String what;
    private final SummedLines lines;
    private final AtomicLong count = new AtomicLong();

    /** Of what is called so in the log. */
    FailedSignIns(String what, Audit audit, Time time) {
        this.what = what;
        this.lines = new SummedLines(audit, time);
    }

    /** How many there were since the server started, as it goes on. */
    public AtomicLong count() {
        return count;
    }

    /** Takes note of one, by the address it came from and what was said to it. */
    void add(String address, String why, CallId call) {
        count.incrementAndGet();
        CompletionStage<Void> unused = lines.add(new AuditEntry(
                "", what, address, 0, why, Failure.Kind.UNAUTHENTICATED.name(), call));
    }
}
