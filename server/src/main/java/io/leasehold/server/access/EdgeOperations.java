// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import io.leasehold.Digest;
import io.leasehold.model.Scope;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.AdmitReply;
import io.leasehold.protocol.v1.AdmitRequest;
import io.leasehold.protocol.v1.CheckReply;
import io.leasehold.protocol.v1.CheckRequest;
import io.leasehold.protocol.v1.CompleteRequest;
import io.leasehold.protocol.v1.EndReply;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.ForceReleaseRequest;
import io.leasehold.protocol.v1.Grant;
import io.leasehold.protocol.v1.InfoReply;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.protocol.v1.ListReply;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.protocol.v1.Mode;
import io.leasehold.protocol.v1.Refusal;
import io.leasehold.protocol.v1.ReleaseRequest;
import io.leasehold.protocol.v1.RenewReply;
import io.leasehold.protocol.v1.RenewRequest;
import io.leasehold.protocol.v1.RotateReply;
import io.leasehold.protocol.v1.RotateRequest;
import io.leasehold.protocol.v1.WatchReply;
import io.leasehold.protocol.v1.WatchRequest;
import io.leasehold.server.api.CallFailedException;
import io.leasehold.server.api.Caller;
import io.leasehold.server.api.Operations;
import io.leasehold.spi.Limits;
import io.leasehold.spi.Time;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Operations with the limits of each principal, and with the audit log. What keeps or ends a lease
 * is never refused here: whoever reached a limit must be able to get away from it.
 */
public final class EdgeOperations implements Operations {

    private static final Duration DEFAULT_TTL = Duration.ofSeconds(30);
    private static final String RECORD = "record"; // in place of a lease id, which is hex digits
    private static final String MARK = "mark";
    private static final String DONE = "done";

    private final Operations operations;
    private final PrincipalLimits limits;
    private final Audit audit;

    private EdgeOperations(Operations operations, PrincipalLimits limits, Audit audit) {
        this.operations = operations;
        this.limits = limits;
        this.audit = audit;
    }

    /** What the operations do, within limits and written down. */
    public static Operations around(
            Operations operations, EdgeLimits limits, Audit audit, Time time) {
        return new EdgeOperations(operations, new PrincipalLimits(limits.principal(), time), audit);
    }

    @Override
    public CompletionStage<AcquireReply> acquire(Caller caller, AcquireRequest request) {
        Principal who = caller.principal();
        String key = key(request);
        try {
            limits.ask(who, key);
        } catch (CallFailedException e) {
            return CompletableFuture.failedFuture(e);
        }
        return ended(() -> operations.acquire(caller, request), (reply, failure) -> {
            note(who, request, reply, failure);
            limits.answered(who, key);
        });
    }

    private void note(
            Principal who,
            AcquireRequest request,
            @Nullable AcquireReply reply,
            @Nullable Throwable failure) {
        if (reply != null && reply.hasGranted()) {
            AcquireReply.Granted granted = reply.getGranted();
            String key = key( // the id may have been minted by the server
                    request.getNamespace(),
                    granted.getLeaseId(),
                    request.getMode(),
                    request.getScopesList());
            limits.holds(who, key, duration(granted.getTtl()));
        } else if (kind(failure) == Failure.Kind.OUTCOME_UNKNOWN
                && !request.getLeaseId().isEmpty()) {
            Duration ttl = request.hasTtl() ? duration(request.getTtl()) : DEFAULT_TTL;
            limits.holds(who, key(request), ttl);
        }
    }

    @Override
    public CompletionStage<EndReply> withdraw(Caller caller, AcquireRequest request) {
        return ending(caller, key(request), () -> operations.withdraw(caller, request));
    }

    @Override
    public CompletionStage<RenewReply> renew(Caller caller, RenewRequest request) {
        return ended(() -> operations.renew(caller, request), (reply, failure) -> {
            int answers = reply == null ? 0 : reply.getOutcomesCount();
            for (int i = 0; reply != null && i < answers && i < request.getRenewalsCount(); i++) {
                String key = key(request.getNamespace(), request.getRenewals(i).getGrant());
                RenewReply.Outcome outcome = reply.getOutcomes(i);
                if (outcome.hasRenewed()) {
                    Duration left = duration(outcome.getRenewed().getValidity().getRemaining());
                    limits.holds(caller.principal(), key, left);
                } else if (isOver(outcome.getRefused())) {
                    limits.ended(caller.principal(), key);
                }
            }
        });
    }

    /** Whether there is no such lease any more; what was refused for another reason goes on. */
    private static boolean isOver(Refusal refused) {
        return switch (refused.getReason()) {
            case NOT_FOUND, NOT_HOLDER, EXPIRED -> true;
            default -> false;
        };
    }

    @Override
    public CompletionStage<RotateReply> rotate(Caller caller, RotateRequest request) {
        return operations.rotate(caller, request);
    }

    @Override
    public CompletionStage<EndReply> release(Caller caller, ReleaseRequest request) {
        return ending(
                caller,
                key(request.getNamespace(), request.getGrant()),
                () -> operations.release(caller, request));
    }

    @Override
    public CompletionStage<EndReply> complete(Caller caller, CompleteRequest request) {
        Principal who = caller.principal();
        String key = key(request.getNamespace(), request.getGrant());
        return ended(() -> operations.complete(caller, request), (reply, failure) -> {
            if (reply != null && reply.hasEnded()) {
                limits.completed(who, key, records(request), duration(request.getKeepFor()));
            } else if (reply != null && isOver(reply.getRefused())) {
                limits.ended(who, key);
            }
        });
    }

    /** A record takes the room of a lease in the store, at each scope. */
    private static List<String> records(CompleteRequest request) {
        return request.getGrant().getScopesList().stream()
                .map(scope -> key(request.getNamespace(), RECORD, Mode.EXCLUSIVE, List.of(scope)))
                .toList();
    }

    @Override
    public CompletionStage<ListReply> list(Caller caller, ListRequest request) {
        return counted(caller, () -> operations.list(caller, request));
    }

    @Override
    public CompletionStage<EndReply> forceRelease(Caller caller, ForceReleaseRequest request) {
        CompletionStage<EndReply> done =
                ended(() -> operations.forceRelease(caller, request), (reply, failure) -> {});
        return done.handle((reply, failure) -> written(caller, request, outcome(reply, failure)))
                .thenCompose(line -> line)
                .thenCompose(written -> done);
    }

    /** Each one that ended a lease or may have; refusals, which a caller can repeat at will, in sum. */
    private CompletionStage<Void> written(
            Caller caller, ForceReleaseRequest request, String outcome) {
        AuditEntry entry = new AuditEntry(
                caller.principal().name(),
                "force-release",
                namespace(request.getNamespace()) + " " + request.getScope(),
                request.getToken(),
                request.getComment(),
                outcome,
                caller.call());
        return outcome.equals(DONE) || outcome.equals(Failure.Kind.OUTCOME_UNKNOWN.name())
                ? audit.write(entry)
                : audit.writeRefusal(entry);
    }

    private static String outcome(@Nullable EndReply reply, @Nullable Throwable failure) {
        if (reply == null) {
            return kind(failure).name();
        }
        return reply.hasRefused() ? reply.getRefused().getReason().name() : DONE;
    }

    @Override
    public CompletionStage<CheckReply> check(Caller caller, CheckRequest request) {
        return counted(caller, () -> operations.check(caller, request));
    }

    @Override
    public CompletionStage<AdmitReply> admit(Caller caller, AdmitRequest request) {
        return marking(caller, request, () -> operations.admit(caller, request));
    }

    @Override
    public CompletionStage<AdmitReply> seal(Caller caller, AdmitRequest request) {
        return marking(caller, request, () -> operations.seal(caller, request));
    }

    /** A mark takes the room of a lease in the store for as long as it is kept. */
    private CompletionStage<AdmitReply> marking(
            Caller caller, AdmitRequest request, Supplier<CompletionStage<AdmitReply>> call) {
        Principal who = caller.principal();
        List<String> resource = List.of("name:" + request.getResource());
        String key = key(request.getNamespace(), MARK, Mode.EXCLUSIVE, resource);
        try {
            limits.beginMark(who, key);
        } catch (CallFailedException e) {
            return CompletableFuture.failedFuture(e);
        }
        return ended(call, (reply, failure) -> {
            boolean raised = reply != null && reply.hasAdmitted();
            if (raised || kind(failure) == Failure.Kind.OUTCOME_UNKNOWN) {
                limits.holds(who, key, Limits.MAX_KEEP_FOR);
            }
            limits.endMark(who, key);
        });
    }

    /** Not counted: a client that connects asks this first, also to come back to its leases. */
    @Override
    public CompletionStage<InfoReply> info(Caller caller, InfoRequest request) {
        return operations.info(caller, request);
    }

    @Override
    public Watch watch(Caller caller, WatchRequest request) {
        limits.beginWatch(caller.principal());
        try {
            return new CountedWatch(operations.watch(caller, request), caller.principal());
        } catch (RuntimeException | Error e) {
            limits.endWatch(caller.principal());
            throw e;
        }
    }

    /** Counts for as long as it is open. */
    private final class CountedWatch implements Watch {

        private final Watch watch;
        private final Principal principal;
        private final AtomicBoolean closed = new AtomicBoolean();

        CountedWatch(Watch watch, Principal principal) {
            this.watch = watch;
            this.principal = principal;
        }

        @Override
        public CompletionStage<WatchReply> next() {
            return watch.next();
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                limits.endWatch(principal);
            }
            watch.close();
        }
    }

    private <T> CompletionStage<T> counted(Caller caller, Supplier<CompletionStage<T>> call) {
        try {
            limits.beginCall(caller.principal());
        } catch (CallFailedException e) {
            return CompletableFuture.failedFuture(e);
        }
        return ended(call, (reply, failure) -> limits.endCall(caller.principal()));
    }

    private CompletionStage<EndReply> ending(
            Caller caller, String key, Supplier<CompletionStage<EndReply>> call) {
        return ended(call, (reply, failure) -> {
            if (reply != null && (reply.hasEnded() || isOver(reply.getRefused()))) {
                limits.ended(caller.principal(), key);
            }
        });
    }

    /** What is to be done at the end of a call, whether or not it has a reply. */
    private interface End<T> {
        void of(@Nullable T reply, @Nullable Throwable failure);
    }

    private static <T> CompletionStage<T> ended(Supplier<CompletionStage<T>> call, End<T> end) {
        CompletionStage<T> stage;
        try {
            stage = call.get();
        } catch (CallFailedException e) {
            stage = CompletableFuture.failedFuture(e);
        }
        return stage.whenComplete(end::of);
    }

    private static Failure.Kind kind(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof CallFailedException told
                ? told.failure().getKind()
                : Failure.Kind.FAILURE_UNSPECIFIED;
    }

    private static Duration duration(com.google.protobuf.Duration duration) {
        return Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
    }

    private static String namespace(String namespace) {
        return namespace.isEmpty() ? "default" : namespace;
    }

    private static String key(AcquireRequest request) {
        return key(
                request.getNamespace(),
                request.getLeaseId(),
                request.getMode(),
                request.getScopesList());
    }

    private static String key(String namespace, Grant grant) {
        return key(namespace, grant.getLeaseId(), grant.getMode(), grant.getScopesList());
    }

    /** Also by scopes: requests with one id are under way at once before the store refuses all but one. */
    private static String key(String namespace, String leaseId, Mode mode, List<String> scopes) {
        Digest.Builder key = Digest.builder()
                .bytes(utf8(namespace(namespace)))
                .bytes(utf8(leaseId))
                .number(mode == Mode.SHARED ? 1 : 0);
        scopes.forEach(scope -> key.bytes(utf8(canonical(scope))));
        return key.build().toString();
    }

    /** Also of text that is none, with unpaired surrogates: the request is refused. */
    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String canonical(String scope) {
        try {
            return Scope.parseOrName(scope).toString();
        } catch (IllegalArgumentException e) {
            return scope; // the request is refused
        }
    }
}
