// SPDX-License-Identifier: Apache-2.0
package io.leasehold.protocol;

import com.google.protobuf.Duration;
import com.google.protobuf.UnsafeByteOperations;

import io.leasehold.model.Claim;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.CompleteRequest;
import io.leasehold.protocol.v1.EndReply;
import io.leasehold.protocol.v1.Grant;
import io.leasehold.protocol.v1.LeaseView;
import io.leasehold.protocol.v1.ListReply;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.protocol.v1.Mode;
import io.leasehold.protocol.v1.Reason;
import io.leasehold.protocol.v1.Record;
import io.leasehold.protocol.v1.Refusal;
import io.leasehold.protocol.v1.ReleaseRequest;
import io.leasehold.protocol.v1.RenewReply;
import io.leasehold.protocol.v1.RenewRequest;
import io.leasehold.protocol.v1.RotateReply;
import io.leasehold.protocol.v1.RotateRequest;
import io.leasehold.protocol.v1.Validity;
import io.leasehold.protocol.v1.WatchReply;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;

import java.util.List;

/** Writes requests and answers as messages. What it writes, {@link FromWire} reads as the same. */
public final class ToWire {

    private ToWire() {}

    // --- requests ---------------------------------------------------------------------------

    public static AcquireRequest acquire(String namespace, LeaseRequest request) {
        LeaseRequest.Terms terms = request.terms();
        AcquireRequest.Builder message = AcquireRequest.newBuilder()
                .setNamespace(namespace)
                .setLeaseId(request.id().reveal())
                .setMode(mode(request.claim().mode()))
                .setHolder(request.holder().label())
                .setTtl(duration(terms.ttl()));
        for (Scope scope : request.claim().scopes()) {
            message.addScopes(scope.toString());
        }
        if (!terms.waitAtMost().isZero()) {
            message.setWait(duration(terms.waitAtMost()));
        }
        if (!terms.lockDelay().isZero()) {
            message.setLockDelay(duration(terms.lockDelay()));
        }
        terms.record().ifPresent(record -> message.setRecord(record(record)));
        terms.unlessCompletedSince()
                .ifPresent(token -> message.setUnlessCompletedSince(token.value()));
        return message.build();
    }

    public static RenewRequest renew(String namespace, List<RenewalRequest> requests) {
        RenewRequest.Builder message = RenewRequest.newBuilder().setNamespace(namespace);
        for (RenewalRequest request : requests) {
            RenewRequest.Renewal.Builder renewal = message.addRenewalsBuilder()
                    .setGrant(grant(request.grant()))
                    .setExpectedVersion(request.expectedVersion().orElse(0));
            request.ttl().ifPresent(ttl -> renewal.setTtl(duration(ttl)));
        }
        return message.build();
    }

    public static RotateRequest rotate(String namespace, io.leasehold.spi.Grant grant) {
        return RotateRequest.newBuilder()
                .setNamespace(namespace)
                .setGrant(grant(grant))
                .build();
    }

    public static ReleaseRequest release(String namespace, io.leasehold.spi.Grant grant) {
        return ReleaseRequest.newBuilder()
                .setNamespace(namespace)
                .setGrant(grant(grant))
                .build();
    }

    public static CompleteRequest complete(
            String namespace,
            io.leasehold.spi.Grant grant,
            LeaseRecord record,
            java.time.Duration keepFor) {
        return CompleteRequest.newBuilder()
                .setNamespace(namespace)
                .setGrant(grant(grant))
                .setRecord(record(record))
                .setKeepFor(duration(keepFor))
                .build();
    }

    public static ListRequest list(String namespace, LeaseQuery query) {
        ListRequest.Builder message =
                ListRequest.newBuilder().setNamespace(namespace).setLimit(query.limit());
        query.overlapping().ifPresent(scope -> message.setOverlapping(scope.toString()));
        query.after().ifPresent(token -> message.setAfter(token.value()));
        return message.build();
    }

    private static Grant grant(io.leasehold.spi.Grant grant) {
        Claim claim = grant.holding().claim();
        Grant.Builder message = Grant.newBuilder()
                .setMode(mode(claim.mode()))
                .setToken(grant.token().value())
                .setLeaseId(grant.id().reveal())
                .setHolder(grant.holding().holder().label())
                .setTtl(duration(grant.ttl()));
        for (Scope scope : claim.scopes()) {
            message.addScopes(scope.toString());
        }
        return message.build();
    }

    // --- answers ----------------------------------------------------------------------------

    public static AcquireReply acquisition(Acquisition acquisition) {
        AcquireReply.Builder reply = AcquireReply.newBuilder();
        if (acquisition instanceof Acquisition.Granted granted) {
            reply.setGranted(AcquireReply.Granted.newBuilder()
                    .setHolding(holding(granted.grant().holding()))
                    .setLeaseId(granted.grant().id().reveal())
                    .setTtl(duration(granted.grant().ttl()))
                    .setVersion(granted.version())
                    .setValidity(validity(granted.validity())));
        } else if (acquisition instanceof Acquisition.Held held) {
            AcquireReply.Held.Builder message = AcquireReply.Held.newBuilder()
                    .setBlocker(holding(held.blocker()))
                    .setRemaining(duration(held.remaining()))
                    .setInLockDelay(held.inLockDelay());
            held.record().ifPresent(record -> message.setRecord(record(record)));
            reply.setHeld(message);
        } else if (acquisition instanceof Acquisition.Completed completed) {
            reply.setCompleted(AcquireReply.Completed.newBuilder()
                    .setRecord(record(completed.record()))
                    .setToken(completed.token().value())
                    .setKeptFor(duration(completed.keptFor())));
        } else if (acquisition instanceof Acquisition.Gone gone) {
            reply.setGone(refusal(gone.reason()));
        }
        return reply.build();
    }

    public static RenewReply renewals(List<Renewal> renewals) {
        RenewReply.Builder reply = RenewReply.newBuilder();
        for (Renewal renewal : renewals) {
            RenewReply.Outcome.Builder outcome = reply.addOutcomesBuilder();
            if (renewal instanceof Renewal.Renewed renewed) {
                outcome.setRenewed(RenewReply.Renewed.newBuilder()
                        .setVersion(renewed.version())
                        .setValidity(validity(renewed.validity())));
            } else if (renewal instanceof Refused refused) {
                outcome.setRefused(refusal(refused.reason()));
            }
        }
        return reply.build();
    }

    public static RotateReply rotation(Rotation rotation) {
        RotateReply.Builder reply = RotateReply.newBuilder();
        if (rotation instanceof Rotation.Rotated rotated) {
            reply.setRotated(RotateReply.Rotated.newBuilder()
                    .setHolding(holding(rotated.grant().holding()))
                    .setTtl(duration(rotated.grant().ttl()))
                    .setVersion(rotated.version())
                    .setValidity(validity(rotated.validity())));
        } else if (rotation instanceof Refused refused) {
            reply.setRefused(refusal(refused.reason()));
        }
        return reply.build();
    }

    public static EndReply ending(Ending ending) {
        EndReply.Builder reply = EndReply.newBuilder();
        if (ending instanceof Refused refused) {
            reply.setRefused(refusal(refused.reason()));
        } else {
            reply.setEnded(EndReply.Ended.getDefaultInstance());
        }
        return reply.build();
    }

    public static ListReply page(LeasePage page) {
        ListReply.Builder reply = ListReply.newBuilder().setMore(page.more());
        page.leases().forEach(view -> reply.addLeases(view(view)));
        return reply.build();
    }

    /** An event as it is told to watchers; what was missed is a resync. */
    public static WatchReply.Builder event(LeaseEvent event) {
        WatchReply.Builder reply = WatchReply.newBuilder();
        if (event instanceof LeaseEvent.Changed changed) {
            reply.setChanged(WatchReply.Changed.newBuilder()
                    .setChange(WatchReply.Change.valueOf(changed.change().name()))
                    .setHolding(holding(changed.holding())));
        } else if (event instanceof LeaseEvent.RenewalRefused refused) {
            reply.setRenewalRefused(WatchReply.RenewalRefused.newBuilder()
                    .setReason(Reason.valueOf(refused.reason().name()))
                    .setHolding(holding(refused.holding())));
        } else {
            reply.setResync(WatchReply.Resync.getDefaultInstance());
        }
        return reply;
    }

    // --- values -----------------------------------------------------------------------------

    /** Seconds and nanos have the same sign here, unlike in Java. */
    public static Duration duration(java.time.Duration duration) {
        boolean borrowed = duration.isNegative() && duration.getNano() > 0;
        return Duration.newBuilder()
                .setSeconds(duration.getSeconds() + (borrowed ? 1 : 0))
                .setNanos(duration.getNano() - (borrowed ? 1_000_000_000 : 0))
                .build();
    }

    public static io.leasehold.protocol.v1.Holding holding(Holding holding) {
        io.leasehold.protocol.v1.Holding.Builder message =
                io.leasehold.protocol.v1.Holding.newBuilder()
                        .setMode(mode(holding.claim().mode()))
                        .setHolder(holding.holder().label())
                        .setToken(holding.token().value());
        for (Scope scope : holding.claim().scopes()) {
            message.addScopes(scope.toString());
        }
        return message.build();
    }

    public static Refusal refusal(RefusalReason reason) {
        return Refusal.newBuilder()
                .setReason(Reason.valueOf(reason.name()))
                .setMessage(Reasons.forPeople(reason))
                .build();
    }

    /** One lease of a listing. */
    public static LeaseView view(io.leasehold.spi.LeaseView view) {
        LeaseView.Builder message = LeaseView.newBuilder()
                .setHolding(holding(view.holding()))
                .setStatus(LeaseView.Status.valueOf(view.status().name()))
                .setAge(duration(view.age()))
                .setRemaining(duration(view.remaining()))
                .setWaiters(view.waiters());
        view.record().ifPresent(record -> message.setRecord(record(record)));
        return message.build();
    }

    private static Record record(LeaseRecord record) {
        return Record.newBuilder()
                .setKind(Record.Kind.valueOf(record.kind().name()))
                .setValue(UnsafeByteOperations.unsafeWrap(record.bytes()))
                .build();
    }

    private static Validity validity(io.leasehold.spi.Validity validity) {
        return Validity.newBuilder()
                .setInStore(duration(validity.inStore()))
                .setRemaining(duration(validity.remaining()))
                .build();
    }

    private static Mode mode(io.leasehold.model.Mode mode) {
        return mode == io.leasehold.model.Mode.SHARED ? Mode.SHARED : Mode.EXCLUSIVE;
    }
}
