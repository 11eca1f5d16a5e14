// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.metrics;

import com.google.protobuf.Message;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.AdmitReply;
import io.leasehold.protocol.v1.AdmitRequest;
import io.leasehold.protocol.v1.CheckReply;
import io.leasehold.protocol.v1.CheckRequest;
import io.leasehold.protocol.v1.CompleteRequest;
import io.leasehold.protocol.v1.EndReply;
import io.leasehold.protocol.v1.ForceReleaseRequest;
import io.leasehold.protocol.v1.InfoReply;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.protocol.v1.ListReply;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.protocol.v1.ReleaseRequest;
import io.leasehold.protocol.v1.RenewReply;
import io.leasehold.protocol.v1.RenewRequest;
import io.leasehold.protocol.v1.RotateReply;
import io.leasehold.protocol.v1.RotateRequest;
import io.leasehold.protocol.v1.WatchReply;
import io.leasehold.protocol.v1.WatchRequest;
import io.leasehold.server.api.Caller;
import io.leasehold.server.api.Operations;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Operations that are counted and timed. */
final class MeteredOperations implements Operations {

    private final Operations operations;
    private final ServerMeters meters;

    MeteredOperations(Operations operations, ServerMeters meters) {
        this.operations = operations;
        this.meters = meters;
    }

    @Override
    public CompletionStage<AcquireReply> acquire(Caller caller, AcquireRequest request) {
        if (!request.hasWait()) {
            return measured("acquire", begin(), operations.acquire(caller, request));
        }
        meters.waiting().incrementAndGet();
        long began = begin();
        return measured(
                "acquire",
                began,
                operations
                        .acquire(caller, request)
                        .whenComplete((reply, thrown) -> meters.waiting().decrementAndGet()));
    }

    @Override
    public CompletionStage<EndReply> withdraw(Caller caller, AcquireRequest request) {
        return measured("withdraw", begin(), operations.withdraw(caller, request));
    }

    @Override
    public CompletionStage<RenewReply> renew(Caller caller, RenewRequest request) {
        return measured("renew", begin(), operations.renew(caller, request));
    }

    @Override
    public CompletionStage<RotateReply> rotate(Caller caller, RotateRequest request) {
        return measured("rotate", begin(), operations.rotate(caller, request));
    }

    @Override
    public CompletionStage<EndReply> release(Caller caller, ReleaseRequest request) {
        return measured("release", begin(), operations.release(caller, request));
    }

    @Override
    public CompletionStage<EndReply> complete(Caller caller, CompleteRequest request) {
        return measured("complete", begin(), operations.complete(caller, request));
    }

    @Override
    public CompletionStage<ListReply> list(Caller caller, ListRequest request) {
        return measured("list", begin(), operations.list(caller, request));
    }

    @Override
    public CompletionStage<EndReply> forceRelease(Caller caller, ForceReleaseRequest request) {
        return measured("force_release", begin(), operations.forceRelease(caller, request));
    }

    @Override
    public CompletionStage<CheckReply> check(Caller caller, CheckRequest request) {
        return measured("check", begin(), operations.check(caller, request));
    }

    @Override
    public CompletionStage<AdmitReply> admit(Caller caller, AdmitRequest request) {
        return measured("admit", begin(), operations.admit(caller, request));
    }

    @Override
    public CompletionStage<AdmitReply> seal(Caller caller, AdmitRequest request) {
        return measured("seal", begin(), operations.seal(caller, request));
    }

    @Override
    public CompletionStage<InfoReply> info(Caller caller, InfoRequest request) {
        return measured("info", begin(), operations.info(caller, request));
    }

    @Override
    public Watch watch(Caller caller, WatchRequest request) {
        Watch watch = operations.watch(caller, request);
        meters.watches().incrementAndGet();
        return new MeteredWatch(watch, meters);
    }

    private long begin() {
        return meters.time().nanos();
    }

    private <R extends Message> CompletionStage<R> measured(
            String operation, long began, CompletionStage<R> reply) {
        return reply.whenComplete((message, thrown) -> ended(operation, began, message, thrown));
    }

    private void ended(
            String operation, long began, @Nullable Message message, @Nullable Throwable thrown) {
        String outcome = message == null ? Outcome.of(thrown) : Outcome.of(message);
        meters.called(operation, outcome, meters.time().nanos() - began);
        if (message instanceof RenewReply renewals) {
            for (RenewReply.Outcome renewal : renewals.getOutcomesList()) {
                if (renewal.hasRefused()) {
                    meters.renewalRejected(Outcome.of(renewal.getRefused()));
                }
            }
        }
        if (message instanceof AdmitReply admitted && admitted.hasStale()) {
            meters.stale();
        }
    }

    private static final class MeteredWatch implements Watch {

        private final Watch watch;
        private final ServerMeters meters;
        private final AtomicBoolean closed = new AtomicBoolean();

        MeteredWatch(Watch watch, ServerMeters meters) {
            this.watch = watch;
            this.meters = meters;
        }

        @Override
        public CompletionStage<WatchReply> next() {
            return watch.next();
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                meters.watches().decrementAndGet();
            }
            watch.close();
        }
    }
}
