// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.leasehold.protocol.FromWire;
import io.leasehold.protocol.ToWire;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.Answer;
import io.leasehold.protocol.v1.Call;
import io.leasehold.protocol.v1.EndReply;
import io.leasehold.protocol.v1.InfoReply;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.protocol.v1.SessionReply;
import io.leasehold.protocol.v1.SessionRequest;
import io.leasehold.protocol.v1.WatchReply;
import io.leasehold.protocol.v1.WatchRequest;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseStore;
import io.leasehold.testkit.TlsCertificate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A server that does what a test tells it: it answers calls from a store, or as a handler says, and
 * shows what it was sent.
 */
final class SessionServer implements AutoCloseable {

    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    /** Takes a call that the test wants to answer itself; false leaves it to the store. */
    interface Handler {
        boolean takes(Call call, StreamObserver<SessionReply> answers);
    }

    private final LeaseStore store;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "session-server");
        thread.setDaemon(true);
        return thread;
    });
    private final Server server;
    final Queue<SessionRequest> messages = new ConcurrentLinkedQueue<>();
    final List<StreamObserver<SessionReply>> sessions = new CopyOnWriteArrayList<>();
    /** Requests that were taken back by a call of their own. */
    final Queue<AcquireRequest> withdrawn = new ConcurrentLinkedQueue<>();

    final List<WatchRequest> watches = new CopyOnWriteArrayList<>();
    final List<StreamObserver<WatchReply>> watchers = new CopyOnWriteArrayList<>();
    // nobody is told of an event before they were told that their watch has begun
    private final ReentrantLock telling = new ReentrantLock();
    final Queue<String> shown = new ConcurrentLinkedQueue<>();
    volatile Handler handler = (call, answers) -> false;
    volatile @Nullable Status refusal;
    volatile InfoReply info = InfoReply.newBuilder()
            .setEngine("memory")
            .setFairQueue(true)
            .addCaveats("it is only a test")
            .build();

    private SessionServer(LeaseStore store, int port, @Nullable TlsCertificate tls) {
        this.store = store;
        NettyServerBuilder builder = NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .executor(threads)
                .intercept(new Listening())
                .addService(new Leases());
        if (tls != null) {
            builder.useTransportSecurity(tls.certificate().toFile(), tls.key().toFile());
        }
        this.server = builder.build();
        try {
            server.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static SessionServer on(LeaseStore store) {
        return new SessionServer(store, 0, null);
    }

    static SessionServer on(LeaseStore store, int port) {
        return new SessionServer(store, port, null);
    }

    static SessionServer secured(LeaseStore store, TlsCertificate certificate) {
        return secured(store, 0, certificate);
    }

    static SessionServer secured(LeaseStore store, int port, TlsCertificate certificate) {
        return new SessionServer(store, port, certificate);
    }

    int port() {
        return server.getPort();
    }

    String address() {
        return "leasehold://127.0.0.1:" + port();
    }

    /** All calls so far, from all sessions. */
    List<Call> calls() {
        return messages.stream()
                .flatMap(message -> message.getCallsList().stream())
                .toList();
    }

    static SessionReply reply(Answer... answers) {
        return SessionReply.newBuilder().addAllAnswers(List.of(answers)).build();
    }

    /** The answer to a call, which was an acquire. */
    static Answer acquired(Call call, Acquisition outcome) {
        return Answer.newBuilder()
                .setId(call.getId())
                .setAcquired(ToWire.acquisition(outcome))
                .build();
    }

    /** Tells all clients that it is about to stop, and goes on. */
    void tellOfStop() {
        for (StreamObserver<SessionReply> session : sessions) {
            synchronized (session) {
                session.onNext(SessionReply.newBuilder().setStopping(true).build());
            }
        }
    }

    /** Ends all sessions, leaving what is under way without an answer. */
    void breakSessions() {
        for (StreamObserver<SessionReply> session : List.copyOf(sessions)) {
            sessions.remove(session);
            session.onError(Status.UNAVAILABLE.withDescription("broken").asRuntimeException());
        }
    }

    /** Stops like a process that is killed. */
    @Override
    public void close() {
        server.shutdownNow();
        try {
            if (!server.awaitTermination(10, TimeUnit.SECONDS)) {
                throw new AssertionError("the server does not stop");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        threads.shutdownNow();
    }

    /** Notes what identity is shown, and refuses all calls if the test says so. */
    private final class Listening implements ServerInterceptor {

        @Override
        public <A, B> ServerCall.Listener<A> interceptCall(
                ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
            String identity = headers.get(AUTHORIZATION);
            if (identity != null) {
                shown.add(identity);
            }
            Status refused = refusal;
            if (refused != null) {
                call.close(refused, new Metadata());
                return new ServerCall.Listener<>() {};
            }
            return next.startCall(call, headers);
        }
    }

    /** Tells it to whoever began to watch last. */
    void tell(WatchReply news) {
        telling.lock();
        try {
            watchers.get(watchers.size() - 1).onNext(news);
        } finally {
            telling.unlock();
        }
    }

    private final class Leases extends LeasesGrpc.LeasesImplBase {

        @Override
        public void info(InfoRequest request, StreamObserver<InfoReply> answer) {
            answer.onNext(info);
            answer.onCompleted();
        }

        @Override
        public void withdraw(AcquireRequest request, StreamObserver<EndReply> answer) {
            withdrawn.add(request);
            answer.onNext(EndReply.newBuilder()
                    .setEnded(EndReply.Ended.getDefaultInstance())
                    .build());
            answer.onCompleted();
        }

        @Override
        public void watch(WatchRequest request, StreamObserver<WatchReply> answers) {
            telling.lock();
            try {
                watches.add(request);
                watchers.add(answers);
                answers.onNext(WatchReply.newBuilder()
                        .setCursor("boot." + watches.size())
                        .setStarted(WatchReply.Started.getDefaultInstance())
                        .build());
            } finally {
                telling.unlock();
            }
        }

        @Override
        public StreamObserver<SessionRequest> session(StreamObserver<SessionReply> answers) {
            sessions.add(answers);
            return new StreamObserver<>() {
                @Override
                public void onNext(SessionRequest message) {
                    messages.add(message);
                    for (Call call : message.getCallsList()) {
                        if (!handler.takes(call, answers)) {
                            decide(call, answers);
                        }
                    }
                }

                @Override
                public void onError(Throwable error) {
                    sessions.remove(answers);
                }

                @Override
                public void onCompleted() {
                    sessions.remove(answers);
                }
            };
        }
    }

    private void decide(Call call, StreamObserver<SessionReply> answers) {
        Answer.Builder answer = Answer.newBuilder().setId(call.getId());
        CompletionStage<Answer.Builder> decided = switch (call.getOperationCase()) {
            case ACQUIRE ->
                store.acquire(FromWire.acquire(call.getAcquire()))
                        .thenApply(done -> answer.setAcquired(ToWire.acquisition(done)));
            case WITHDRAW ->
                store.withdraw(FromWire.acquire(call.getWithdraw()))
                        .thenApply(done -> answer.setEnded(ToWire.ending(done)));
            case RENEW ->
                store.renewAll(FromWire.renew(call.getRenew()))
                        .thenApply(done -> answer.setRenewed(ToWire.renewals(done)));
            case ROTATE ->
                store.rotate(FromWire.grant(call.getRotate().getGrant()))
                        .thenApply(done -> answer.setRotated(ToWire.rotation(done)));
            case RELEASE ->
                store.release(FromWire.grant(call.getRelease().getGrant()))
                        .thenApply(done -> answer.setEnded(ToWire.ending(done)));
            default ->
                store.list(FromWire.list(call.getList()))
                        .thenApply(done -> answer.setListed(ToWire.page(done)));
        };
        decided.thenAccept(done -> {
            synchronized (answers) {
                answers.onNext(reply(done.build()));
            }
        });
    }
}
