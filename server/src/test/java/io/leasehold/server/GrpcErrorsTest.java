// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.RequestHeaders;
import io.grpc.Status;
import io.leasehold.protocol.v1.Call;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What gRPC clients are told of requests that reach no operation, as it is on the wire. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class GrpcErrorsTest {

    private static final byte[] NO_PROTOBUF = {(byte) 0xff, (byte) 0xff, (byte) 0xff, 1};

    private TestServer server;

    @SuppressWarnings("NullAway.Init")
    GrpcErrorsTest() {}

    @BeforeAll
    void start() {
        server = TestServer.onMemory();
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Acquire", "List", "Watch", "Session"})
    void bytesThatAreNoProtobufAreAnInvalidArgument(String method) {
        AggregatedHttpResponse response = call("leasehold.v1.Leases/" + method, NO_PROTOBUF);

        assertThat(status(response)).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(header(response, "grpc-message"))
                .isEqualTo("the message is not a valid protobuf message of this method");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "leasehold.v1.Leases/Steal",
                "leasehold.v9.Leases/Acquire",
                "grpc.health.v1.Health/Check",
                "nothing"
            })
    void aMethodThatIsNotServedIsUnimplemented(String method) {
        AggregatedHttpResponse response = call(method, new byte[0]);

        assertThat(status(response)).isEqualTo(Status.Code.UNIMPLEMENTED);
        assertThat(response.status().code()).isEqualTo(200);
        assertThat(response.headers().get(HttpHeaderNames.CONTENT_TYPE))
                .startsWith("application/grpc");
        assertThat(response.headers().contains("grpc-status"))
                .as("trailers only")
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Acquire", "List", "Watch", "Session"})
    void aMessageThatIsTooLongExhaustsAResource(String method) {
        AggregatedHttpResponse response = call("leasehold.v1.Leases/" + method, new byte[4 << 20]);

        assertThat(status(response)).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    }

    @Test
    void aMessageOfASessionThatIsTooLongExhaustsAResource() {
        TestSession session = server.session();
        Call.Builder list = Call.newBuilder();
        list.getListBuilder().setOverlapping("name:" + "x".repeat(4 << 20));
        var unused = session.send(list);

        assertThatThrownBy(() -> session.end().get(30, TimeUnit.SECONDS))
                .cause()
                .satisfies(error -> assertThat(Status.fromThrowable(error).getCode())
                        .isEqualTo(Status.Code.RESOURCE_EXHAUSTED));
    }

    /** The flag of a frame, the length that it tells, and two bytes. */
    @ParameterizedTest
    @CsvSource({
        "List, 1, 2, identity", // compressed, though no compression was agreed upon
        "List, 1, 2, foo",
        "List, 1, 2, gzip", // the bytes are no gzip
        "List, 2, 2, identity", // a flag that there is not
        "List, 0, 9, identity", // a message that is cut off
        "Watch, 2, 2, identity",
        "Watch, 1, 2, gzip",
        "Session, 2, 2, identity",
        "Session, 1, 2, gzip"
    })
    void framesThatAreNoMessageAreAnInvalidArgument(
            String method, byte flag, int length, String encoding) {
        byte[] frame = ByteBuffer.allocate(7).put(flag).putInt(length).array();

        try (LogForTests log = LogForTests.open()) {
            AggregatedHttpResponse response =
                    send("leasehold.v1.Leases/" + method, frame, "grpc-encoding", encoding);

            assertThat(status(response)).isEqualTo(Status.Code.INVALID_ARGUMENT);
            assertThat(header(response, "grpc-message"))
                    .isEqualTo("the bytes are not a gRPC message");
            assertThat(log.text()).doesNotContain(id(response));
        }
    }

    @Test
    void aCallWithoutAMessageIsAnInvalidArgument() {
        AggregatedHttpResponse response =
                send("leasehold.v1.Leases/List", new byte[0], "grpc-encoding", "identity");

        assertThat(status(response)).isEqualTo(Status.Code.INVALID_ARGUMENT);
    }

    private static String id(AggregatedHttpResponse response) {
        return response.headers().get("request-id", "none");
    }

    private WebClient web() {
        return WebClient.of("h2c://127.0.0.1:" + server.server().port());
    }

    private AggregatedHttpResponse call(String method, byte[] message) {
        byte[] framed = ByteBuffer.allocate(5 + message.length)
                .put((byte) 0)
                .putInt(message.length)
                .put(message)
                .array();
        return send(method, framed, HttpHeaderNames.TE, "trailers");
    }

    private AggregatedHttpResponse send(
            String method, byte[] bytes, CharSequence header, String value) {
        RequestHeaders headers = RequestHeaders.of(
                HttpMethod.POST,
                "/" + method,
                HttpHeaderNames.CONTENT_TYPE,
                "application/grpc",
                header,
                value);
        return web().blocking().execute(headers, bytes);
    }

    private static Status.Code status(AggregatedHttpResponse response) {
        String code = header(response, "grpc-status");
        assertThat(code).as("grpc-status of %s", response).isNotEmpty();
        return Status.fromCodeValue(Integer.parseInt(code)).getCode();
    }

    private static String header(AggregatedHttpResponse response, String name) {
        return response.trailers().get(name, response.headers().get(name, ""));
    }
}
