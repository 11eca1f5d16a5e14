// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.WatchReply;
import io.leasehold.protocol.v1.WatchRequest;
import io.leasehold.server.access.Permission;
import io.leasehold.server.access.Principal;
import io.leasehold.server.engine.Namespaces;
import io.leasehold.server.engine.OpenedByTest;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeaseStore;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Watches of stores that are slow to open or to subscribe to, or fail to be. */
final class WatchesTest {

    private static final int MOST = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Caller READER = caller(true);
    private static final Caller GUEST = caller(false);

    private final VirtualTime time = VirtualTime.create();
    private final ExecutorService workers = Executors.newFixedThreadPool(2);
    private final CountDownLatch subscribing = new CountDownLatch(1);
    private final CountDownLatch mayGoOn = new CountDownLatch(1);
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicInteger subscriptions = new AtomicInteger();
    private final AtomicInteger ids = new AtomicInteger();
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        mayGoOn.countDown();
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
        workers.shutdownNow();
    }

    private static Caller caller(boolean mayRead) {
        Principal principal = new Principal() {
            @Override
            public String name() {
                return mayRead ? "reader" : "guest";
            }

            @Override
            public boolean may(Permission permission, String namespace) {
                return mayRead;
            }

            @Override
            public boolean mayEverywhere(Permission permission) {
                return mayRead;
            }
        };
        return new Caller(principal, new CompletableFuture<>());
    }

    private LeaseOperations operationsOn(Namespaces namespaces) {
        opened.add(namespaces);
        LeaseOperations operations = new LeaseOperations(
                namespaces,
                new OperationsOptions(
                        "test",
                        memory().guarantees(),
                        new OperationsOptions.Bounds(10, 10, 10, MOST, 16, Duration.ofSeconds(5)),
                        new OperationsOptions.Surroundings(time, new Random(1), Runnable::run)));
        opened.add(operations);
        return operations;
    }

    private LeaseStore memory() {
        return MemoryLeaseStore.create(TableOptions.defaults(), time);
    }

    private Function<String, LeaseStore> stores(
            BiFunction<LeaseStore, LeaseEvents, LeaseEvents.Subscription> subscribe) {
        return namespace -> SubscribedByTest.over(memory(), subscribe);
    }

    private LeaseEvents.Subscription counted(LeaseStore store, LeaseEvents listener) {
        LeaseEvents.Subscription subscription = store.subscribe(listener);
        subscriptions.incrementAndGet();
        return () -> {
            subscription.close();
            subscriptions.decrementAndGet();
        };
    }

    /** Subscribes when the test says so. */
    private LeaseEvents.Subscription slow(LeaseStore store, LeaseEvents listener) {
        subscribing.countDown();
        try {
            mayGoOn.await();
        } catch (InterruptedException e) {
            throw new StoreUnavailableException("interrupted", e);
        }
        return counted(store, listener);
    }

    /** Subscribes after so many failures. */
    private LeaseEvents.Subscription failing(LeaseStore store, LeaseEvents listener) {
        if (failures.getAndDecrement() > 0) {
            throw new StoreUnavailableException("Redis does not answer");
        }
        return counted(store, listener);
    }

    private static LeaseStore open(Namespaces namespaces, String namespace) {
        CompletableFuture<LeaseStore> store = namespaces.leases(namespace).toCompletableFuture();
        assertThat(store).succeedsWithin(PATIENCE);
        return store.join();
    }

    private static Operations.Watch watch(Operations operations, String namespace) {
        return watch(operations, namespace, "");
    }

    /** Begins a watch, which must not wait for a store. */
    private static Operations.Watch watch(Operations operations, String namespace, String after) {
        WatchRequest request = WatchRequest.newBuilder()
                .setNamespace(namespace)
                .setAfter(after)
                .build();
        CompletableFuture<Operations.Watch> watch =
                CompletableFuture.supplyAsync(() -> operations.watch(READER, request));
        assertThat(watch).succeedsWithin(PATIENCE);
        return watch.join();
    }

    private static WatchReply next(Operations.Watch watch) {
        CompletableFuture<WatchReply> next = watch.next().toCompletableFuture();
        assertThat(next).succeedsWithin(PATIENCE);
        return next.join();
    }

    private static Failure failureOf(Operations.Watch watch) {
        CompletableFuture<WatchReply> next = watch.next().toCompletableFuture();
        assertThat(next).failsWithin(PATIENCE);
        Throwable thrown = catchThrowableOfType(CompletionException.class, next::join);
        assertThat(thrown).hasCauseInstanceOf(CallFailedException.class);
        return ((CallFailedException) Objects.requireNonNull(thrown.getCause())).failure();
    }

    private void acquire(Operations operations, String namespace, String name) {
        assertThat(operations
                        .acquire(
                                READER,
                                AcquireRequest.newBuilder()
                                        .setNamespace(namespace)
                                        .addScopes("name:" + name)
                                        .setHolder("test")
                                        .setTtl(com.google.protobuf.Duration.newBuilder()
                                                .setSeconds(30))
                                        .setLeaseId(String.format("%032x", ids.incrementAndGet()))
                                        .build())
                        .toCompletableFuture())
                .succeedsWithin(PATIENCE);
    }

    @Test
    void aSubscribeThatHangsHoldsUpNeitherItsCallerNorOtherWatches() throws Exception {
        Namespaces namespaces = OpenedByTest.namespaces(
                9,
                workers,
                name -> SubscribedByTest.over(
                        memory(), name.equals("hangs") ? this::slow : this::counted));
        Operations operations = operationsOn(namespaces);
        open(namespaces, "hangs");
        open(namespaces, "b");

        CompletableFuture<WatchReply> started =
                watch(operations, "hangs").next().toCompletableFuture();
        subscribing.await();
        Operations.Watch other = watch(operations, "b");

        assertThat(next(other).hasStarted()).isTrue();
        assertThat(started).as("started before it is subscribed").isNotDone();
        mayGoOn.countDown();
        assertThat(started).succeedsWithin(PATIENCE);
        assertThat(started.join().hasStarted()).isTrue();
    }

    @Test
    void aSubscribeThatFailsEndsItsWatchesAndTheNextWatchTriesAgain() {
        failures.set(1);
        Namespaces namespaces = OpenedByTest.namespaces(9, workers, stores(this::failing));
        Operations operations = operationsOn(namespaces);
        open(namespaces, "a");

        Failure failure = failureOf(watch(operations, "a"));

        assertThat(failure.getKind()).isEqualTo(Failure.Kind.UNAVAILABLE);
        assertThat(failure.getMessage())
                .contains("'a'", "watches-of-a", "again")
                .doesNotContain("Redis");
        Operations.Watch again = watch(operations, "a");
        assertThat(next(again).hasStarted()).isTrue();
        acquire(operations, "a", "lock");
        assertThat(next(again).hasChanged()).isTrue();
    }

    @Test
    void aNamespaceThatCantBeSubscribedToIsOpenedAllTheSame() {
        failures.set(1);
        Namespaces namespaces = OpenedByTest.namespaces(9, workers, stores(this::failing));
        Operations operations = operationsOn(namespaces);
        Operations.Watch before = watch(operations, "later");
        WatchReply started = next(before);

        open(namespaces, "later");

        assertThat(failureOf(before).getKind()).isEqualTo(Failure.Kind.UNAVAILABLE);
        acquire(operations, "later", "unheard");
        Operations.Watch again = watch(operations, "later", started.getCursor());
        assertThat(next(again).hasStarted()).isTrue();
        assertThat(next(again).hasResync()).as("an event was missed").isTrue();
        acquire(operations, "later", "heard");
        assertThat(next(again).hasChanged()).isTrue();
    }

    @Test
    void aWatchOfANamespaceThatCantBeOpenedFailsAndTheNextTriesAgain() {
        failures.set(1);
        Namespaces namespaces = OpenedByTest.thatMayHoldSomething(9, workers, name -> {
            if (failures.getAndDecrement() > 0) {
                throw new StoreUnavailableException("Redis does not answer");
            }
            return SubscribedByTest.over(memory(), this::counted);
        });
        Operations operations = operationsOn(namespaces);

        assertThat(failureOf(watch(operations, "a")).getKind()).isEqualTo(Failure.Kind.UNAVAILABLE);

        assertThat(next(watch(operations, "a")).hasStarted()).isTrue();
        assertThat(subscriptions).hasValue(1);
    }

    @Test
    void whatHappensInANamespaceThatNobodyWatchedForAWhileIsAResync() {
        Namespaces namespaces = OpenedByTest.namespaces(9, workers, stores(this::counted));
        Operations operations = operationsOn(namespaces);
        Operations.Watch first = watch(operations, "a");
        String cursor = next(first).getCursor();
        first.close();
        acquire(operations, "a", "unheard");

        Operations.Watch again = watch(operations, "a", cursor);

        assertThat(next(again).hasStarted()).isTrue();
        assertThat(next(again).hasResync()).isTrue();
    }

    @Test
    void aRingThatNobodyWatchesAnyMoreDoesNotKeepItsNamespaceOpen() {
        Duration idle = Duration.ofMinutes(10);
        Operations operations =
                operationsOn(OpenedByTest.thatRest(idle, time, stores(this::counted)));
        Operations.Watch watch = watch(operations, "a");
        assertThat(next(watch).hasStarted()).isTrue();
        time.advance(idle.multipliedBy(3));
        assertThat(subscriptions).as("while it is watched").hasValue(1);

        watch.close();
        time.advance(idle.minusNanos(1));
        assertThat(subscriptions).as("for those who come back").hasValue(1);
        time.advance(idle);
        assertThat(subscriptions).hasValue(0);
        assertThat(next(watch(operations, "a")).hasStarted()).isTrue();
    }

    @Test
    void aRingIsKeptForTheWholeIdleTimeAfterTheLastWatcherLeft() {
        Duration idle = Duration.ofMinutes(10);
        Operations operations =
                operationsOn(OpenedByTest.thatRest(idle, time, stores(this::counted)));
        Operations.Watch first = watch(operations, "a");
        assertThat(next(first).hasStarted()).isTrue();
        first.close();
        time.advance(Duration.ofMinutes(5));
        Operations.Watch second = watch(operations, "a");
        assertThat(next(second).hasStarted()).isTrue();
        time.advance(Duration.ofMinutes(4).plusSeconds(59));
        second.close();

        time.advance(idle.minusNanos(1));
        assertThat(subscriptions).as("for those who come back").hasValue(1);
        time.advance(idle);
        assertThat(subscriptions).hasValue(0);
    }

    @Test
    void aRingThatWasWatchedWhenItsTimeWasOverIsClosedAfterTheNextLeave() {
        Duration idle = Duration.ofMinutes(10);
        Operations operations =
                operationsOn(OpenedByTest.thatRest(idle, time, stores(this::counted)));
        Operations.Watch first = watch(operations, "a");
        assertThat(next(first).hasStarted()).isTrue();
        first.close();
        Operations.Watch second = watch(operations, "a");
        assertThat(next(second).hasStarted()).isTrue();
        time.advance(idle.multipliedBy(2));
        assertThat(subscriptions).as("while it is watched").hasValue(1);
        second.close();
        time.advance(idle.multipliedBy(2));
        assertThat(subscriptions).hasValue(0);
    }

    @Test
    void aSubscriptionEndsWithTheOperations() {
        Namespaces namespaces = OpenedByTest.namespaces(9, workers, stores(this::counted));
        LeaseOperations operations = operationsOn(namespaces);
        open(namespaces, "a");
        assertThat(next(watch(operations, "a")).hasStarted()).isTrue();
        assertThat(subscriptions).hasValue(1);

        operations.close();

        assertThat(subscriptions).hasValue(0);
    }

    @Test
    void aSubscriptionThatIsMadeWhileTheOperationsEndIsClosed() throws Exception {
        Namespaces namespaces = OpenedByTest.namespaces(9, workers, stores(this::slow));
        LeaseOperations operations = operationsOn(namespaces);
        open(namespaces, "a");
        Operations.Watch watch = watch(operations, "a");
        subscribing.await();

        operations.close();
        mayGoOn.countDown();
        workers.shutdown();

        assertThat(workers.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        assertThat(subscriptions).hasValue(0);
        assertThat(failureOf(watch).getKind()).isEqualTo(Failure.Kind.UNAVAILABLE);
    }

    @Test
    void aWatchThatMaySeeNothingTakesNoRoomFromOthers() {
        Operations operations =
                operationsOn(OpenedByTest.namespaces(9, workers, stores(this::counted)));
        WatchRequest request = WatchRequest.newBuilder().setNamespace("a").build();
        for (int i = 0; i <= MOST; i++) {
            assertThatCode(() -> operations.watch(GUEST, request)).doesNotThrowAnyException();
        }
        assertThat(next(watch(operations, "a")).hasStarted()).isTrue();
    }

    @Test
    void aWatchThatMaySeeNothingLooksLikeOneOfAnEmptyNamespaceAndEndsWithTheOperations() {
        LeaseOperations operations =
                operationsOn(OpenedByTest.namespaces(9, workers, stores(this::counted)));
        Operations.Watch watch = operations.watch(
                GUEST, WatchRequest.newBuilder().setNamespace("a").build());
        assertThat(next(watch).hasStarted()).isTrue();
        CompletableFuture<WatchReply> event = watch.next().toCompletableFuture();
        assertThat(event).isNotDone();

        operations.close();

        assertThat(event).isCompletedExceptionally();
    }
}
