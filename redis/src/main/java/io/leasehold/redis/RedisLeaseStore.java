// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LeaseholdException;
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
import io.leasehold.spi.Time;
import io.leasehold.spi.TokenCheck;
import io.leasehold.table.StoreThread;
import io.leasehold.table.TableOptions;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The engine on Redis or Valkey. The rules are a script that the server runs: each operation is
 * decided there, in one step, by the server's own clock.
 *
 * <h2>Why this is safe, and how far</h2>
 *
 * The server runs one script at a time, so decisions are atomic. A token is one more than the last
 * one and never below the server's clock in microseconds; so tokens go on increasing when the server
 * forgets everything, be it by a restart, a fail-over to a replica that lags or a {@code FLUSHALL},
 * as long as the clocks of the servers that follow each other don't run further apart than the
 * change took. Store time is the server's wall clock, held when it runs backwards.
 *
 * <p>What a server forgets it may grant again: then there are two holders for a while, and only
 * guards keep them apart. {@link #guarantees} tells what in the server's settings makes it forget.
 *
 * <p>Thread-safe. Uses two connections and the threads of the client library.
 */
public final class RedisLeaseStore implements LeaseStore {

    private static final System.Logger LOG = System.getLogger(RedisLeaseStore.class.getName());

    private final RedisOptions options;
    private final byte[] key;
    private final String inbox;
    private final Script script = Script.load();
    private final byte[] client;
    private final StoreIdentity identity = new StoreIdentity();
    private final byte[] settings;
    private final Link link;
    private final Conveyor conveyor;
    private final Waits waits;
    private final Listening listening;
    private final Answers answers;
    private final Operations operations;
    private final Server server;
    private final Replicas replicas = new Replicas(this::countReplicas);
    // the highest that this client has seen
    private final AtomicLong highest = new AtomicLong();
    private final AtomicBoolean closed = new AtomicBoolean();

    RedisLeaseStore(RedisOptions options, Time time, Link.Factory links) {
        this(options, time, links, Operation.of('l'), Conveyor.CALLS_UNDER_WAY);
    }

    /**
     * Connects.
     *
     * @param hello the first operation, which finds what stands in the way of others
     * @param callsUnderWay how many may be at most
     */
    RedisLeaseStore(
            RedisOptions options,
            Time clock,
            Link.Factory links,
            Operation hello,
            int callsUnderWay) {
        Time time = StoreThread.timers(clock, "leasehold-redis-alarms");
        String namespace = "leasehold:{" + options.namespace() + "}";
        String name = ClientName.random();
        this.options = options;
        this.key = Wire.text(namespace);
        this.inbox = namespace + ":to:" + name;
        this.client = Wire.text(name);
        this.answers = new Answers(options.bounds());
        this.conveyor = new Conveyor(
                this::call, this::courier, new Arrivals(), time, options.patience(), callsUnderWay);
        this.waits = new Waits(conveyor::send, answers, time, options.patience());
        this.operations = sending(conveyor::send);
        this.link = links.connect(new Messages(namespace + ":events"));
        this.listening = new Listening(link, namespace + ":events", conveyor::send, time);
        this.settings = settings(options.bounds(), link.isCluster());
        try {
            this.server = greet(hello);
        } catch (LeaseholdException e) {
            link.close();
            // nothing has been asked for yet that could have happened
            throw e instanceof StoreUnavailableException
                    ? e
                    : new StoreUnavailableException(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Connects to the namespace {@code default} of the Redis at the URI; see {@link RedisOptions}
     * for what that may be.
     *
     * @throws StoreUnavailableException if there is no connection, saying why
     */
    public static RedisLeaseStore connect(String uri) {
        return connect(RedisOptions.at(uri));
    }

    /**
     * Connects.
     *
     * @throws StoreUnavailableException if there is no connection, saying why, or if the options are
     *     strict and the server's settings would let it forget leases
     */
    public static RedisLeaseStore connect(RedisOptions options) {
        RedisAddress address = RedisAddress.of(options.uri());
        if (address.cluster() && options.replicas() > 0) {
            throw new IllegalArgumentException("a cluster can't be asked to wait for replicas");
        }
        Time time = Time.system();
        return new RedisLeaseStore(options, time, listener -> {
            Link link = LettuceLink.connect(address, options.patience(), listener);
            // whoever waits for replicas must do so on the connection that has written
            return options.replicas() > 0
                    ? link
                    : DirectLink.over(link, address.uris().get(0), options.patience(), time);
        });
    }

    /** Subscribes to the answers, and looks whom it has to do with. */
    private Server greet(Operation hello) {
        await(link.subscribe(inbox));
        Server found = await(Server.ask(link));
        if (options.strict() && found.mayForget()) {
            throw new StoreUnavailableException(
                    "the server may forget leases, and the options are strict: "
                            + String.join("; ", found.caveats()));
        }
        if (!found.caveats().isEmpty()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    found.name() + " may forget leases: " + String.join("; ", found.caveats()));
        }
        // also finds a key of another type
        await(conveyor.send(hello));
        return found;
    }

    // ---- operations

    /** By a way for callers that do not wait. */
    Operations operations() {
        return operations;
    }

    private Operations sending(Function<Operation, CompletableFuture<List<Object>>> way) {
        return new Operations(way, waits, answers, replicas, options.replicas(), this::see);
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return operations.acquire(request);
    }

    @Override
    public CompletionStage<Ending> withdraw(LeaseRequest request) {
        return operations.withdraw(request);
    }

    @Override
    public CompletionStage<Ending> withdrawUnlessUsed(LeaseRequest request) {
        return operations.withdrawUnlessUsed(request);
    }

    @Override
    public CompletionStage<Renewal> renew(RenewalRequest request) {
        return operations.renew(request);
    }

    @Override
    public CompletionStage<List<Renewal>> renewAll(List<RenewalRequest> requests) {
        return operations.renewAll(requests);
    }

    @Override
    public CompletionStage<Rotation> rotate(Grant grant) {
        return operations.rotate(grant);
    }

    @Override
    public CompletionStage<Ending> release(Grant grant) {
        return operations.release(grant);
    }

    @Override
    public CompletionStage<Ending> forceRelease(Scope scope, FencingToken token) {
        return operations.forceRelease(scope, token);
    }

    @Override
    public CompletionStage<Ending> complete(Grant grant, LeaseRecord record, Duration keepFor) {
        return operations.complete(grant, record, keepFor);
    }

    @Override
    public CompletionStage<LeasePage> list(LeaseQuery query) {
        return new Listing(query, conveyor::send).read();
    }

    @Override
    public CompletionStage<TokenCheck> check(Scope scope, FencingToken token) {
        TokenCheck.Search search = new TokenCheck.Search(scope, token);
        return new Rows(Optional.of(scope), conveyor::send, search::see)
                .read()
                .thenApply(done -> search.result());
    }

    @Override
    public LeaseEvents.Subscription subscribe(LeaseEvents listener) {
        if (closed.get()) {
            throw closed();
        }
        return await(listening.add(listener));
    }

    @Override
    public LeaseStore forWaitingCallers() {
        return new WaitingCallers(this, sending(conveyor::sendWaiting));
    }

    @Override
    public Guarantees guarantees() {
        return new Guarantees(
                "redis", server.durable(), false, Guarantees.Clock.WALL, true, server.caveats());
    }

    /** Made by the script with the namespace, and lost with it. */
    @Override
    public CompletionStage<StoreId> storeId() {
        Optional<StoreId> known = identity.now();
        return known.isPresent()
                ? CompletableFuture.completedFuture(known.get())
                : conveyor.send(Operation.of('l')).thenApply(done -> idAfterAnswer());
    }

    private StoreId idAfterAnswer() {
        return identity.now()
                .orElseThrow(() -> new StoreUnavailableException(
                        "the namespace can't be written, and has no store id yet"));
    }

    @Override
    public LeaseEvents.Subscription onStoreChange(Consumer<StoreId> listener) {
        return identity.subscribe(listener);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            StoreUnavailableException reason = closed();
            waits.close(reason);
            conveyor.close(reason);
            listening.close();
            link.close();
        }
    }

    private static StoreUnavailableException closed() {
        return new StoreUnavailableException("the store is closed");
    }

    // ---- the way there and back

    private CompletionStage<List<Object>> call(List<Operation> batch) {
        return checked(link.run(script, key, arguments(batch)));
    }

    private Conveyor.@Nullable Courier courier() {
        Link.Lane lane = link.lane();
        if (lane == null) {
            return null;
        }
        return new Conveyor.Courier() {
            @Override
            public CompletionStage<List<Object>> call(Operation operation) {
                return checked(lane.run(script, key, arguments(List.of(operation))));
            }

            @Override
            public void read() {
                lane.read();
            }
        };
    }

    /** What the script is told with each call, see {@code state.lua}. */
    private byte[] settings(TableOptions bounds, boolean cluster) {
        return ByteBuffer.allocate(1 + 4 * Double.BYTES + StoreIdentity.LENGTH + client.length)
                .put((byte) (cluster ? '0' : '1'))
                .putDouble(bounds.maxLeases())
                .putDouble(bounds.maxWaitersPerScope())
                .putDouble((double) Wire.micros(bounds.retryWindow()))
                .putDouble(bounds.maxRemembered())
                .put(new byte[StoreIdentity.LENGTH])
                .put(client)
                .array();
    }

    private byte[][] arguments(List<Operation> batch) {
        int size = 2;
        for (Operation operation : batch) {
            size += operation.words().length;
        }
        byte[][] arguments = new byte[size][];
        arguments[0] = identity.addTo(settings);
        arguments[1] = ByteBuffer.allocate(Double.BYTES)
                .putDouble((double) highest.get())
                .array();
        int at = 2;
        for (Operation operation : batch) {
            System.arraycopy(operation.words(), 0, arguments, at, operation.words().length);
            at += operation.words().length;
        }
        return arguments;
    }

    private CompletionStage<List<Object>> checked(CompletionStage<List<Object>> call) {
        return call.whenComplete((answers, error) -> {
            if (error == null ? isReadOnly(answers) : Failures.isReadOnly(Failures.of(error))) {
                link.lookForPrimary();
            }
        });
    }

    /** Whether an operation found that the server may not be written to. */
    private static boolean isReadOnly(List<Object> answers) {
        for (Object answer : answers) {
            if (Answers.isError(answer)
                    && Failures.isReadOnly(Failures.ofScript(Answers.error(answer)))) {
                return true;
            }
        }
        return false;
    }

    private CompletionStage<Long> countReplicas() {
        // a write of this connection, behind which it can wait for the replicas; that must be over
        // before others that are sent meanwhile lose their patience
        return conveyor.send(Operation.of('l'))
                .thenCompose(done -> link.awaitReplicas(
                        options.replicas(), options.patience().dividedBy(2)));
    }

    private void see(FencingToken token) {
        highest.accumulateAndGet(token.value(), Math::max);
    }

    /** What comes beside the answers to calls. */
    private final class Arrivals implements Conveyor.Extras {

        @Override
        public void deliver(List<?> fields) {
            if (!identity.deliver(fields)) {
                waits.deliver(fields);
            }
        }

        @Override
        public void missed() {
            link.doubt();
            waits.lookSoon();
        }
    }

    /** What comes on the connection for messages. */
    private final class Messages implements Link.Listener {

        private final String events;

        Messages(String events) {
            this.events = events;
        }

        @Override
        public void message(String channel, byte[] message) {
            if (channel.equals(events)) {
                listening.message(message);
            } else {
                waits.deliver(message);
            }
        }

        @Override
        public void subscribed(String channel) {
            if (channel.equals(inbox)) {
                waits.lookAgain();
            }
        }
    }

    private <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture()
                    .get(2 * options.patience().toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw Failures.of(e);
        } catch (TimeoutException e) {
            throw new StoreUnavailableException(
                    "Redis did not answer within " + options.patience(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException("interrupted while Redis was asked", e);
        }
    }
}
