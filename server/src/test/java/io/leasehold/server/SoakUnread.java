// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static io.leasehold.server.Requests.acquire;
import static io.leasehold.server.Requests.call;
import static io.leasehold.server.Requests.seconds;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.Call;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.protocol.v1.Record;
import io.leasehold.testkit.RealTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** What a guest asks a server for without reading the answers, which are large: one round of each. */
final class SoakUnread {

    private static final Duration MOMENT = Duration.ofMillis(200);
    private static final ListRequest LIST = ListRequest.newBuilder()
            .setNamespace(SoakAttacks.NAMESPACE)
            .setLimit(1_000)
            .build();

    private final SoakGuest guest;

    SoakUnread(SoakGuest guest) {
        this.guest = guest;
    }

    /** A lock whose holder published a record of the largest size. */
    void holdWithARecord() throws InterruptedException {
        Record large = Record.newBuilder()
                .setValue(ByteString.copyFrom(new byte[64 << 10]))
                .build();
        guest.connected(channel -> {
            if (!guest.calls(channel)
                    .acquire(recorded().setTtl(seconds(3_600)).setRecord(large).build())
                    .hasGranted()) {
                throw new AssertionError("the guest has no lease with a record");
            }
        });
    }

    private static AcquireRequest.Builder recorded() {
        return acquire("recorded").setNamespace(SoakAttacks.NAMESPACE);
    }

    /** In two sessions, of which one reads its answers. */
    void listsInSessions() throws InterruptedException {
        guest.connected(channel -> {
            Channel identified = guest.identified(channel);
            var unused = TestSession.on(identified).send(calls(SoakUnread::list));
            var unusedToo = TestSession.unread(identified).send(calls(SoakUnread::list));
            RealTime.pass(MOMENT);
        });
    }

    void recordsInSessions() throws InterruptedException {
        guest.connected(channel -> {
            var unused = TestSession.unread(guest.identified(channel))
                    .send(calls(() -> call(recorded())));
            RealTime.pass(MOMENT);
        });
    }

    private static Call.Builder list() {
        return Call.newBuilder().setList(LIST);
    }

    private static Call.Builder[] calls(Supplier<Call.Builder> call) {
        return Stream.generate(call).limit(5_000).toArray(Call.Builder[]::new);
    }

    void lists() throws InterruptedException {
        unread(LeasesGrpc.getListMethod(), () -> LIST);
    }

    void records() throws InterruptedException {
        unread(LeasesGrpc.getAcquireMethod(), () -> recorded().build());
    }

    private <A, B> void unread(MethodDescriptor<A, B> method, Supplier<A> request)
            throws InterruptedException {
        guest.connected(channel -> {
            for (int i = 0; i < 200; i++) {
                ClientCall<A, B> call =
                        guest.identified(channel).newCall(method, CallOptions.DEFAULT);
                call.start(new ClientCall.Listener<>() {}, new Metadata());
                call.sendMessage(request.get());
                call.halfClose();
            }
            RealTime.pass(MOMENT);
        });
    }

    void listsInJson() throws IOException {
        requests("GET /v1/leases?namespace=" + SoakAttacks.NAMESPACE + "&limit=1000", "");
    }

    void recordsInJson() throws IOException {
        requests(
                "POST /v1/acquire",
                "{\"namespace\":\"" + SoakAttacks.NAMESPACE + "\",\"scopes\":[\"recorded\"]}");
    }

    private void requests(String line, String body) throws IOException {
        String request = String.join(
                "\r\n",
                line + " HTTP/1.1",
                "Host: localhost",
                "Authorization: Bearer " + guest.key(),
                "Content-Type: application/json",
                "Content-Length: " + body.length(),
                "",
                body);
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 10; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), guest.port());
                sockets.add(socket);
                socket.getOutputStream()
                        .write(request.repeat(15).getBytes(StandardCharsets.US_ASCII));
            }
            RealTime.pass(MOMENT);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }
}
