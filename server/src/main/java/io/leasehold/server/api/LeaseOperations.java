// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.grpc.MethodDescriptor;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.protocol.FromWire;
import io.leasehold.protocol.ToWire;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.AdmitReply;
import io.leasehold.protocol.v1.AdmitRequest;
import io.leasehold.protocol.v1.CheckReply;
import io.leasehold.protocol.v1.CheckRequest;
import io.leasehold.protocol.v1.CompleteRequest;
import io.leasehold.protocol.v1.EndReply;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.ForceReleaseRequest;
import io.leasehold.protocol.v1.InfoReply;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.protocol.v1.ListReply;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.protocol.v1.ReleaseRequest;
import io.leasehold.protocol.v1.RenewReply;
import io.leasehold.protocol.v1.RenewRequest;
import io.leasehold.protocol.v1.RotateReply;
import io.leasehold.protocol.v1.RotateRequest;
import io.leasehold.protocol.v1.WatchRequest;
import io.leasehold.server.access.Rules;
import io.leasehold.server.engine.Namespaces;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Guarantees;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.RenewalRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The operations on the stores of the namespaces. Each reads its request, asks whether the caller
 * may, and hands it on; what takes more than that is a class of its own.
 */
public final class LeaseOperations implements Operations, AutoCloseable {

    /** Calls of one lease id that wait: of more, {@link AcquireCalls} answers the oldest. */
    private static final int REPEATS = AcquireCalls.MOST_WAITING;

    /** Of a reply: takes no room. */
    private static final int SMALL = 1 << 10;

    private final Namespaces namespaces;
    private final Acquires acquires;
    private final HostedGuards guards;
    private final Watches watches;
    private final Clocks clocks;
    private final Loads loads;
    private final AnswerRoom room;
    private final Checks checks;
    private final Guarantees guarantees;
    private final String version;
    private volatile boolean stopping;

    /** The loads of the kinds of calls. */
    private record Loads(Load acquires, Load holders, Load readers) {}

    /** The operations on these namespaces, of which the default one is open. */
    public LeaseOperations(Namespaces namespaces, OperationsOptions options) {
        this.namespaces = namespaces;
        OperationsOptions.Bounds bounds = options.bounds();
        this.acquires =
                new Acquires(options.time(), bounds.grace(), bounds.acquires(), options.random());
        this.guards = new HostedGuards(options.random());
        this.watches = new Watches(
                namespaces,
                options.time(),
                new Watches.Bounds(
                        Long.toHexString(options.random().nextLong()),
                        bounds.eventsKept(),
                        bounds.watches()),
                options.herald());
        this.clocks = new Clocks(options.time());
        this.loads = new Loads(
                new Load(
                        "calls of acquires under way",
                        (int) Math.min(
                                (long) bounds.acquires().underWay() * REPEATS, Integer.MAX_VALUE),
                        Failures::ofChanging),
                new Load("calls under way", bounds.others(), Failures::ofChanging),
                new Load("reads under way", bounds.reads().underWay(), Failures::ofReading));
        this.room = new AnswerRoom(bounds.reads(), options.readers());
        this.checks = new Checks(bounds.reads(), options.readers());
        this.guarantees = options.guarantees();
        this.version = options.version();
    }

    // --- what holders do --------------------------------------------------------------------

    @Override
    public CompletionStage<AcquireReply> acquire(Caller caller, AcquireRequest message) {
        return loads.acquires.carry(
                caller.call(),
                () -> {
                    MethodDescriptor<?, ?> method = LeasesGrpc.getAcquireMethod();
                    String namespace = permitted(caller, method, message.getNamespace());
                    LeaseRequest request = FromWire.acquire(message);
                    if (stopping) {
                        throw Stopping.refusal();
                    }
                    CompletionStage<Told<Acquisition>> told =
                            told(namespaces.leases(namespace), store -> {
                                var order = new Acquires.Order(namespace, store, request);
                                CompletionStage<Acquisition> asked =
                                        acquires.acquire(caller, order);
                                return asked.handle((answer, failure) ->
                                                isPermitted(caller, method, namespace)
                                                        ? asked
                                                        : denied(order, answer, failure))
                                        .thenCompose(answer -> answer);
                            });
                    return told.thenCompose(answer -> roomFor(caller, answer));
                },
                Replies::acquisition);
    }

    /** A large reply waits for room, as a listing does. A grant never waits. */
    private CompletionStage<Told<Acquisition>> roomFor(Caller caller, Told<Acquisition> told) {
        long bytes = Replies.bytesOfOthers(told.answer());
        return bytes <= SMALL
                ? CompletableFuture.completedStage(told)
                : room.keep(caller, told, bytes);
    }

    /** For a caller that lost its permission while it waited, and could not release what it got. */
    private CompletionStage<Acquisition> denied(
            Acquires.Order order, @Nullable Acquisition answer, @Nullable Throwable failure) {
        CallFailedException denied = denied(LeasesGrpc.getAcquireMethod(), order.namespace());
        boolean nothing = failure == null
                ? !(answer instanceof Acquisition.Granted)
                : !AcquireCalls.mayHaveHappened(failure);
        if (nothing) {
            return CompletableFuture.failedStage(denied);
        }
        return acquires.deny(order)
                .handle((ending, unanswered) -> unanswered == null
                        ? denied
                        : Failures.of(
                                Failure.Kind.OUTCOME_UNKNOWN,
                                "the permission to acquire was revoked, and the lease could not be"
                                        + " taken back yet: the server repeats that until the store"
                                        + " answers"))
                .thenCompose(CompletableFuture::failedStage);
    }

    @Override
    public CompletionStage<EndReply> withdraw(Caller caller, AcquireRequest message) {
        return loads.holders.carry(
                caller.call(),
                () -> {
                    LeaseRequest request = FromWire.acquire(message);
                    return told(
                            changing(
                                    caller, LeasesGrpc.getWithdrawMethod(), message.getNamespace()),
                            store -> store.withdraw(request));
                },
                Replies::ending);
    }

    @Override
    public CompletionStage<RenewReply> renew(Caller caller, RenewRequest message) {
        return loads.holders.carry(
                caller.call(),
                () -> {
                    List<RenewalRequest> requests = FromWire.renew(message);
                    return told(
                            changing(caller, LeasesGrpc.getRenewMethod(), message.getNamespace()),
                            store -> store.renewAll(requests));
                },
                Replies::renewals);
    }

    @Override
    public CompletionStage<RotateReply> rotate(Caller caller, RotateRequest message) {
        return loads.holders.carry(
                caller.call(),
                () -> {
                    Grant grant = FromWire.grant(message.getGrant());
                    return told(
                            changing(caller, LeasesGrpc.getRotateMethod(), message.getNamespace()),
                            store -> store.rotate(grant));
                },
                Replies::rotation);
    }

    @Override
    public CompletionStage<EndReply> release(Caller caller, ReleaseRequest message) {
        return loads.holders.carry(
                caller.call(),
                () -> {
                    Grant grant = FromWire.grant(message.getGrant());
                    return told(
                            changing(caller, LeasesGrpc.getReleaseMethod(), message.getNamespace()),
                            store -> store.release(grant));
                },
                Replies::ending);
    }

    @Override
    public CompletionStage<EndReply> complete(Caller caller, CompleteRequest message) {
        return loads.holders.carry(
                caller.call(),
                () -> {
                    Grant grant = FromWire.grant(message.getGrant());
                    Duration keepFor = FromWire.keepFor(message);
                    LeaseRecord record =
                            FromWire.field("record", () -> FromWire.record(message.getRecord()));
                    return told(
                            changing(
                                    caller, LeasesGrpc.getCompleteMethod(), message.getNamespace()),
                            store -> store.complete(grant, record, keepFor));
                },
                Replies::ending);
    }

    @Override
    public CompletionStage<EndReply> forceRelease(Caller caller, ForceReleaseRequest message) {
        return loads.holders.carry(
                caller.call(),
                () -> {
                    Scope scope = scope(message.getScope());
                    FencingToken token = token(message.getToken());
                    return told(
                            changing(
                                    caller,
                                    LeasesGrpc.getForceReleaseMethod(),
                                    message.getNamespace()),
                            store -> store.forceRelease(scope, token));
                },
                Replies::ending);
    }

    // --- what resources and people do ---------------------------------------------------------

    @Override
    public CompletionStage<AdmitReply> admit(Caller caller, AdmitRequest message) {
        return raise(caller, LeasesGrpc.getAdmitMethod(), message);
    }

    /** A hosted guard keeps a mark and no data, so that there is no difference. */
    @Override
    public CompletionStage<AdmitReply> seal(Caller caller, AdmitRequest message) {
        return raise(caller, LeasesGrpc.getSealMethod(), message);
    }

    private CompletionStage<AdmitReply> raise(
            Caller caller, MethodDescriptor<?, ?> method, AdmitRequest message) {
        return loads.holders.carry(
                caller.call(),
                () -> {
                    String namespace = permitted(caller, method, message.getNamespace());
                    Scope resource =
                            FromWire.field("resource", () -> Scope.name(message.getResource()));
                    FencingToken token = token(message.getToken());
                    return told(
                            namespaces.guards(namespace),
                            store -> guards.admit(store, resource, token));
                },
                Replies::admission);
    }

    @Override
    public CompletionStage<ListReply> list(Caller caller, ListRequest message) {
        return loads.readers.carry(
                caller.call(),
                () -> {
                    String namespace = namespace(message.getNamespace());
                    LeaseQuery query = FromWire.list(message);
                    return room.answer(
                            caller,
                            () -> reading(
                                    caller,
                                    LeasesGrpc.getListMethod(),
                                    namespace,
                                    store -> store.list(query).thenApply(Pages::write),
                                    ListReply.getDefaultInstance()),
                            told -> told.answer().getSerializedSize());
                },
                Replies::page);
    }

    @Override
    public CompletionStage<CheckReply> check(Caller caller, CheckRequest message) {
        return loads.readers.carry(
                caller.call(),
                () -> {
                    Scope scope = scope(message.getScope());
                    FencingToken token = token(message.getToken());
                    String namespace = namespace(message.getNamespace());
                    return checks.carry(
                            caller.principal(),
                            () -> reading(
                                    caller,
                                    LeasesGrpc.getCheckMethod(),
                                    namespace,
                                    store -> Checks.check(store, scope, token),
                                    CheckReply.getDefaultInstance()));
                },
                Replies::check);
    }

    /** Asks no store and is not limited: a client that comes back to renew its leases begins here. */
    @Override
    public CompletionStage<InfoReply> info(Caller caller, InfoRequest message) {
        String store;
        try {
            store = storeId(caller, namespace(message.getNamespace()));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(Failures.before(caller.call(), e));
        }
        return CompletableFuture.completedFuture(InfoReply.newBuilder()
                .setVersion(version)
                .setEngine(guarantees.engine())
                .setDurable(guarantees.durable())
                .setSurvivesFailover(guarantees.survivesFailover())
                .setClock(InfoReply.Clock.valueOf(guarantees.clock().name()))
                .setFairQueue(guarantees.fairQueue())
                .addAllCaveats(guarantees.caveats())
                .setStopping(stopping)
                .setClockStep(ToWire.duration(clocks.step()))
                .setStoreId(store)
                .build());
    }

    /** The id of an open store, as it told it last; empty if there is none for the caller. */
    private String storeId(Caller caller, String namespace) {
        boolean permitted = isPermitted(caller, LeasesGrpc.getAcquireMethod(), namespace)
                || isPermitted(caller, LeasesGrpc.getListMethod(), namespace);
        return permitted
                ? namespaces
                        .leasesIfOpen(namespace)
                        .flatMap(Told::idOf)
                        .map(StoreId::toString)
                        .orElse("")
                : "";
    }

    @Override
    public Watch watch(Caller caller, WatchRequest message) {
        try {
            String namespace = namespace(message.getNamespace());
            Optional<Scope> overlapping =
                    FromWire.field("overlapping", () -> FromWire.scope(message.getOverlapping()));
            WatchRing.Cursor after =
                    FromWire.field("after", () -> WatchRing.Cursor.parse(message.getAfter()));
            BooleanSupplier permitted =
                    () -> isPermitted(caller, LeasesGrpc.getWatchMethod(), namespace);
            return permitted.getAsBoolean()
                    ? new PermittedWatch(watches.watch(namespace, after, overlapping), permitted)
                    : watches.ofNothing(after);
        } catch (RuntimeException e) {
            throw Failures.before(caller.call(), e);
        }
    }

    private static String namespace(String given) {
        return FromWire.field("namespace", () -> Namespaces.name(given));
    }

    private static Scope scope(String text) {
        return FromWire.field("scope", () -> Scope.parseOrName(text));
    }

    private static FencingToken token(long value) {
        return FromWire.field("token", () -> new FencingToken(value));
    }

    // --- the end ------------------------------------------------------------------------------

    /** Grants nothing more and answers those who wait; all the rest is served. */
    public void stopGranting() {
        stopping = true;
        acquires.turnAway();
    }

    /** Whether a stop has begun. */
    public boolean isStopping() {
        return stopping;
    }

    /** How many calls have no answer yet. */
    public int underWay() {
        return loads.acquires.underWay() + loads.holders.underWay() + loads.readers.underWay();
    }

    /** Ends the watches, and takes nothing back any more. */
    @Override
    public void close() {
        acquires.close();
        watches.close();
    }

    // --- who may what, where --------------------------------------------------------------------

    private static boolean isPermitted(
            Caller caller, MethodDescriptor<?, ?> method, String namespace) {
        return Rules.judge(caller.principal(), method.getFullMethodName(), namespace)
                == Rules.Verdict.PERMITTED;
    }

    private static String permitted(Caller caller, MethodDescriptor<?, ?> method, String given) {
        String namespace = namespace(given);
        if (!isPermitted(caller, method, namespace)) {
            throw denied(method, namespace);
        }
        return namespace;
    }

    private static CallFailedException denied(MethodDescriptor<?, ?> method, String namespace) {
        return Failures.of(
                Failure.Kind.PERMISSION_DENIED,
                "this needs " + Rules.of(method.getFullMethodName()) + " in namespace '" + namespace
                        + "'");
    }

    private CompletionStage<LeaseStore> changing(
            Caller caller, MethodDescriptor<?, ?> method, String given) {
        return namespaces.leases(permitted(caller, method, given));
    }

    /** A namespace that is not the caller's to read looks like one without leases. */
    private <T> CompletionStage<Told<T>> reading(
            Caller caller,
            MethodDescriptor<?, ?> method,
            String namespace,
            Function<LeaseStore, CompletionStage<T>> read,
            T nothing) {
        Optional<CompletionStage<LeaseStore>> store = isPermitted(caller, method, namespace)
                ? namespaces.leasesIfAny(namespace)
                : Optional.empty();
        return store.map(open -> told(open, read))
                .orElseGet(() -> CompletableFuture.completedStage(Told.byNobody(nothing)));
    }

    /**
     * Asks a store, at once if it is open, and notes which one it was. What it throws is none of the
     * request's mistakes.
     */
    private static <T> CompletionStage<Told<T>> told(
            CompletionStage<LeaseStore> store, Function<LeaseStore, CompletionStage<T>> ask) {
        CompletableFuture<LeaseStore> opening = store.toCompletableFuture();
        if (!opening.isDone() || opening.isCompletedExceptionally()) {
            return opening.thenCompose(open -> Told.by(open, ask));
        }
        try {
            return Told.by(opening.join(), ask);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
