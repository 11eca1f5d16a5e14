// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static io.leasehold.server.Requests.acquire;
import static io.leasehold.server.Requests.grant;
import static io.leasehold.server.Requests.release;
import static io.leasehold.server.Requests.renew;
import static io.leasehold.server.Requests.seconds;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.AdmitRequest;
import io.leasehold.protocol.v1.Call;
import io.leasehold.protocol.v1.CheckRequest;
import io.leasehold.protocol.v1.CompleteRequest;
import io.leasehold.protocol.v1.Grant;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.protocol.v1.Record;
import io.leasehold.protocol.v1.SessionReply;
import io.leasehold.protocol.v1.SessionRequest;
import io.leasehold.protocol.v1.WatchReply;
import io.leasehold.protocol.v1.WatchRequest;
import io.leasehold.server.access.AccessRule;
import io.leasehold.server.access.TokenFile;
import io.leasehold.testkit.RealTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** What strangers, a guest and a revoked principal do to a server, each again and again. */
final class SoakAttacks {

    /** One round of one attack. It fails if it is answered in another way than it should be. */
    interface Round {
        void once() throws IOException, InterruptedException;
    }

    /**
     * One of the attacks.
     *
     * @param cutOff whether the server may hang up on those who carry it out
     * @param round of it
     */
    record Attack(boolean cutOff, Round round) {}

    static final String NAMESPACE = "guests";

    private static final Duration MOMENT = Duration.ofMillis(200);
    private static final int LEASES = 2_000;
    private static final int NAMESPACES = 100;
    private static final int RECORDS = 100;

    private final TokenFile tokens;
    private final SoakGuest guest;
    private final SoakStrangers strangers;
    private final SoakUnread unread;
    private final AtomicInteger marked = new AtomicInteger();
    private final AtomicInteger completed = new AtomicInteger();

    SoakAttacks(int port, TokenFile tokens, String guest) {
        this.tokens = tokens;
        this.guest = new SoakGuest(port, guest);
        this.strangers = new SoakStrangers(port);
        this.unread = new SoakUnread(this.guest);
    }

    Map<String, Attack> all() {
        Map<String, Attack> all = new LinkedHashMap<>();
        all.put("pipelined requests, unread", new Attack(true, strangers::pipeline));
        all.put("bodies without a key", new Attack(true, strangers::bodies));
        all.put("gRPC messages without a key", new Attack(true, strangers::messages));
        all.put("gRPC calls without a key", new Attack(false, strangers::calls));
        all.put("gRPC in JSON without a key", new Attack(true, strangers::json));
        all.put("gRPC in JSON", new Attack(true, () -> strangers.json(guest.key())));
        all.put("lists in sessions, unread", new Attack(false, unread::listsInSessions));
        all.put("lists, unread", new Attack(false, unread::lists));
        all.put("lists in JSON, unread", new Attack(true, unread::listsInJson));
        all.put("records in sessions, unread", new Attack(false, unread::recordsInSessions));
        all.put("records, unread", new Attack(false, unread::records));
        all.put("records in JSON, unread", new Attack(true, unread::recordsInJson));
        all.put("one lease id on many names", new Attack(false, this::names));
        all.put("records left behind", new Attack(false, this::leaveRecords));
        all.put("refused renewals and releases", new Attack(false, this::refusals));
        all.put("watches", new Attack(false, this::watches));
        all.put("marks in many namespaces", new Attack(false, this::marks));
        all.put("checks over many leases", new Attack(false, this::checks));
        all.put("a revoked principal that waits", new Attack(false, this::revoked));
        return all;
    }

    /** What the guest has from the beginning: many leases below one path, and one with a record. */
    void prepare() throws InterruptedException {
        guest.connected(channel -> {
            for (int i = 0; i < LEASES; i++) {
                AcquireRequest.Builder request = acquire("")
                        .clearScopes()
                        .addScopes("path:/guests/" + i)
                        .setNamespace(NAMESPACE)
                        .setTtl(seconds(3_600));
                if (!guest.calls(channel).acquire(request.build()).hasGranted()) {
                    throw new AssertionError("the guest has no lease");
                }
            }
        });
        unread.holdWithARecord();
    }

    private static AcquireRequest.Builder lease(String name, long ttl) {
        return acquire(name).setNamespace(NAMESPACE).setTtl(seconds(ttl));
    }

    private void names() throws InterruptedException {
        SessionRequest.Builder message = SessionRequest.newBuilder();
        for (int i = 0; i < 2_000; i++) {
            message.addCalls(Call.newBuilder()
                    .setId(i)
                    .setAcquire(lease("same-id-" + i, 1)
                            .setLeaseId("f".repeat(32))
                            .setWait(seconds(i % 2 * 10))));
        }
        guest.connected(channel -> {
            StreamObserver<SessionRequest> session =
                    guest.streams(channel).session(new Ignored<SessionReply>());
            session.onNext(message.build());
            RealTime.pass(MOMENT);
        });
    }

    /** Each of 64 KiB, for a minute. */
    private void leaveRecords() throws InterruptedException {
        Record large = Record.newBuilder()
                .setValue(ByteString.copyFrom(new byte[64 << 10]))
                .build();
        guest.connected(channel -> {
            for (int i = 0; i < 10; i++) {
                int number = completed.incrementAndGet() % RECORDS;
                Grant lease = granted(channel, lease("left-" + number, 30));
                CompleteRequest complete = CompleteRequest.newBuilder()
                        .setNamespace(NAMESPACE)
                        .setGrant(lease)
                        .setRecord(large)
                        .setKeepFor(seconds(60))
                        .build();
                if (!guest.calls(channel).complete(complete).hasEnded()) {
                    throw new AssertionError("the guest left no record");
                }
            }
        });
    }

    /** With the tokens of others' leases and ids of none. */
    private void refusals() throws InterruptedException {
        guest.connected(channel -> {
            for (int i = 0; i < 10; i++) {
                Grant none = Grant.newBuilder()
                        .addScopes("path:/guests/" + i)
                        .setToken(i + 1)
                        .setLeaseId(Requests.id())
                        .setHolder("test")
                        .setTtl(seconds(30))
                        .build();
                boolean refused = guest.calls(channel)
                                .renew(renew(none).toBuilder()
                                        .setNamespace(NAMESPACE)
                                        .build())
                                .getOutcomes(0)
                                .hasRefused()
                        && guest.calls(channel)
                                .release(release(none).toBuilder()
                                        .setNamespace(NAMESPACE)
                                        .build())
                                .hasRefused();
                if (!refused) {
                    throw new AssertionError("a lease id that was made up was taken");
                }
            }
        });
    }

    private void watches() throws InterruptedException {
        WatchRequest watch = WatchRequest.newBuilder().setNamespace(NAMESPACE).build();
        guest.connected(channel -> {
            for (int i = 0; i < 150; i++) {
                guest.streams(channel).watch(watch, new Ignored<WatchReply>());
            }
            RealTime.pass(MOMENT);
        });
    }

    private void marks() throws InterruptedException {
        guest.connected(channel -> {
            for (int i = 0; i < 10; i++) {
                int number = marked.incrementAndGet() % NAMESPACES;
                AdmitRequest mark = AdmitRequest.newBuilder()
                        .setNamespace(NAMESPACE + "-" + number)
                        .setResource("resource")
                        .setToken(1)
                        .build();
                boolean unused = isServed(
                        Status.Code.RESOURCE_EXHAUSTED,
                        () -> guest.calls(channel).admit(mark));
                boolean unusedToo = isServed(
                        Status.Code.RESOURCE_EXHAUSTED,
                        () -> guest.calls(channel).seal(mark));
            }
        });
    }

    /** False if it is refused in this way. */
    private static boolean isServed(Status.Code refusal, Runnable call) {
        try {
            call.run();
            return true;
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() != refusal) {
                throw e;
            }
            return false;
        }
    }

    private void checks() throws InterruptedException {
        CheckRequest check = CheckRequest.newBuilder()
                .setNamespace(NAMESPACE)
                .setScope("subtree:/guests")
                .setToken(LEASES)
                .build();
        guest.connected(channel -> {
            for (int i = 0; i < 10; i++) {
                boolean unused = isServed(
                        Status.Code.RESOURCE_EXHAUSTED,
                        () -> guest.calls(channel).check(check));
            }
        });
    }

    /** It waits for a lock that the guest has until it is revoked, and gets nothing. */
    private void revoked() throws InterruptedException {
        SoakGuest gone = new SoakGuest(
                guest.port(),
                tokens.create("gone", List.of(AccessRule.parse(NAMESPACE + "=acquire"))));
        AcquireRequest.Builder lease = lease("revoked", 3_600);
        guest.connected(channel -> {
            Grant held = granted(channel, lease.setWait(seconds(30)));
            List<ListenableFuture<AcquireReply>> waits = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                waits.add(gone.later(channel)
                        .acquire(lease.setLeaseId(Requests.id())
                                .setWait(seconds(300))
                                .build()));
            }
            RealTime.pass(MOMENT);
            if (!tokens.revoke("gone")) {
                throw new AssertionError("there is no such principal");
            }
            RealTime.until(
                    "the server knows of it",
                    () -> !isServed(
                            Status.Code.UNAUTHENTICATED,
                            () -> gone.calls(channel).info(InfoRequest.getDefaultInstance())));
            end(channel, held);
            for (ListenableFuture<AcquireReply> wait : waits) {
                assertDenied(wait);
            }
            end(channel, granted(channel, lease.setLeaseId(Requests.id()).setWait(seconds(0))));
        });
    }

    private Grant granted(ManagedChannel channel, AcquireRequest.Builder lease) {
        AcquireReply reply = acquired(channel, lease.build());
        if (!reply.hasGranted()) {
            throw new AssertionError("somebody has " + lease.getScopes(0) + ": " + reply);
        }
        return grant(reply);
    }

    /** The guest's other attacks may use up its share of the memory for acquires for a while. */
    private AcquireReply acquired(ManagedChannel channel, AcquireRequest request) {
        List<AcquireReply> replies = new ArrayList<>(1);
        RealTime.until("there is room for an acquire of the guest", () -> {
            try {
                replies.add(guest.calls(channel).acquire(request));
            } catch (StatusRuntimeException e) {
                if (e.getStatus().getCode() != Status.Code.RESOURCE_EXHAUSTED) {
                    throw e;
                }
            }
            return !replies.isEmpty();
        });
        return replies.get(0);
    }

    private void end(ManagedChannel channel, Grant lease) {
        if (!guest.calls(channel)
                .release(release(lease).toBuilder().setNamespace(NAMESPACE).build())
                .hasEnded()) {
            throw new AssertionError("the guest lost " + lease.getScopes(0));
        }
    }

    private static void assertDenied(ListenableFuture<AcquireReply> wait)
            throws InterruptedException {
        try {
            AcquireReply reply = wait.get(60, TimeUnit.SECONDS);
            throw new AssertionError("a principal that was revoked is told " + reply);
        } catch (ExecutionException e) {
            Status.Code code = Status.fromThrowable(e).getCode();
            if (code != Status.Code.PERMISSION_DENIED && code != Status.Code.UNAUTHENTICATED) {
                throw new AssertionError("not as one without permission", e);
            }
        } catch (TimeoutException e) {
            throw new AssertionError("a principal that was revoked still waits", e);
        }
    }
}
