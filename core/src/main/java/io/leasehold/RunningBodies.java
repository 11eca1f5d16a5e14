// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.model.Claim;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Knows which threads run bodies of {@code use} and {@code with}, and under which leases. Whoever
 * waits in a body for what the body's own lease holds would wait for itself. Has an entry for each
 * thread as long as it runs a body. Thread-safe.
 */
final class RunningBodies {

    /** A body, and the one that the same thread was running when it began. */
    private record Body(HeldLease lease, @Nullable Body outer) {

        @Nullable
        HeldLease inTheWay(Claim claim) {
            for (Body body = this; body != null; body = body.outer) {
                if (body.lease.grant.holding().claim().conflictsWith(claim)) {
                    return body.lease;
                }
            }
            return null;
        }
    }

    private final Map<Thread, Body> innermost = new ConcurrentHashMap<>();

    /** This thread begins a body under the lease. */
    void enter(HeldLease lease) {
        Thread thread = Thread.currentThread();
        innermost.put(thread, new Body(lease, innermost.get(thread)));
    }

    /** This thread has left the body that it entered last. */
    void leave() {
        Thread thread = Thread.currentThread();
        innermost.computeIfPresent(thread, (same, body) -> body.outer);
    }

    /** The lease of a body of this thread, the innermost first, that keeps the claim from anyone. */
    @Nullable
    HeldLease inTheWay(Claim claim) {
        Body body = innermost.get(Thread.currentThread());
        return body == null ? null : body.inTheWay(claim);
    }
}
