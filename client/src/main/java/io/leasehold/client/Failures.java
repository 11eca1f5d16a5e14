// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.RequestRefusedException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.protocol.v1.Failure;

import java.util.Optional;

/** What a failure that a server tells, or a broken connection, means to the caller. */
final class Failures {

    private Failures() {}

    /** A call that the server answered, though not with a reply. */
    static LeaseholdException of(Failure failure) {
        String message = failure.getMessage();
        return switch (failure.getKind()) {
            case INVALID ->
                new RequestRefusedException(RequestRefusedException.Why.INVALID, message);
            case UNAVAILABLE -> new StoreUnavailableException(message);
            case LIMIT_EXCEEDED ->
                new LimitExceededException(failure.getLimit(), failure.getLimitValue(), message);
            case UNAUTHENTICATED ->
                new RequestRefusedException(RequestRefusedException.Why.UNAUTHENTICATED, message);
            case PERMISSION_DENIED ->
                new RequestRefusedException(RequestRefusedException.Why.NOT_PERMITTED, message);
            // a kind that this version does not know may be anything
            case OUTCOME_UNKNOWN, FAILURE_UNSPECIFIED, UNRECOGNIZED ->
                new OutcomeUnknownException(message);
        };
    }

    /** The end of a call that changes nothing, so that nothing can have happened. */
    static LeaseholdException harmless(String what, Status status, Metadata trailers) {
        LeaseholdException told = told(status, trailers).map(Failures::of).orElseGet(() -> {
            String message = what + ": " + words(status);
            return switch (status.getCode()) {
                case UNAUTHENTICATED ->
                    new RequestRefusedException(
                            RequestRefusedException.Why.UNAUTHENTICATED, message);
                case PERMISSION_DENIED ->
                    new RequestRefusedException(RequestRefusedException.Why.NOT_PERMITTED, message);
                default -> new StoreUnavailableException(message, status.getCause());
            };
        });
        return told instanceof OutcomeUnknownException
                ? new StoreUnavailableException(what + ": " + told.getMessage(), told)
                : told;
    }

    private static Optional<Failure> told(Status status, Metadata trailers) {
        com.google.rpc.Status details = StatusProto.fromStatusAndTrailers(status, trailers);
        for (Any detail : details.getDetailsList()) {
            if (detail.is(Failure.class)) {
                try {
                    return Optional.of(detail.unpack(Failure.class));
                } catch (InvalidProtocolBufferException e) {
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }

    /** A status in words, with what lies below it. */
    static String words(Status status) {
        String description = status.getDescription();
        Throwable cause = status.getCause();
        String said = description == null ? status.getCode().toString() : description;
        return cause == null || cause.getMessage() == null
                ? said
                : said + ": " + cause.getMessage();
    }
}
