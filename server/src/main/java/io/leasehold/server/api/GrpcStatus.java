// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.stream.ClosedStreamException;
import com.linecorp.armeria.server.RequestTimeoutException;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.server.api.BoundedRequests.TooManyPartsException;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Failures as gRPC tells them: a status, with the failure in its details. */
final class GrpcStatus {

    private static final Logger LOG = LoggerFactory.getLogger(GrpcStatus.class);

    private static final Metadata.Key<byte[]> DETAILS =
            Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

    private GrpcStatus() {}

    static StatusRuntimeException of(CallFailedException failed) {
        Failure failure = failed.failure();
        return StatusProto.toStatusRuntimeException(com.google.rpc.Status.newBuilder()
                .setCode(code(failure.getKind()).value())
                .setMessage(failure.getMessage())
                .addDetails(Any.pack(failure))
                .build());
    }

    /** What is told of an error that came from elsewhere than the operations. */
    static Status unforeseen(CallId call, Status status, Throwable cause, Metadata trailers) {
        if (cause instanceof StatusRuntimeException told && isOurs(told)) {
            return status; // what was told before
        }
        if (isCausedBy(ContentTooLargeException.class, cause)
                || status.getCode() == Status.Code.RESOURCE_EXHAUSTED) {
            LOG.warn("request {} refused: a message is longer than the server takes", call);
            return told(tooLong(), trailers);
        }
        if (cause instanceof TooManyPartsException) {
            return told(invalid(String.valueOf(cause.getMessage())), trailers);
        }
        if (isCausedBy(InvalidProtocolBufferException.class, cause)) {
            return told(
                    invalid("the message is not a valid protobuf message of this method"),
                    trailers);
        }
        if (isOfFraming(cause)) {
            return told(invalid("the bytes are not a gRPC message"), trailers);
        }
        if (cause instanceof ClosedStreamException || cause instanceof IOException) {
            return Status.CANCELLED; // the client is gone, and nobody is told
        }
        if (cause instanceof RequestTimeoutException) {
            return Status.DEADLINE_EXCEEDED; // its request never came to an end
        }
        return switch (status.getCode()) {
            case UNKNOWN, INTERNAL -> told(Failures.ofChanging(call, cause), trailers);
            default -> status.getCode().toStatus(); // without words of the library's
        };
    }

    private static CallFailedException invalid(String message) {
        return Failures.of(Failure.Kind.INVALID, message);
    }

    /** Whether it was thrown where bytes are taken for messages, and not in what is done with them. */
    private static boolean isOfFraming(Throwable error) {
        for (StackTraceElement frame : error.getStackTrace()) {
            if (frame.getClassName().startsWith("io.leasehold.")) {
                return false;
            }
            if (frame.getClassName().endsWith("MessageDeframer")) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOurs(StatusRuntimeException error) {
        Metadata trailers = error.getTrailers();
        return trailers != null && trailers.containsKey(DETAILS);
    }

    static CallFailedException tooLong() {
        return Failures.of(Failure.Kind.LIMIT_EXCEEDED, "the message is too long");
    }

    private static boolean isCausedBy(Class<? extends Throwable> type, Throwable error) {
        for (Throwable at = error; at != null; at = at.getCause()) {
            if (type.isInstance(at)) {
                return true;
            }
        }
        return false;
    }

    private static Status told(CallFailedException failed, Metadata trailers) {
        StatusRuntimeException status = of(failed);
        Metadata details = status.getTrailers();
        if (details != null) {
            trailers.merge(details);
        }
        return status.getStatus();
    }

    private static Status.Code code(Failure.Kind kind) {
        return switch (kind) {
            case INVALID -> Status.Code.INVALID_ARGUMENT;
            case UNAVAILABLE -> Status.Code.UNAVAILABLE;
            case LIMIT_EXCEEDED -> Status.Code.RESOURCE_EXHAUSTED;
            case UNAUTHENTICATED -> Status.Code.UNAUTHENTICATED;
            case PERMISSION_DENIED -> Status.Code.PERMISSION_DENIED;
            case OUTCOME_UNKNOWN, FAILURE_UNSPECIFIED, UNRECOGNIZED -> Status.Code.UNKNOWN;
        };
    }
}
