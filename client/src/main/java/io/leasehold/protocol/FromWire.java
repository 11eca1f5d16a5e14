// SPDX-License-Identifier: Apache-2.0
package io.leasehold.protocol;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.Mode;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.Answer;
import io.leasehold.protocol.v1.CompleteRequest;
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
import io.leasehold.spi.Limits;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Validity;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * Reads messages into the model, which checks every value: what breaks a rule is an {@link
 * IllegalArgumentException} that says which, and for a request in which field. A lease id never
 * appears in it.
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
        LeaseId id = field("leaseId", () -> LeaseId.parse(message.getLeaseId()));
        Claim claim = field("scopes", () -> claim(message.getScopesList(), message.getMode()));
        return new LeaseRequest(
                id,
                claim,
                field("holder", () -> holder(message.getHolder())),
                new LeaseRequest.Terms(
                        message.hasTtl() ? ttl("ttl", message.getTtl()) : DEFAULT_TTL,
                        within("wait", message.getWait(), Duration.ZERO, Limits.MAX_WAIT),
                        within(
                                "lockDelay",
                                message.getLockDelay(),
                                Duration.ZERO,
                                Limits.MAX_LOCK_DELAY),
                        message.hasRecord() ? Optional.of(record(message)) : Optional.empty(),
                        field(
                                "unlessCompletedSince",
                                () -> token(message.getUnlessCompletedSince()))));
    }

    public static List<RenewalRequest> renew(RenewRequest message) {
        if (message.getRenewalsCount() > MAX_RENEWALS) {
            throw new IllegalArgumentException(
                    "the field 'renewals' has " + message.getRenewalsCount() + " elements; at most "
                            + MAX_RENEWALS + " are allowed");
        }
        List<RenewalRequest> requests = new ArrayList<>(message.getRenewalsCount());
        for (RenewRequest.Renewal renewal : message.getRenewalsList()) {
            String path = "renewals[" + requests.size() + "].";
            Grant grant = grant(path + "grant.", renewal.getGrant());
            long version = renewal.getExpectedVersion();
            requests.add(new RenewalRequest(
                    grant,
                    renewal.hasTtl()
                            ? Optional.of(ttl(path + "ttl", renewal.getTtl()))
                            : Optional.empty(),
                    version == 0 ? OptionalLong.empty() : OptionalLong.of(version)));
        }
        return requests;
    }

    public static Grant grant(io.leasehold.protocol.v1.Grant message) {
        return grant("grant.", message);
    }

    private static Grant grant(String path, io.leasehold.protocol.v1.Grant message) {
        Claim claim =
                field(path + "scopes", () -> claim(message.getScopesList(), message.getMode()));
        Holder holder = field(path + "holder", () -> holder(message.getHolder()));
        FencingToken token = field(path + "token", () -> new FencingToken(message.getToken()));
        return new Grant(
                new Holding(claim, holder, token),
                field(path + "leaseId", () -> LeaseId.parse(message.getLeaseId())),
                message.hasTtl() ? ttl(path + "ttl", message.getTtl()) : DEFAULT_TTL);
    }

    /** For how long a completed lease's record is kept. */
    public static Duration keepFor(CompleteRequest message) {
        return within("keepFor", message.getKeepFor(), Duration.ZERO, Limits.MAX_KEEP_FOR);
    }

    public static LeaseQuery list(ListRequest message) {
        Optional<Scope> overlapping = field("overlapping", () -> scope(message.getOverlapping()));
        Optional<FencingToken> after = field("after", () -> token(message.getAfter()));
        int limit = message.getLimit() == 0 ? DEFAULT_PAGE : message.getLimit();
        return field("limit", () -> new LeaseQuery(overlapping, after, limit));
    }

    private static LeaseRecord record(AcquireRequest message) {
        return field("record", () -> record(message.getRecord()));
    }

    private static Duration ttl(String name, com.google.protobuf.Duration message) {
        return within(name, message, Limits.MIN_TTL, Limits.MAX_TTL);
    }

    /** Reads a duration of a request. The limits are told in seconds, as they are written. */
    private static Duration within(
            String name, com.google.protobuf.Duration message, Duration least, Duration most) {
        Duration value = field(name, () -> duration(message));
        if (value.compareTo(least) < 0) {
            throw new IllegalArgumentException("the field '" + name + "' is " + seconds(value)
                    + "; it must be at least " + seconds(least));
        }
        if (value.compareTo(most) > 0) {
            throw new IllegalArgumentException("the field '" + name + "' is " + seconds(value)
                    + "; it must be at most " + seconds(most));
        }
        return value;
    }

    private static String seconds(Duration duration) {
        return BigDecimal.valueOf(duration.getSeconds())
                        .add(BigDecimal.valueOf(duration.getNano(), 9))
                        .stripTrailingZeros()
                        .toPlainString()
                + "s";
    }

    /**
     * Reads a field of a request.
     *
     * @param name the field as JSON spells it
     * @throws IllegalArgumentException if its value breaks a rule; the message names the field
     */
    public static <T> T field(String name, Supplier<T> read) {
        try {
            return read.get();
        } catch (IllegalArgumentException | LimitExceededException e) {
            throw new IllegalArgumentException("the field '" + name + "': " + e.getMessage(), e);
        }
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
                        held.hasRecord() ? Optional.of(record(held.getRecord())) : Optional.empty(),
                        held.getInLockDelay());
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

    /** The store id that an answer tells; empty if it tells none. */
    public static Optional<StoreId> storeId(Answer answer) {
        return storeId(
                switch (answer.getOutcomeCase()) {
                    case ACQUIRED -> answer.getAcquired().getStoreId();
                    case RENEWED -> answer.getRenewed().getStoreId();
                    case ROTATED -> answer.getRotated().getStoreId();
                    case ENDED -> answer.getEnded().getStoreId();
                    case LISTED -> answer.getListed().getStoreId();
                    case FAILURE, OUTCOME_NOT_SET -> "";
                });
    }

    /** A store id, unless the text is none. */
    public static Optional<StoreId> storeId(String text) {
        try {
            return text.isEmpty() ? Optional.empty() : Optional.of(StoreId.parse(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    // --- values -----------------------------------------------------------------------------

    /** A scope, unless the text is empty. */
    public static Optional<Scope> scope(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(Scope.parseOrName(text));
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
            read.add(Scope.parseOrName(scope));
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
                    case LOCK_DELAY -> LeaseView.State.LOCK_DELAY;
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
