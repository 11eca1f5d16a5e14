// SPDX-License-Identifier: Apache-2.0
package io.leasehold.protocol;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Mode;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.EndReply;
import io.leasehold.protocol.v1.ListReply;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.protocol.v1.Reason;
import io.leasehold.protocol.v1.Record;
import io.leasehold.protocol.v1.Refusal;
import io.leasehold.protocol.v1.RenewReply;
import io.leasehold.protocol.v1.RenewRequest;
import io.leasehold.protocol.v1.RotateReply;
import io.leasehold.protocol.v1.WatchReply;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Validity;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Reads messages into the model, which checks every value: what breaks a rule is an {@link
 * IllegalArgumentException} or a {@link io.leasehold.model.LimitExceededException} that says which.
 * A lease id never appears in either.
 */
public final class FromWire {

    /** The length of a lease that names none. */
    public static final Duration DEFAULT_TTL = Duration.ofSeconds(30);

    /** The size of a page that names none. */
    public static final int DEFAULT_PAGE = 100;

    /** The most renewals in one request. */
    public static final int MAX_RENEWALS = 1000;

    private static final Holder NOBODY = new Holder("unnamed");

    private FromWire() {}

    // --- requests ---------------------------------------------------------------------------

    public static LeaseRequest acquire(AcquireRequest message) {
        return new LeaseRequest(
                LeaseId.parse(message.getLeaseId()),
                claim(message.getScopesList(), message.getMode()),
                holder(message.getHolder()),
                new LeaseRequest.Terms(
                        message.hasTtl() ? duration(message.getTtl()) : DEFAULT_TTL,
                        duration(message.getWait()),
                        duration(message.getLockDelay()),
                        message.hasRecord()
                                ? Optional.of(record(message.getRecord()))
                                : Optional.empty(),
                        token(message.getUnlessCompletedSince())));
    }

    public static List<RenewalRequest> renew(RenewRequest message) {
        if (message.getRenewalsCount() > MAX_RENEWALS) {
            throw new IllegalArgumentException(message.getRenewalsCount()
                    + " renewals in one request; at most " + MAX_RENEWALS);
        }
        List<RenewalRequest> requests = new ArrayList<>(message.getRenewalsCount());
        for (RenewRequest.Renewal renewal : message.getRenewalsList()) {
            Grant grant = grant(renewal.getGrant());
            long version = renewal.getExpectedVersion();
            requests.add(new RenewalRequest(
                    grant,
                    renewal.hasTtl() ? duration(renewal.getTtl()) : grant.ttl(),
                    version == 0 ? OptionalLong.empty() : OptionalLong.of(version)));
        }
        return requests;
    }

    public static Grant grant(io.leasehold.protocol.v1.Grant message) {
        return new Grant(
                new Holding(
                        claim(message.getScopesList(), message.getMode()),
                        holder(message.getHolder()),
                        new FencingToken(message.getToken())),
                LeaseId.parse(message.getLeaseId()),
                message.hasTtl() ? duration(message.getTtl()) : DEFAULT_TTL);
    }

    public static LeaseQuery list(ListRequest message) {
        return new LeaseQuery(
                scope(message.getOverlapping()),
                token(message.getAfter()),
                message.getLimit() == 0 ? DEFAULT_PAGE : message.getLimit());
    }

    // --- answers ----------------------------------------------------------------------------

    /** The answer to an acquire of this request. */
    public static Acquisition acquisition(LeaseRequest request, AcquireReply message) {
        return switch (message.getOutcomeCase()) {
            case GRANTED -> {
                AcquireReply.Granted granted = message.getGranted();
                Holding holding = new Holding(
                        request.claim(),
                        request.holder(),
                        new FencingToken(granted.getHolding().getToken()));
                yield new Acquisition.Granted(
                        new Grant(holding, request.id(), duration(granted.getTtl())),
                        granted.getVersion(),
                        validity(granted.getValidity()));
            }
            case HELD -> {
                AcquireReply.Held held = message.getHeld();
                yield new Acquisition.Held(
                        holding(held.getBlocker()),
                        duration(held.getRemaining()),
                        held.hasRecord()
                                ? Optional.of(record(held.getRecord()))
                                : Optional.empty());
            }
            case COMPLETED -> {
                AcquireReply.Completed completed = message.getCompleted();
                yield new Acquisition.Completed(
                        record(completed.getRecord()),
                        new FencingToken(completed.getToken()),
                        duration(completed.getKeptFor()));
            }
            case GONE -> new Acquisition.Gone(reason(message.getGone()));
            case OUTCOME_NOT_SET -> throw unreadable("an acquire");
        };
    }

    public static List<Renewal> renewals(RenewReply message) {
        List<Renewal> renewals = new ArrayList<>(message.getOutcomesCount());
        for (RenewReply.Outcome outcome : message.getOutcomesList()) {
            renewals.add(
                    switch (outcome.getOutcomeCase()) {
                        case RENEWED ->
                            new Renewal.Renewed(
                                    outcome.getRenewed().getVersion(),
                                    validity(outcome.getRenewed().getValidity()));
                        case REFUSED -> new Refused(reason(outcome.getRefused()));
                        case OUTCOME_NOT_SET -> throw unreadable("a renewal");
                    });
        }
        return renewals;
    }

    /** The answer to a rotation of this grant. */
    public static Rotation rotation(Grant before, RotateReply message) {
        return switch (message.getOutcomeCase()) {
            case ROTATED -> {
                RotateReply.Rotated rotated = message.getRotated();
                Holding holding = new Holding(
                        before.holding().claim(),
                        before.holding().holder(),
                        new FencingToken(rotated.getHolding().getToken()));
                yield new Rotation.Rotated(
                        new Grant(holding, before.id(), duration(rotated.getTtl())),
                        rotated.getVersion(),
                        validity(rotated.getValidity()));
            }
            case REFUSED -> new Refused(reason(message.getRefused()));
            case OUTCOME_NOT_SET -> throw unreadable("a rotation");
        };
    }

    public static Ending ending(EndReply message) {
        return switch (message.getOutcomeCase()) {
            case ENDED -> new Ending.Ended();
            case REFUSED -> new Refused(reason(message.getRefused()));
            case OUTCOME_NOT_SET -> throw unreadable("an ending");
        };
    }

    public static LeasePage page(ListReply message) {
        return new LeasePage(
                message.getLeasesList().stream().map(FromWire::view).toList(), message.getMore());
    }

    /** An event; nothing for a mark that is none. How much a resync missed is not known. */
    public static Optional<LeaseEvent> event(WatchReply message) {
        return switch (message.getEventCase()) {
            case CHANGED ->
                Optional.of(new LeaseEvent.Changed(
                        LeaseEvent.Change.valueOf(
                                message.getChanged().getChange().name()),
                        holding(message.getChanged().getHolding())));
            case RENEWAL_REFUSED ->
                Optional.of(new LeaseEvent.RenewalRefused(
                        reason(message.getRenewalRefused().getReason()),
                        holding(message.getRenewalRefused().getHolding())));
            case RESYNC -> Optional.of(new LeaseEvent.Missed(1));
            case STARTED, EVENT_NOT_SET -> Optional.empty();
        };
    }

    // --- values -----------------------------------------------------------------------------

    /** A scope, unless the text is empty. */
    public static Optional<Scope> scope(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(Scope.parse(text));
    }

    /** A token, unless the number is 0. */
    public static Optional<FencingToken> token(long value) {
        return value == 0 ? Optional.empty() : Optional.of(new FencingToken(value));
    }

    public static Duration duration(com.google.protobuf.Duration message) {
        try {
            return Duration.ofSeconds(message.getSeconds(), message.getNanos());
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("a duration beyond all bounds", e);
        }
    }

    private static Claim claim(List<String> scopes, io.leasehold.protocol.v1.Mode mode) {
        if (scopes.size() > Claim.MAX_SCOPES) {
            throw new IllegalArgumentException("a claim of " + scopes.size() + " scopes; at most "
                    + Claim.MAX_SCOPES + " are allowed");
        }
        List<Scope> read = new ArrayList<>(scopes.size());
        for (String scope : scopes) {
            read.add(Scope.parse(scope));
        }
        return new Claim(
                read,
                switch (mode) {
                    case EXCLUSIVE -> Mode.EXCLUSIVE;
                    case SHARED -> Mode.SHARED;
                    case UNRECOGNIZED -> throw new IllegalArgumentException("an unknown mode");
                });
    }

    private static Holder holder(String label) {
        return label.isEmpty() ? NOBODY : new Holder(label);
    }

    private static Holding holding(io.leasehold.protocol.v1.Holding message) {
        return new Holding(
                claim(message.getScopesList(), message.getMode()),
                holder(message.getHolder()),
                new FencingToken(message.getToken()));
    }

    private static LeaseView view(io.leasehold.protocol.v1.LeaseView message) {
        return new LeaseView(
                holding(message.getHolding()),
                switch (message.getStatus()) {
                    case HELD, RUNNING -> LeaseView.State.HELD;
                    case COMPLETED, FAILED -> LeaseView.State.COMPLETED;
                    case UNRECOGNIZED -> throw unreadable("a listing");
                },
                duration(message.getAge()),
                duration(message.getRemaining()),
                message.getWaiters(),
                message.hasRecord() ? Optional.of(record(message.getRecord())) : Optional.empty());
    }

    public static LeaseRecord record(Record message) {
        LeaseRecord.Kind kind = switch (message.getKind()) {
            case VALUE -> LeaseRecord.Kind.VALUE;
            case RUNNING -> LeaseRecord.Kind.RUNNING;
            case FAILURE -> LeaseRecord.Kind.FAILURE;
            case UNRECOGNIZED -> throw new IllegalArgumentException("an unknown kind of record");
        };
        return LeaseRecord.of(kind, message.getValue().toByteArray());
    }

    private static Validity validity(io.leasehold.protocol.v1.Validity message) {
        return new Validity(duration(message.getInStore()), duration(message.getRemaining()));
    }

    private static RefusalReason reason(Refusal message) {
        return reason(message.getReason());
    }

    private static RefusalReason reason(Reason reason) {
        return switch (reason) {
            case NOT_FOUND -> RefusalReason.NOT_FOUND;
            case NOT_HOLDER -> RefusalReason.NOT_HOLDER;
            case TOKEN_MISMATCH -> RefusalReason.TOKEN_MISMATCH;
            case EXPIRED -> RefusalReason.EXPIRED;
            case VERSION_MISMATCH -> RefusalReason.VERSION_MISMATCH;
            case SCOPE_MISMATCH -> RefusalReason.SCOPE_MISMATCH;
            case REASON_UNSPECIFIED, UNRECOGNIZED -> throw unreadable("a refusal");
        };
    }

    private static IllegalArgumentException unreadable(String what) {
        return new IllegalArgumentException(
                "the answer to " + what + " can't be read: the server may be of a newer version");
    }
}
