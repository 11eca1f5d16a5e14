// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import com.linecorp.armeria.common.HttpStatus;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AdmitReply;
import io.leasehold.protocol.v1.EndReply;
import io.leasehold.protocol.v1.Holding;
import io.leasehold.protocol.v1.Reason;
import io.leasehold.protocol.v1.Refusal;
import io.leasehold.protocol.v1.RotateReply;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Which replies say that nothing was done, which over HTTP is a problem. Renewals are never one,
 * because each of them has an outcome of its own in the reply.
 */
final class Outcomes {

    private Outcomes() {}

    /** The problem that the reply tells of; null if it tells of none. */
    static @Nullable Problem problem(Message reply) {
        if (reply instanceof AcquireReply acquired) {
            return problem(acquired);
        }
        if (reply instanceof RotateReply rotated) {
            return rotated.hasRefused() ? refused(rotated.getRefused(), rotated) : null;
        }
        if (reply instanceof EndReply ended) {
            return ended.hasRefused() ? refused(ended.getRefused(), ended) : null;
        }
        if (reply instanceof AdmitReply admitted && admitted.hasStale()) {
            return Problem.of(
                            HttpStatus.CONFLICT,
                            "STALE",
                            "A newer token was seen",
                            admitted.getStale().getMessage())
                    .with(new Problem.More(admitted, null, null));
        }
        return null;
    }

    private static @Nullable Problem problem(AcquireReply reply) {
        if (reply.hasHeld()) {
            return Problem.of(
                            HttpStatus.CONFLICT,
                            "HELD",
                            reply.getHeld().getInLockDelay()
                                    ? "The scope is in a lock-delay"
                                    : "The scope is held",
                            held(reply.getHeld()))
                    .with(new Problem.More(reply, null, null));
        }
        if (reply.hasGone()) {
            Refusal gone = reply.getGone();
            return Problem.of(
                            HttpStatus.GONE,
                            gone.getReason().name(),
                            gone.getReason() == Reason.SCOPE_MISMATCH
                                    ? "The id belongs to another request"
                                    : "The lease of this id is over",
                            gone.getMessage() + "; take a new lease id")
                    .with(new Problem.More(reply, null, null));
        }
        return null;
    }

    private static Problem refused(Refusal refusal, Message reply) {
        return Problem.refused(refusal.getReason(), refusal.getMessage(), reply);
    }

    private static String held(AcquireReply.Held held) {
        Holding blocker = held.getBlocker();
        String mode = blocker.getMode().name().toLowerCase(Locale.ROOT);
        String who = blocker.getHolder() + " (" + mode + ", token " + blocker.getToken() + ")";
        return String.join(", ", blocker.getScopesList())
                + (held.getInLockDelay()
                        ? " is in the lock-delay after the lease of " + who
                                + " expired, for another "
                        : " is held by " + who + " for another ")
                + seconds(held.getRemaining()) + " s";
    }

    private static String seconds(Duration duration) {
        return String.format(
                Locale.ROOT, "%.1f", duration.getSeconds() + duration.getNanos() / 1e9);
    }
}
