// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AdministrationGrpc;
import io.leasehold.protocol.v1.Answer;
import io.leasehold.protocol.v1.Call;
import io.leasehold.protocol.v1.CheckReply;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.protocol.v1.ListReply;
import io.leasehold.protocol.v1.SessionReply;
import io.leasehold.protocol.v1.SessionRequest;
import io.leasehold.protocol.v1.WatchReply;
import io.leasehold.server.Identity.CallKind;
import io.leasehold.server.Identity.Verdict;
import io.leasehold.server.access.Security;
import io.leasehold.server.access.TokenFile;
import io.leasehold.server.engine.StoreAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every method of every service, and every call of a session, by every identity. */
final class GrpcMatrixTest {

    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    @SuppressWarnings("NullAway.Init") // set before each test
    private LeaseholdServer server;

    @SuppressWarnings("NullAway.Init") // set before each test
    private ManagedChannel channel;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Map<Identity, String> tokens;

    private long held;

    @BeforeEach
    void start() {
        Path file = directory.resolve("tokens");
        tokens = Identity.tokens(TokenFile.at(file));
        server = LeaseholdServer.start(ServerOptions.on(new StoreAddress.Memory())
                .withPort(0)
                .withSecurity(new Security(
                        Optional.of(file), Optional.empty(), Optional.empty(), false)));
        channel = ManagedChannelBuilder.forAddress("127.0.0.1", server.port())
                .usePlaintext()
                .build();
        AcquireReply reply = LeasesGrpc.newBlockingStub(as(Identity.ADMIN))
                .acquire(MatrixRequests.acquire(MatrixRequests.HELD, 0x7fff));
        held = reply.getGranted().getHolding().getToken();
        assertThat(held).isPositive();
    }

    @AfterEach
    void stop() {
        channel.shutdownNow();
        server.close();
    }

    private Channel as(Identity identity) {
        String token = tokens.get(identity);
        if (token == null) {
            return channel;
        }
        Metadata headers = new Metadata();
        headers.put(AUTHORIZATION, "Bearer " + token);
        return ClientInterceptors.intercept(
                channel, MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    private static List<MethodDescriptor<?, ?>> methods() {
        return Stream.of(
                        LeasesGrpc.getServiceDescriptor(),
                        AdministrationGrpc.getServiceDescriptor())
                .flatMap(service -> service.getMethods().stream())
                .toList();
    }

    private static String name(MethodDescriptor<?, ?> method) {
        return Objects.requireNonNull(method.getBareMethodName());
    }

    @Test
    void everyMethodAnswersEveryIdentityAsItShould() {
        List<String> wrong = new ArrayList<>();
        int cells = 0;
        for (MethodDescriptor<?, ?> method : methods()) {
            if (name(method).equals("Session")) {
                continue;
            }
            for (Identity identity : Identity.values()) {
                Verdict expected = identity.expected(CallKind.of(name(method)));
                Message request = Objects.requireNonNull(
                        MatrixRequests.byMethod(held).get(name(method)), name(method));
                Verdict actual = verdict(name(method), () -> call(method, identity, request));
                cells++;
                if (actual != expected) {
                    wrong.add(
                            name(method) + " by " + identity + ": " + actual + ", not " + expected);
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(cells).isEqualTo((methods().size() - 1) * Identity.values().length);
    }

    private interface Attempt {
        Message run();
    }

    @SuppressWarnings("unchecked")
    private Message call(MethodDescriptor<?, ?> method, Identity identity, Message request) {
        CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS);
        MethodDescriptor<Message, Message> typed = (MethodDescriptor<Message, Message>) method;
        if (method.getType() == MethodDescriptor.MethodType.UNARY) {
            return ClientCalls.blockingUnaryCall(as(identity), typed, options, request);
        }
        Iterator<Message> replies =
                ClientCalls.blockingServerStreamingCall(as(identity), typed, options, request);
        Message started = replies.next();
        assertThat(((WatchReply) started).hasStarted()).isTrue();
        // something happens, which whoever may read sees
        int number = MatrixRequests.byMethod(held).hashCode();
        var unused = LeasesGrpc.newBlockingStub(as(Identity.ADMIN))
                .acquire(MatrixRequests.acquire(
                        "name:event-" + number, (number & 0xffffff) | (1 << 28)));
        return identity == Identity.WRONG_NAMESPACE ? quiet(typed, request) : replies.next();
    }

    /** That nothing comes can be seen only for a while: until the stream's deadline. */
    private Message quiet(MethodDescriptor<Message, Message> watch, Message request) {
        Iterator<Message> replies = ClientCalls.blockingServerStreamingCall(
                as(Identity.WRONG_NAMESPACE),
                watch,
                CallOptions.DEFAULT.withDeadlineAfter(1, TimeUnit.SECONDS),
                request);
        replies.next();
        var unused = LeasesGrpc.newBlockingStub(as(Identity.ADMIN))
                .acquire(MatrixRequests.acquire("name:unseen", 1 << 27));
        try {
            return replies.next();
        } catch (StatusRuntimeException e) {
            assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
            return ListReply.getDefaultInstance();
        }
    }

    private static Verdict verdict(String method, Attempt attempt) {
        try {
            return isEmpty(method, attempt.run()) ? Verdict.EMPTY : Verdict.SERVED;
        } catch (StatusRuntimeException e) {
            Failure.Kind told = failure(e).getKind();
            return switch (e.getStatus().getCode()) {
                case UNAUTHENTICATED -> {
                    assertThat(told).isEqualTo(Failure.Kind.UNAUTHENTICATED);
                    yield Verdict.UNAUTHENTICATED;
                }
                case PERMISSION_DENIED -> {
                    assertThat(told).isEqualTo(Failure.Kind.PERMISSION_DENIED);
                    yield Verdict.DENIED;
                }
                default -> throw new AssertionError(method, e);
            };
        }
    }

    private static Failure failure(StatusRuntimeException e) {
        try {
            com.google.rpc.Status status = Objects.requireNonNull(StatusProto.fromThrowable(e));
            return status.getDetails(0).unpack(Failure.class);
        } catch (com.google.protobuf.InvalidProtocolBufferException | RuntimeException bad) {
            throw new AssertionError("no failure in the details of " + e.getStatus(), bad);
        }
    }

    /** Whether a reader sees nothing where something is. */
    private static boolean isEmpty(String method, Message reply) {
        if (reply instanceof ListReply page) {
            return page.getLeasesCount() == 0;
        }
        return reply instanceof CheckReply check
                && check.getStanding() == CheckReply.Standing.UNKNOWN
                && check.getNewest() == 0
                && method.equals("Check");
    }

    @Test
    void everyCallOfASessionIsAnsweredAsItShouldBe() throws InterruptedException {
        List<FieldDescriptor> operations =
                Call.getDescriptor().getOneofs().get(0).getFields();
        assertThat(operations).hasSizeGreaterThanOrEqualTo(8);
        List<String> wrong = new ArrayList<>();
        for (Identity identity : Identity.values()) {
            if (identity == Identity.NONE) {
                continue;
            }
            for (FieldDescriptor operation : operations) {
                String method = camel(operation.getName());
                Verdict expected = identity.expected(CallKind.of(method));
                Call.Builder call = Call.newBuilder().setId(1);
                call.setField(
                        operation,
                        Objects.requireNonNull(MatrixRequests.byMethod(held).get(method), method));
                Verdict actual = verdict(inSession(identity, call.build()));
                if (actual != expected) {
                    wrong.add(method + " by " + identity + ": " + actual + ", not " + expected);
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void aSessionWithoutIdentityDoesNotBegin() throws InterruptedException {
        BlockingQueue<Object> events = new LinkedBlockingQueue<>();
        StreamObserver<SessionRequest> requests =
                LeasesGrpc.newStub(as(Identity.NONE)).session(new Collecting(events));
        requests.onNext(SessionRequest.getDefaultInstance());
        Object end = events.poll(20, TimeUnit.SECONDS);
        assertThat(end).isInstanceOf(StatusRuntimeException.class);
        assertThat(((StatusRuntimeException) Objects.requireNonNull(end))
                        .getStatus()
                        .getCode())
                .isEqualTo(Status.Code.UNAUTHENTICATED);
    }

    private Answer inSession(Identity identity, Call call) throws InterruptedException {
        BlockingQueue<Object> events = new LinkedBlockingQueue<>();
        StreamObserver<SessionRequest> requests =
                LeasesGrpc.newStub(as(identity)).session(new Collecting(events));
        requests.onNext(SessionRequest.newBuilder().addCalls(call).build());
        Object event = Objects.requireNonNull(events.poll(20, TimeUnit.SECONDS), "no answer");
        requests.onCompleted();
        return ((SessionReply) event).getAnswers(0);
    }

    private static Verdict verdict(Answer answer) {
        if (answer.hasFailure()) {
            assertThat(answer.getFailure().getKind()).isEqualTo(Failure.Kind.PERMISSION_DENIED);
            return Verdict.DENIED;
        }
        return answer.hasListed() && answer.getListed().getLeasesCount() == 0
                ? Verdict.EMPTY
                : Verdict.SERVED;
    }

    private static String camel(String field) {
        StringBuilder name = new StringBuilder();
        for (String word : field.split("_", -1)) {
            name.append(Character.toUpperCase(word.charAt(0))).append(word.substring(1));
        }
        return name.toString();
    }

    @Test
    void theMatrixHasARequestForEveryMethod() {
        TreeSet<String> names = new TreeSet<>();
        methods().forEach(method -> names.add(name(method)));
        names.remove("Session");
        assertThat(new TreeSet<>(MatrixRequests.byMethod(1).keySet())).isEqualTo(names);
    }

    /** Puts what comes into a queue. */
    private record Collecting(BlockingQueue<Object> events)
            implements StreamObserver<SessionReply> {
        @Override
        public void onNext(SessionReply reply) {
            events.add(reply);
        }

        @Override
        public void onError(Throwable failure) {
            events.add(failure);
        }

        @Override
        public void onCompleted() {
            events.add("completed");
        }
    }
}
