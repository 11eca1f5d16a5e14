// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

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
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Operations that answer what a test tells them to, and keep what they were asked. */
final class StubOperations implements Operations {

    /** A call as it arrived. */
    record Asked(String method, Caller caller, Message request) {}

    final LinkedBlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
    final LinkedBlockingQueue<StubWatch> watches = new LinkedBlockingQueue<>();
    volatile Function<Asked, CompletionStage<? extends Message>> answer =
            call -> new CompletableFuture<>();
    volatile @Nullable RuntimeException watchRefusal;

    <R extends Message> CompletionStage<R> answer(
            String method, Caller caller, Message request, Class<R> type) {
        Asked call = new Asked(method, caller, request);
        asked.add(call);
        return answer.apply(call).thenApply(type::cast);
    }

    void answers(Message reply) {
        answer = call -> CompletableFuture.completedFuture(reply);
    }

    void fails(Throwable failure) {
        answer = call -> CompletableFuture.failedFuture(failure);
    }

    @Override
    public CompletionStage<AcquireReply> acquire(Caller caller, AcquireRequest request) {
        return answer("Acquire", caller, request, AcquireReply.class);
    }

    @Override
    public CompletionStage<EndReply> withdraw(Caller caller, AcquireRequest request) {
        return answer("Withdraw", caller, request, EndReply.class);
    }

    @Override
    public CompletionStage<RenewReply> renew(Caller caller, RenewRequest request) {
        return answer("Renew", caller, request, RenewReply.class);
    }

    @Override
    public CompletionStage<RotateReply> rotate(Caller caller, RotateRequest request) {
        return answer("Rotate", caller, request, RotateReply.class);
    }

    @Override
    public CompletionStage<EndReply> release(Caller caller, ReleaseRequest request) {
        return answer("Release", caller, request, EndReply.class);
    }

    @Override
    public CompletionStage<EndReply> complete(Caller caller, CompleteRequest request) {
        return answer("Complete", caller, request, EndReply.class);
    }

    @Override
    public CompletionStage<ListReply> list(Caller caller, ListRequest request) {
        return answer("List", caller, request, ListReply.class);
    }

    @Override
    public CompletionStage<EndReply> forceRelease(Caller caller, ForceReleaseRequest request) {
        return answer("ForceRelease", caller, request, EndReply.class);
    }

    @Override
    public CompletionStage<CheckReply> check(Caller caller, CheckRequest request) {
        return answer("Check", caller, request, CheckReply.class);
    }

    @Override
    public CompletionStage<AdmitReply> admit(Caller caller, AdmitRequest request) {
        return answer("Admit", caller, request, AdmitReply.class);
    }

    @Override
    public CompletionStage<AdmitReply> seal(Caller caller, AdmitRequest request) {
        return answer("Seal", caller, request, AdmitReply.class);
    }

    @Override
    public CompletionStage<InfoReply> info(Caller caller, InfoRequest request) {
        return answer("Info", caller, request, InfoReply.class);
    }

    @Override
    public Watch watch(Caller caller, WatchRequest request) {
        asked.add(new Asked("Watch", caller, request));
        if (watchRefusal != null) {
            throw watchRefusal;
        }
        StubWatch watch = new StubWatch();
        watches.add(watch);
        return watch;
    }

    /** A watch whose events a test tells. */
    static final class StubWatch implements Watch {

        final CompletableFuture<Void> closed = new CompletableFuture<>();
        private final Deque<WatchReply> told = new ArrayDeque<>();
        private @Nullable CompletableFuture<WatchReply> reader;
        private @Nullable Throwable end;

        synchronized void tell(WatchReply event) {
            if (reader == null) {
                told.add(event);
            } else {
                CompletableFuture<WatchReply> waiting = reader;
                reader = null;
                waiting.complete(event);
            }
        }

        synchronized void end(Throwable why) {
            end = why;
            if (reader != null) {
                reader.completeExceptionally(why);
            }
        }

        @Override
        public synchronized CompletionStage<WatchReply> next() {
            if (!told.isEmpty()) {
                return CompletableFuture.completedFuture(told.remove());
            }
            if (end != null) {
                return CompletableFuture.failedFuture(end);
            }
            reader = new CompletableFuture<>();
            return reader;
        }

        @Override
        public void close() {
            closed.complete(null);
        }
    }
}
