// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.metrics;

import com.google.protobuf.Message;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AdmitReply;
import io.leasehold.protocol.v1.CheckReply;
import io.leasehold.protocol.v1.EndReply;
import io.leasehold.protocol.v1.Refusal;
import io.leasehold.protocol.v1.RenewReply;
import io.leasehold.protocol.v1.RotateReply;
import io.leasehold.server.api.CallFailedException;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** What became of a call, in one word of a closed set. */
final class Outcome {

    private static final String DONE = "done";

    private Outcome() {}

    static String of(Message reply) {
        if (reply instanceof AcquireReply acquired) {
            return lower(acquired.getOutcomeCase().name());
        }
        if (reply instanceof RenewReply renewed) {
            return of(renewed);
        }
        if (reply instanceof RotateReply rotated) {
            return rotated.hasRefused() ? of(rotated.getRefused()) : DONE;
        }
        if (reply instanceof EndReply ended) {
            return ended.hasRefused() ? of(ended.getRefused()) : DONE;
        }
        if (reply instanceof AdmitReply admitted) {
            return admitted.hasStale() ? "stale" : DONE;
        }
        return reply instanceof CheckReply checked ? lower(checked.getStanding().name()) : DONE;
    }

    static String of(Refusal refusal) {
        return lower(refusal.getReason().name());
    }

    static String of(@Nullable Throwable thrown) {
        Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
        return cause instanceof CallFailedException failed
                ? lower(failed.failure().getKind().name())
                : "internal";
    }

    /** The refusal of a single renewal; several are done, or done in part. */
    private static String of(RenewReply reply) {
        long refused = reply.getOutcomesList().stream()
                .filter(RenewReply.Outcome::hasRefused)
                .count();
        if (refused == 0) {
            return DONE;
        }
        return reply.getOutcomesCount() == 1
                ? of(reply.getOutcomes(0).getRefused())
                : "partly_refused";
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
