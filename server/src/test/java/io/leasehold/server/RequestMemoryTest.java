// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static io.leasehold.server.Requests.acquire;
import static io.leasehold.server.Requests.release;
import static io.leasehold.server.Requests.seconds;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.Call;
import io.leasehold.protocol.v1.Grant;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.protocol.v1.Record;
import io.leasehold.protocol.v1.RenewRequest;
import io.leasehold.protocol.v1.SessionReply;
import io.leasehold.protocol.v1.SessionRequest;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is under way takes a bounded part of a server's memory, however many send it. */
final class RequestMemoryTest {

    private static final int HEAP = 96;
    private static final ByteString LARGE = ByteString.copyFrom(new byte[64 << 10]);

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    @SuppressWarnings("NullAway.Init") // set before each test
    private AttackedServer server;

    @BeforeEach
    void start() {
        server = new AttackedServer(directory, HEAP);
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    @Test
    void smallAcquiresThatWaitOnManyConnectionsDoNotStopTheServer() throws IOException {
        String body = "{\"scopes\":[\"held\"],\"wait\":\"300s\"}";
        String request = "POST /v1/acquire HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                + server.guest() + "\r\nContent-Type: application/json\r\nContent-Length: "
                + body.length() + "\r\n\r\n" + body;
        for (int i = 0; i < 180; i++) {
            send(request.repeat(100).getBytes(StandardCharsets.US_ASCII));
        }
        server.assertThatHoldersAreServed();
    }

    @Test
    void messagesOfMillionsOfEmptyCallsDoNotStopTheServer() {
        SessionRequest message = SessionRequest.newBuilder()
                .addAllCalls(Collections.nCopies(2_000_000, Call.getDefaultInstance()))
                .build();
        for (int i = 0; i < 6; i++) {
            LeasesGrpc.newStub(identified())
                    .session(new Ignored<SessionReply>())
                    .onNext(message);
        }
        server.assertThatHoldersAreServed();
    }

    @Test
    void requestsOfMillionsOfEmptyRenewalsAreRefusedBeforeTheyAreRead() {
        RenewRequest request = RenewRequest.newBuilder()
                .addAllRenewals(
                        Collections.nCopies(2_000_000, RenewRequest.Renewal.getDefaultInstance()))
                .build();
        for (int i = 0; i < 6; i++) {
            assertThatThrownBy(
                            () -> server.calls(server.channel(), server.guest()).renew(request))
                    .hasMessageContaining("INVALID_ARGUMENT")
                    .hasMessageContaining("more than 250000 parts");
        }
        server.assertThatHoldersAreServed();
    }

    @Test
    void millionsOfEmptyRenewalsInJsonDoNotStopTheServer() throws IOException {
        String body = "{\"renewals\":[" + "{},".repeat(1_300_000) + "{}]}";
        String request = "POST /v1/renew HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                + server.guest() + "\r\nContent-Type: application/json\r\nContent-Length: "
                + body.length() + "\r\n\r\n" + body;
        for (int i = 0; i < 6; i++) {
            send(request.getBytes(StandardCharsets.US_ASCII));
        }
        server.assertThatHoldersAreServed();
    }

    @Test
    void recordsOfAcquiresThatWaitInSessionsDoNotStopTheServer() {
        AcquireRequest.Builder waits = acquire("held")
                .setWait(seconds(300))
                .setRecord(Record.newBuilder().setValue(LARGE));
        for (int i = 0; i < 40; i++) {
            var unused = TestSession.on(identified())
                    .send(calls(50, () -> Requests.call(waits.setLeaseId(Requests.id()))));
        }
        server.assertThatHoldersAreServed();
    }

    @Test
    void refusalsThatNobodyReadsInManySessionsDoNotStopTheServer() {
        Grant none = Grant.newBuilder()
                .addScopes("name:held")
                .setToken(1)
                .setLeaseId(Requests.id())
                .setHolder("test")
                .setTtl(seconds(30))
                .build();
        SessionRequest message = SessionRequest.newBuilder()
                .addAllCalls(Collections.nCopies(
                        10_000, Call.newBuilder().setRelease(release(none)).build()))
                .build();
        for (int i = 0; i < 16; i++) {
            call(LeasesGrpc.getSessionMethod(), server.channel(), message);
        }
        server.assertThatHoldersAreServed();
    }

    @Test
    void answersThatNobodyReadsOnManyStreamsDoNotStopTheServer() {
        for (int i = 0; i < 40; i++) {
            ManagedChannel channel = server.channel();
            for (int j = 0; j < 500; j++) {
                call(LeasesGrpc.getInfoMethod(), channel, InfoRequest.getDefaultInstance());
            }
        }
        server.assertThatHoldersAreServed();
    }

    /** Reads no answer, and does not end the request. */
    private <A, B> void call(MethodDescriptor<A, B> method, Channel channel, A message) {
        ClientCall<A, B> call = channel.newCall(method, CallOptions.DEFAULT);
        call.start(new ClientCall.Listener<>() {}, AttackedServer.bearer(server.guest()));
        call.sendMessage(message);
    }

    @Test
    void messagesOfAGuestThatDoNotEndDoNotStopTheServer() throws IOException {
        int length = 4 << 20;
        byte[] head = ("POST /leasehold.v1.Leases/Acquire HTTP/1.1\r\nHost: localhost\r\n"
                        + "Authorization: Bearer " + server.guest()
                        + "\r\nContent-Type: application/grpc\r\nContent-Length: " + length
                        + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] begun = new byte[length - 1];
        begun[2] = (byte) ((length - 5) >> 16);
        begun[3] = (byte) ((length - 5) >> 8);
        begun[4] = (byte) (length - 5);
        for (int i = 0; i < 40; i++) {
            send(head, begun);
        }
        server.assertThatHoldersAreServed();
    }

    private Channel identified() {
        return AttackedServer.identified(server.channel(), server.guest());
    }

    private static Call.Builder[] calls(int count, Supplier<Call.Builder> call) {
        return Stream.generate(call).limit(count).toArray(Call.Builder[]::new);
    }

    private void send(byte[]... parts) throws IOException {
        Socket socket = server.connect();
        try {
            for (byte[] part : parts) {
                socket.getOutputStream().write(part);
            }
        } catch (IOException e) {
            // it was turned away in the midst of it
            socket.close();
        }
    }
}
