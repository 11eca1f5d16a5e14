// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.protocol.FromWire;
import io.leasehold.protocol.ToWire;
import io.leasehold.protocol.v1.Answer;
import io.leasehold.protocol.v1.Call;
import io.leasehold.protocol.v1.ForceReleaseRequest;
import io.leasehold.protocol.v1.InfoReply;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Guarantees;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Limits;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The engine that is a Leasehold server somewhere else.
 *
 * <h2>Why this is safe</h2>
 *
 * Everything is decided by the server's engine; this side only carries questions and answers, and
 * tells what it does not know. A question that was never sent did not happen. One that was sent and
 * has no answer, because the connection broke or the server took too long, may have: it is never
 * called anything else, and never sent a second time from here. Whoever asked repeats it with the
 * same lease id, as {@code Leasehold} does, and the server's engine knows the repeat; so a lost
 * answer can't become a second lease. A repeat of an acquire that still waits for its answer on a
 * connection that lives is not sent: it gets that answer, with the time between the two taken off.
 * How long a lease is good for is passed on as the server said it, and counted by the caller from
 * before it asked, so a slow network makes leases shorter, never longer.
 *
 * <p>An acquire whose connection breaks while it waits keeps its place for some seconds, in which
 * its repeat takes over. After that the server takes it back, unless somebody else may rely on it,
 * and the repeat queues anew.
 *
 * <p>Thread-safe. Uses one connection, and one thread for it, on which answers complete. Listeners
 * are called on another thread, which is there while there are events.
 */
public final class RemoteLeaseStore implements LeaseStore {

    /** With the longest scopes, this is still a message that every server takes. */
    private static final int MAX_RENEWALS_BYTES = 128 << 10;

    private final String namespace;
    private final Time time;
    private final Line line;
    private final OpenAcquires acquires = new OpenAcquires();

    private RemoteLeaseStore(RemoteOptions options, Line line) {
        this.namespace = options.address().namespace();
        this.time = options.time();
        this.line = line;
    }

    /**
     * Connects to the servers and the namespace that the address names, as in {@code
     * leasehold://host:port}; see {@link RemoteAddress}.
     *
     * @throws LeaseholdException if no server is to be had, or it does not want this client; the
     *     message says why
     */
    public static RemoteLeaseStore connect(String address) {
        return connect(RemoteOptions.at(address));
    }

    /**
     * Connects.
     *
     * @throws LeaseholdException if no server is to be had, or it does not want this client; the
     *     message says why
     */
    public static RemoteLeaseStore connect(RemoteOptions options) {
        return new RemoteLeaseStore(options, Line.open(options));
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        Optional<StoreUnavailableException> refusal = line.pauseAfterChange();
        if (refusal.isPresent()) {
            return CompletableFuture.failedFuture(refusal.get());
        }
        line.pin().asked(request.terms().ttl());
        return acquires.ask(
                request,
                time.nanos(),
                () -> line.ask(Question.acquire(
                        Call.newBuilder().setAcquire(ToWire.acquire(namespace, request)),
                        request.terms().waitAtMost(),
                        answer -> FromWire.acquisition(request, answer.getAcquired()))));
    }

    @Override
    public CompletionStage<Ending> withdraw(LeaseRequest request) {
        return ending(Call.newBuilder().setWithdraw(ToWire.acquire(namespace, request)));
    }

    @Override
    public CompletionStage<Renewal> renew(RenewalRequest request) {
        return renewTogether(List.of(request)).thenApply(renewals -> renewals.get(0));
    }

    @Override
    public CompletionStage<List<Renewal>> renewAll(List<RenewalRequest> requests) {
        List<CompletableFuture<List<Renewal>>> parts = new ArrayList<>();
        int begin = 0;
        int bytes = 0;
        for (int i = 0; i < requests.size(); i++) {
            int size = size(requests.get(i));
            if (i - begin == FromWire.MAX_RENEWALS
                    || (i > begin && bytes + size > MAX_RENEWALS_BYTES)) {
                parts.add(renewTogether(requests.subList(begin, i)));
                begin = i;
                bytes = 0;
            }
            bytes += size;
        }
        if (parts.isEmpty()) {
            return renewTogether(requests);
        }
        parts.add(renewTogether(requests.subList(begin, requests.size())));
        return CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new))
                .thenApply(done ->
                        parts.stream().flatMap(part -> part.join().stream()).toList());
    }

    /** About how long it is on the wire. */
    private static int size(RenewalRequest request) {
        int bytes = 300;
        for (var scope : request.grant().holding().claim().scopes()) {
            bytes += 20 + 3 * scope.toString().length();
        }
        return bytes;
    }

    private CompletableFuture<List<Renewal>> renewTogether(List<RenewalRequest> requests) {
        int expected = requests.size();
        requests.forEach(
                request -> line.pin().asked(request.ttl().orElse(request.grant().ttl())));
        return line.ask(Question.of(
                Call.newBuilder().setRenew(ToWire.renew(namespace, requests)),
                answer -> renewals(answer, expected)));
    }

    private static List<Renewal> renewals(Answer answer, int expected) {
        List<Renewal> renewals = FromWire.renewals(answer.getRenewed());
        if (renewals.size() != expected) {
            throw new IllegalArgumentException(
                    renewals.size() + " answers to " + expected + " renewals");
        }
        return renewals;
    }

    @Override
    public CompletionStage<Rotation> rotate(Grant grant) {
        return line.ask(Question.of(
                Call.newBuilder().setRotate(ToWire.rotate(namespace, grant)),
                answer -> FromWire.rotation(grant, answer.getRotated())));
    }

    @Override
    public CompletionStage<Ending> release(Grant grant) {
        return ending(Call.newBuilder().setRelease(ToWire.release(namespace, grant)));
    }

    @Override
    public CompletionStage<Ending> complete(Grant grant, LeaseRecord record, Duration keepFor) {
        Duration allowed;
        try {
            allowed = Limits.keepFor(keepFor);
        } catch (IllegalArgumentException | LimitExceededException e) {
            return CompletableFuture.failedFuture(e);
        }
        return ending(
                Call.newBuilder().setComplete(ToWire.complete(namespace, grant, record, allowed)));
    }

    @Override
    public CompletionStage<Ending> forceRelease(Scope scope, FencingToken token) {
        return ending(Call.newBuilder()
                .setForceRelease(ForceReleaseRequest.newBuilder()
                        .setNamespace(namespace)
                        .setScope(scope.toString())
                        .setToken(token.value())));
    }

    private CompletionStage<Ending> ending(Call.Builder call) {
        return line.ask(Question.of(call, answer -> FromWire.ending(answer.getEnded())));
    }

    @Override
    public CompletionStage<LeasePage> list(LeaseQuery query) {
        return line.ask(Question.of(
                Call.newBuilder().setList(ToWire.list(namespace, query)), answer -> page(answer)));
    }

    private static LeasePage page(Answer answer) {
        if (!answer.hasListed()) {
            throw new IllegalArgumentException("a listing without a page");
        }
        return FromWire.page(answer.getListed());
    }

    /**
     * Tells the listener of every change from now on, over reconnections too; where events were
     * lost it is told so.
     *
     * @throws LeaseholdException if there is no connection
     */
    @Override
    public LeaseEvents.Subscription subscribe(LeaseEvents listener) {
        return line.subscribe(listener);
    }

    /** What the engine of the server promises, as it said when the connection was made. */
    @Override
    public Guarantees guarantees() {
        InfoReply info = line.info();
        return new Guarantees(
                "remote (" + info.getEngine() + ")",
                info.getDurable(),
                info.getSurvivesFailover(),
                info.getClock() == InfoReply.Clock.MONOTONIC
                        ? Guarantees.Clock.MONOTONIC
                        : Guarantees.Clock.WALL,
                info.getFairQueue(),
                info.getCaveatsList());
    }

    /**
     * The id of the store that this client keeps to: the first that a server told, until each address
     * has answered with another. See {@code docs/engines/remote.md}.
     */
    @Override
    public CompletionStage<StoreId> storeId() {
        return line.pin()
                .store()
                .map(CompletableFuture::completedFuture)
                .orElseGet(() -> list(new LeaseQuery(Optional.empty(), Optional.empty(), 1))
                        .thenApply(page -> line.pin().store().orElseThrow(RemoteLeaseStore::noId))
                        .toCompletableFuture());
    }

    private static StoreUnavailableException noId() {
        return new StoreUnavailableException("the server tells no store id: nobody has used the"
                + " namespace yet, or the server's version is older than this client's");
    }

    @Override
    public LeaseEvents.Subscription onStoreChange(Consumer<StoreId> listener) {
        return line.pin().onChange(listener);
    }

    @Override
    public void close() {
        line.close();
    }
}
