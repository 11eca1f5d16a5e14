// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.linecorp.armeria.client.BlockingWebClient;
import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.RequestHeaders;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.MetadataUtils;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.DamagedFileException;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.protocol.v1.Call;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.spi.LeaseStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What callers are told when a store fails, whatever it fails with: nothing of its insides. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FailuresToldTest {

    private static final String INSIDES =
            "(?s).*(/srv/|/etc/|[a-z]\\.[a-z]+\\.[A-Z]|Exception|Error\\b|redis|s3cret|10\\.0\\.0|\\tat ).*";

    private final LogForTests log = LogForTests.open();
    private final TestServer server =
            TestServer.of(ServersForTests.start(namespace -> failing(MemoryLeaseStore.create())));
    private volatile Throwable failure = new IllegalStateException();
    private volatile boolean thrown;

    @AfterAll
    void stop() {
        server.close();
        log.close();
    }

    static Stream<Throwable> failures() {
        return Stream.of(
                new StoreUnavailableException("the journal /srv/data has no room to grow"),
                new OutcomeUnknownException(
                        "the connection to Redis failed: io.lettuce.core.RedisException:"
                                + " redis://:s3cret@10.0.0.7:6379"),
                new DamagedFileException(
                        Path.of("/srv/data/journal-1.log"), 7, "torn", "repair it"),
                new IllegalStateException("io.netty.channel.StacklessClosedChannelException"),
                new IllegalArgumentException("Illegal char <:> in /srv/data/x"),
                new UncheckedIOException(
                        new NoSuchFileException("/srv/data/journal-2.log", null, "no such file")),
                new CompletionException(new IOException("/srv/data: Too many open files")),
                new NullPointerException("Cannot invoke \"java.lang.String.length()\""),
                new ClassCastException("class java.lang.Long cannot be cast to class [B"),
                new NoClassDefFoundError("io/lettuce/core/RedisURI /etc/x"),
                new StackOverflowError());
    }

    static Stream<Arguments> ways() {
        return failures()
                .flatMap(failure ->
                        Stream.of(Arguments.of(failure, true), Arguments.of(failure, false)));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void nothingOfTheServersInsides(Throwable failure, boolean thrown) {
        this.failure = failure;
        this.thrown = thrown;
        for (String path : new String[] {"/v1/leases", "/v1/leases?overlapping=name:x"}) {
            AggregatedHttpResponse response = web("http").get(path);
            assertTold(response.headers().get("request-id", "none"), response.contentUtf8());
        }
        String body = "{\"scopes\":[\"name:x\"]}";
        AggregatedHttpResponse acquire = web("http")
                .execute(
                        RequestHeaders.of(
                                HttpMethod.POST,
                                "/v1/acquire",
                                HttpHeaderNames.CONTENT_TYPE,
                                "application/json"),
                        body);
        assertTold(acquire.headers().get("request-id", "none"), acquire.contentUtf8());
        TestSession session = session();
        assertTold("a-session.1", told(session, Requests.call(Requests.acquire("y"))));
        assertTold(
                "a-session.2",
                told(session, Call.newBuilder().setList(ListRequest.getDefaultInstance())));
        assertTold("", overGrpc());
        String words = cause(failure).getMessage();
        assertThat(log.text()).contains(words == null ? failure.getClass().getName() : words);
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null
                ? failure.getCause()
                : failure;
    }

    private void assertTold(String request, String told) {
        assertThat(told).doesNotMatch(INSIDES).contains("request " + request);
        assertThat(log.text()).contains(request);
    }

    private static String told(TestSession session, Call.Builder call) {
        return session.call(call).getFailure().getMessage();
    }

    private TestSession session() {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("request-id", Metadata.ASCII_STRING_MARSHALLER), "a-session");
        return TestSession.on(ClientInterceptors.intercept(
                server.channel(), MetadataUtils.newAttachHeadersInterceptor(headers)));
    }

    private String overGrpc() {
        StatusRuntimeException failure = catchThrowableOfType(
                StatusRuntimeException.class,
                () -> server.calls().list(ListRequest.getDefaultInstance()));
        return failure.getStatus().getDescription() + StatusProto.fromThrowable(failure);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void theLimitOfAStoreIsToldInItsOwnWords(LimitExceededException limit) {
        failure = limit;
        thrown = false;
        String told = web("http").get("/v1/leases").contentUtf8();
        assertThat(told)
                .contains(String.valueOf(limit.getMessage()), Failure.Kind.LIMIT_EXCEEDED.name());
    }

    static Stream<LimitExceededException> limits() {
        return Stream.of(
                new LimitExceededException("leases per store", 7, "the store holds 7 leases"));
    }

    private BlockingWebClient web(String protocol) {
        return WebClient.of(protocol + "://127.0.0.1:" + server.server().port()).blocking();
    }

    /** A store all of whose operations fail, before or after they have returned. */
    private LeaseStore failing(LeaseStore store) {
        return (LeaseStore) Proxy.newProxyInstance(
                LeaseStore.class.getClassLoader(),
                new Class<?>[] {LeaseStore.class},
                (proxy, method, arguments) -> {
                    if (!CompletionStage.class.isAssignableFrom(method.getReturnType())) {
                        return answer(store, method, arguments);
                    } else if (thrown && !(failure instanceof CompletionException)) {
                        throw failure;
                    }
                    return CompletableFuture.failedFuture(failure);
                });
    }

    private static @Nullable Object answer(
            LeaseStore store, Method method, Object @Nullable [] arguments) throws Exception {
        return method.invoke(store, arguments);
    }
}
