// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static io.leasehold.server.Requests.acquire;
import static io.leasehold.server.Requests.call;
import static io.leasehold.server.Requests.grant;
import static io.leasehold.server.Requests.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.Answer;
import io.leasehold.protocol.v1.Call;
import io.leasehold.protocol.v1.CompleteRequest;
import io.leasehold.protocol.v1.Grant;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.protocol.v1.ListReply;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.protocol.v1.Record;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.TestLength;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What strangers and readers can do to a server with little memory. */
final class SmallServerTest {

    private static final int HEAP = TestLength.of(96, 512);
    private static final int STRANGERS = TestLength.of(600, 2_600);
    private static final int READERS = 60;
    private static final int PIPELINES = 50;
    private static final long FEW_MEGABYTES = 8 << 20;
    private static final int BODY = 256 << 10;
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

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void strangersWithLargeBodiesDoNotKeepHoldersOut(boolean json) throws Exception {
        for (int i = 0; i < STRANGERS; i++) {
            sendAllButTheEnd(json);
        }
        server.assertThatHoldersAreServed();
    }

    private void sendAllButTheEnd(boolean json) throws IOException {
        Socket socket = server.connect();
        byte[] body = new byte[BODY - 1];
        if (!json) {
            body[2] = (byte) ((BODY - 5) >> 16); // a message that goes to the end of the body
            body[3] = (byte) ((BODY - 5) >> 8);
            body[4] = (byte) (BODY - 5);
        }
        try {
            write(
                    socket,
                    json ? "POST /v1/acquire" : "POST /leasehold.v1.Leases/Acquire",
                    json ? "application/json" : "application/grpc",
                    BODY);
            socket.getOutputStream().write(body);
        } catch (IOException e) {
            // it was turned away in the midst of it
            socket.close();
        }
    }

    @Test
    void aReaderWhoseSessionsAskForManyListsAndReadNoneDoesNotStopTheServer() throws Exception {
        leaveLargeRecords();
        Call.Builder[] lists = Stream.generate(
                        () -> Call.newBuilder().setList(ListRequest.getDefaultInstance()))
                .limit(1_000)
                .toArray(Call.Builder[]::new);
        for (int i = 0; i < READERS; i++) {
            ManagedChannel channel = server.channel();
            TestSession session =
                    TestSession.unread(AttackedServer.identified(channel, server.reader()));
            var unused = session.send(lists);
            served(channel);
        }
        server.assertThatHoldersAreServed();
        assertThatListsAreServed();
    }

    @Test
    void aReaderWhoReadsNoneOfItsListsDoesNotStopTheServer() throws Exception {
        leaveLargeRecords();
        for (int i = 0; i < READERS; i++) {
            ManagedChannel channel = server.channel();
            for (int j = 0; j < 50; j++) {
                ClientCall<ListRequest, ListReply> call =
                        channel.newCall(LeasesGrpc.getListMethod(), CallOptions.DEFAULT);
                call.start(new ClientCall.Listener<>() {}, AttackedServer.bearer(server.reader()));
                call.sendMessage(ListRequest.getDefaultInstance());
                call.halfClose();
            }
            served(channel);
        }
        server.assertThatHoldersAreServed();
        assertThatListsAreServed();
    }

    /** The first acquire waits, and those behind it on the connection are told of a record at once. */
    @Test
    void answersThatWaitForEarlierOnesOfTheirConnectionAreFreedWhenItIsClosed() throws Exception {
        holdWithALargeRecord();
        String requests = acquireInJson("{\"scopes\":[\"held\"],\"wait\":\"300s\"}")
                + acquireInJson("{\"scopes\":[\"large\"]}").repeat(10);
        long before = server.memory().direct();
        for (int i = 0; i < PIPELINES; i++) {
            try (Socket socket = server.connect()) {
                socket.getOutputStream().write(requests.getBytes(StandardCharsets.US_ASCII));
                server.assertThatHoldersAreServed(); // as are the acquires meanwhile
            }
        }
        RealTime.until(
                "the buffers are free", () -> server.memory().direct() < before + FEW_MEGABYTES);
    }

    private String acquireInJson(String body) {
        return "POST /v1/acquire HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                + server.guest() + "\r\nContent-Type: application/json\r\nContent-Length: "
                + body.length() + "\r\n\r\n" + body;
    }

    @Test
    void aReaderWhoReadsNoneOfItsPagesOfJsonDoesNotStopTheServer() throws Exception {
        leaveLargeRecords();
        String request = "GET /v1/leases HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                + server.reader() + "\r\n\r\n";
        for (int i = 0; i < READERS; i++) {
            Socket socket = server.connect();
            socket.getOutputStream()
                    .write(String.join("", Collections.nCopies(15, request))
                            .getBytes(StandardCharsets.US_ASCII));
        }
        server.assertThatHoldersAreServed();
        assertThatListsAreServed();
    }

    @Test
    void aCallerWhoseSessionsAskForAHeldLockAndReadNoneOfItsRecordsDoesNotStopTheServer()
            throws Exception {
        holdWithALargeRecord();
        Call.Builder[] acquires = Stream.generate(() -> call(acquire("large")))
                .limit(1_000)
                .toArray(Call.Builder[]::new);
        for (int i = 0; i < READERS; i++) {
            ManagedChannel channel = server.channel();
            TestSession session =
                    TestSession.unread(AttackedServer.identified(channel, server.guest()));
            var unused = session.send(acquires);
        }
        server.assertThatHoldersAreServed();
        assertThatTheRecordIsTold();
    }

    @Test
    void aCallerWhoReadsNoneOfTheRecordsOfAHeldLockDoesNotStopTheServer() throws Exception {
        holdWithALargeRecord();
        for (int i = 0; i < READERS; i++) {
            ManagedChannel channel = server.channel();
            for (int j = 0; j < 100; j++) {
                ClientCall<AcquireRequest, AcquireReply> call =
                        channel.newCall(LeasesGrpc.getAcquireMethod(), CallOptions.DEFAULT);
                call.start(new ClientCall.Listener<>() {}, AttackedServer.bearer(server.guest()));
                call.sendMessage(acquire("large").build());
                call.halfClose();
            }
        }
        server.assertThatHoldersAreServed();
        assertThatTheRecordIsTold();
    }

    @Test
    void aCallerWhoReadsNoneOfTheRecordsOfAHeldLockInJsonDoesNotStopTheServer() throws Exception {
        holdWithALargeRecord();
        String request = acquireInJson("{\"scopes\":[\"large\"]}");
        for (int i = 0; i < READERS; i++) {
            Socket socket = server.connect();
            socket.getOutputStream().write(request.repeat(40).getBytes(StandardCharsets.US_ASCII));
        }
        server.assertThatHoldersAreServed();
        assertThatTheRecordIsTold();
    }

    @Test
    void aCallerWhoReadsIsToldOfALargeRecordAsOftenAsItAsks() {
        holdWithALargeRecord();
        TestSession session =
                TestSession.on(AttackedServer.identified(server.channel(), server.guest()));
        for (int i = 0; i < 20; i++) {
            Call.Builder[] acquires = Stream.generate(() -> call(acquire("large")))
                    .limit(100)
                    .toArray(Call.Builder[]::new);
            for (CompletableFuture<Answer> answer : session.send(acquires)) {
                AcquireReply reply = RealTime.answer(answer).getAcquired();
                assertThat(reply.getHeld().getRecord().getValue()).isEqualTo(LARGE);
            }
        }
    }

    private void holdWithALargeRecord() {
        Grant unused = grant(server.owner()
                .acquire(acquire("large")
                        .setTtl(seconds(3_600))
                        .setRecord(Record.newBuilder().setValue(LARGE))
                        .build()));
    }

    /** To others, while nobody has read what was sent before. */
    private void assertThatTheRecordIsTold() {
        AcquireReply reply = server.owner().acquire(acquire("large").build());
        assertThat(reply.getHeld().getRecord().getValue()).isEqualTo(LARGE);
    }

    private void leaveLargeRecords() {
        for (int i = 0; i < 20; i++) {
            Grant grant = grant(server.owner().acquire(acquire("large-" + i).build()));
            assertThat(server.owner()
                            .complete(CompleteRequest.newBuilder()
                                    .setGrant(grant)
                                    .setRecord(Record.newBuilder().setValue(LARGE))
                                    .setKeepFor(seconds(3_600))
                                    .build())
                            .hasEnded())
                    .isTrue();
        }
    }

    /** Others still read, while nobody has read what was sent before. */
    private void assertThatListsAreServed() {
        assertThat(server.owner().list(ListRequest.getDefaultInstance()).getLeasesCount())
                .isGreaterThan(10);
    }

    /** Whatever was sent on the connection before has been looked at. */
    private void served(ManagedChannel channel) {
        assertThat(server.calls(channel, server.reader())
                        .info(InfoRequest.getDefaultInstance())
                        .getEngine())
                .isEqualTo("memory");
    }

    private static void write(Socket socket, String line, String contentType, int length)
            throws IOException {
        String head = String.join(
                "\r\n",
                line + " HTTP/1.1",
                "Host: localhost",
                "Content-Type: " + contentType,
                "Content-Length: " + length,
                "",
                "");
        socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
    }
}
