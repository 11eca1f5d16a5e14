// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli.http;

import io.leasehold.cli.json.Durations;
import io.leasehold.cli.json.Json;
import io.leasehold.cli.json.JsonException;
import io.leasehold.cli.json.JsonObject;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Guarantees;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.StorePin;
import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A namespace of a server as a store, so that a command has the library's own renewal and its
 * deadlines. Each call under way has a thread, and a request that waits has one call at a time: a
 * repeat with the same id takes the place of the one before, which is then abandoned. That keeps
 * its place in the server's queue. Thread-safe.
 *
 * <p>A call that repeating can't help, such as one that is not permitted, fails as a {@link
 * LimitExceededException} whose limit is the server's reason: nothing happened, and the runtime
 * does not try again.
 */
public final class HttpLeaseStore implements LeaseStore {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final String GRANTED = "granted";

    private final StorePin pin = new StorePin(1);
    private final Time time = Time.system();
    private final ServerApi api;
    private final String namespace;
    private final ExecutorService threads = Executors.newCachedThreadPool(HttpLeaseStore::daemon);
    private final Map<LeaseId, HttpCall> waiting = new ConcurrentHashMap<>();

    public HttpLeaseStore(ServerApi api, String namespace) {
        this.api = api;
        this.namespace = namespace;
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "leasehold-http");
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        Optional<StoreUnavailableException> refusal = pin.refusal(time.nanos());
        if (refusal.isPresent()) {
            return CompletableFuture.failedFuture(refusal.get());
        }
        pin.asked(request.terms().ttl());
        Duration timeout = request.terms().waitAtMost().plus(PATIENCE);
        HttpCall call = api.post("/v1/acquire", ToJson.acquire(namespace, request), timeout);
        HttpCall before = waiting.put(request.id(), call);
        CompletionStage<Acquisition> answer =
                send(call, reply -> FromJson.acquisition(request, reply), reply -> {
                    if (reply.has(GRANTED)) {
                        CompletionStage<Ending> unused = withdraw(request);
                    }
                });
        if (before != null) {
            // only now: the server should see that somebody still waits
            abandonSoon(before);
        }
        return answer.whenComplete((came, error) -> waiting.remove(request.id(), call));
    }

    private void abandonSoon(HttpCall call) {
        try {
            threads.execute(call::abandon);
        } catch (RejectedExecutionException e) {
            call.abandon();
        }
    }

    @Override
    public CompletionStage<Ending> withdraw(LeaseRequest request) {
        CompletionStage<Ending> ending =
                post("/v1/withdraw", ToJson.acquire(namespace, request), FromJson::ending);
        return ending.whenComplete((ended, error) -> {
            HttpCall call = waiting.remove(request.id());
            if (call != null) {
                abandonSoon(call);
            }
        });
    }

    @Override
    public CompletionStage<Renewal> renew(RenewalRequest request) {
        return renewAll(List.of(request)).thenApply(renewals -> renewals.get(0));
    }

    @Override
    public CompletionStage<List<Renewal>> renewAll(List<RenewalRequest> requests) {
        requests.forEach(
                request -> pin.asked(request.ttl().orElse(request.grant().ttl())));
        return post("/v1/renew", ToJson.renew(namespace, requests), reply -> {
            List<Renewal> renewals = FromJson.renewals(reply);
            if (renewals.size() != requests.size()) {
                throw new JsonException("another number of answers than of questions");
            }
            return renewals;
        });
    }

    @Override
    public CompletionStage<Rotation> rotate(Grant grant) {
        return post("/v1/rotate", withGrant(grant), reply -> FromJson.rotation(grant, reply));
    }

    @Override
    public CompletionStage<Ending> release(Grant grant) {
        return post("/v1/release", withGrant(grant), FromJson::ending);
    }

    @Override
    public CompletionStage<Ending> complete(Grant grant, LeaseRecord record, Duration keepFor) {
        Map<String, Object> fields = withGrant(grant);
        fields.put("record", ToJson.record(record));
        fields.put("keepFor", Durations.write(keepFor));
        return post("/v1/complete", fields, FromJson::ending);
    }

    @Override
    public CompletionStage<LeasePage> list(LeaseQuery query) {
        return send(api.get("/v1/leases", ToJson.list(namespace, query), PATIENCE), FromJson::page);
    }

    @Override
    public CompletionStage<Ending> forceRelease(Scope scope, FencingToken token) {
        return forceRelease(scope, token, "");
    }

    /** The same with a reason for the audit log. */
    public CompletionStage<Ending> forceRelease(Scope scope, FencingToken token, String comment) {
        Map<String, Object> fields = Json.object(
                "namespace",
                namespace,
                "scope",
                scope.toString(),
                "token",
                token.toString(),
                "comment",
                comment);
        return post("/v1/force-release", fields, FromJson::ending);
    }

    @Override
    public LeaseEvents.Subscription subscribe(LeaseEvents listener) {
        ServerWatch watch = new ServerWatch(api, namespace, "");
        threads.execute(() -> watch.run(event -> event.event().ifPresent(listener::on)));
        return watch::close;
    }

    /** The id that the server told first, until it tells another. */
    @Override
    public CompletionStage<StoreId> storeId() {
        return pin.store().isPresent()
                ? CompletableFuture.completedFuture(pin.store().get())
                : list(new LeaseQuery(Optional.empty(), Optional.empty(), 1))
                        .thenApply(page -> pin.store()
                                .orElseThrow(() -> new StoreUnavailableException(
                                        "the server tells no store id: nobody has used the"
                                                + " namespace yet, or it is an older version")));
    }

    @Override
    public LeaseEvents.Subscription onStoreChange(Consumer<StoreId> listener) {
        return pin.onChange(listener);
    }

    /** Asks the server, and waits for it. */
    @Override
    public Guarantees guarantees() {
        return guarantees(api.info(namespace, PATIENCE));
    }

    /** What a server's information says of its engine. */
    public static Guarantees guarantees(JsonObject info) {
        return FromJson.guarantees(info);
    }

    private Map<String, Object> withGrant(Grant grant) {
        return Json.object("namespace", namespace, "grant", ToJson.grant(grant));
    }

    private <T> CompletionStage<T> post(
            String path, Map<String, Object> fields, Function<JsonObject, T> reader) {
        return send(api.post(path, fields, PATIENCE), reader);
    }

    private <T> CompletionStage<T> send(HttpCall call, Function<JsonObject, T> reader) {
        return send(call, reader, reply -> {});
    }

    private <T> CompletionStage<T> send(
            HttpCall call, Function<JsonObject, T> reader, Consumer<JsonObject> notTaken) {
        try {
            return CompletableFuture.supplyAsync(() -> answer(call, reader, notTaken), threads);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(
                    new StoreUnavailableException("the connection to the server is closed"));
        }
    }

    private <T> T answer(
            HttpCall call, Function<JsonObject, T> reader, Consumer<JsonObject> notTaken) {
        try {
            JsonObject reply = call.reply();
            Optional<StoreUnavailableException> refusal = whyNotTaken(reply);
            if (refusal.isPresent()) {
                notTaken.accept(reply);
                throw refusal.get();
            }
            return reader.apply(reply);
        } catch (ProblemException e) {
            throw new LimitExceededException(e.reason(), 0, String.valueOf(e.getMessage()));
        } catch (JsonException | IllegalArgumentException e) {
            throw new OutcomeUnknownException(
                    "the server's answer can't be read: " + e.getMessage()
                            + "; is it a Leasehold server?",
                    e);
        }
    }

    /** Why the reply is not taken: it is of another store, or a grant that was asked for before a change. */
    private Optional<StoreUnavailableException> whyNotTaken(JsonObject reply) {
        Optional<StoreId> ours = pin.store();
        Optional<StoreId> told = FromJson.storeId(reply);
        String server = api.address().toString();
        if (pin.heard(server, told, time.nanos()) != StorePin.Verdict.OURS) {
            return Optional.of(new StoreUnavailableException(StorePin.mismatch(
                    server, ours.or(pin::store).orElseThrow(), told.orElseThrow())));
        }
        return reply.has(GRANTED) ? pin.refusal(time.nanos()) : Optional.empty();
    }

    @Override
    public void close() {
        threads.shutdown();
        waiting.values().forEach(HttpCall::abandon);
    }
}
