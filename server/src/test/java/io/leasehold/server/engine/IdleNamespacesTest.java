// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.server.Await;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When namespaces that nobody uses are closed, and what is not lost by that. */
final class IdleNamespacesTest {

    private static final Duration IDLE = Duration.ofMinutes(2);
    private static final Duration LONG = Duration.ofHours(1);
    private static final Scope LOCK = Scope.name("lock");

    private final VirtualTime time = VirtualTime.create();
    private final AtomicInteger openings = new AtomicInteger();
    private final ExecutorService openers = Executors.newFixedThreadPool(2);
    private final AtomicInteger ids = new AtomicInteger();
    private Namespaces namespaces = OpenedByTest.thatRest(IDLE, time, name -> {
        openings.incrementAndGet();
        return MemoryLeaseStore.create(TableOptions.defaults(), time);
    });

    @AfterEach
    void close() {
        namespaces.close();
        openers.shutdown();
    }

    private LeaseStore open(String namespace) {
        return answer(namespaces.leases(namespace));
    }

    private static <T> T answer(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    }

    private LeaseRequest request(Duration ttl) {
        return LeaseRequest.of(
                new LeaseId(7, ids.incrementAndGet()),
                Claim.exclusive(LOCK),
                new Holder("test"),
                ttl);
    }

    private Grant granted(String namespace) {
        Acquisition answer = answer(open(namespace).acquire(request(LONG)));
        return ((Acquisition.Granted) answer).grant();
    }

    private long tokenOfNext(String namespace) {
        Grant grant = granted(namespace);
        assertThat(answer(open(namespace).release(grant))).isInstanceOf(Ending.Ended.class);
        return grant.token().value();
    }

    @Test
    void aNamespaceThatNobodyUsesIsClosedAndOpenedAgainByTheNextCall() {
        assertThat(open("a").list(LeaseQuery.all())).isCompleted();
        time.advance(IDLE.minusSeconds(1));
        assertThat(open("a").list(LeaseQuery.all())).isCompleted();
        assertThat(openings).hasValue(1);

        time.advance(IDLE.multipliedBy(2));
        assertThat(open("a").list(LeaseQuery.all())).isCompleted();
        assertThat(openings).hasValue(2);
    }

    @Test
    void thoseThatNobodyUsesMakeRoomForOthers() {
        for (String name : new String[] {"a", "b", "c"}) {
            assertThat(open(name).list(LeaseQuery.all())).isCompleted();
        }
        assertThat(namespaces.leases("d").toCompletableFuture()).isCompletedExceptionally();
        time.advance(IDLE.multipliedBy(2));
        assertThat(open("d").list(LeaseQuery.all())).isCompleted();
    }

    @Test
    void aReaderOfManyNamesKeepsNobodyFromHisOwn() {
        for (int i = 0; i < 64; i++) {
            assertThat(read("made-up-" + i).leases()).isEmpty();
            assertThat(granted("a").token().value()).isEqualTo(i + 1);
            assertThat(answer(open("a").forceRelease(LOCK, new FencingToken(i + 1))))
                    .isInstanceOf(Ending.Ended.class);
        }
        Grant first = granted("b");
        Grant second = granted("c");
        assertThat(read("a").leases()).isEmpty();
        assertThat(read("b").leases()).hasSize(1);
        assertThat(namespaces.leasesIfAny("made-up-1").orElseThrow().toCompletableFuture())
                .as("all places are taken by those who do more than read")
                .isCompletedExceptionally();
        assertThat(answer(open("b").release(first))).isInstanceOf(Ending.Ended.class);
        assertThat(answer(open("c").release(second))).isInstanceOf(Ending.Ended.class);
    }

    @Test
    void aReaderWhoKeptAStoreThatMadeRoomTakesNoOtherPlace() {
        LeaseStore kept = answer(namespaces.leasesIfAny("made-up").orElseThrow());
        assertThat(read("another").leases()).isEmpty();
        assertThat(answer(kept.list(LeaseQuery.all())).leases()).isEmpty();
        assertThat(openings).hasValue(3);
        for (String name : List.of("a", "b", "c")) {
            assertThat(granted(name).token().value()).isEqualTo(1);
        }
    }

    @Test
    void aNamespaceThatWasReadFirstStaysOpenForThoseWhoDoMore() {
        assertThat(read("a").leases()).isEmpty();
        Grant held = granted("a");
        assertThat(read("made-up").leases()).isEmpty();
        assertThat(read("another").leases()).isEmpty();
        assertThat(answer(open("a").release(held))).isInstanceOf(Ending.Ended.class);
    }

    @Test
    void whereNamespacesStayOpenReadersHaveAQuarterOfThem() {
        namespaces.close();
        namespaces = OpenedByTest.thatMayHoldSomething(
                8, openers, name -> MemoryLeaseStore.create(TableOptions.defaults(), time));
        assertThat(read("one").leases()).isEmpty();
        assertThat(read("two").leases()).isEmpty();
        assertThat(namespaces.leasesIfAny("three").orElseThrow().toCompletableFuture())
                .isCompletedExceptionally();
        for (int i = 0; i < 6; i++) {
            assertThat(granted("own-" + i).token().value()).isEqualTo(1);
        }
        assertThat(namespaces.leases("own-6").toCompletableFuture()).isCompletedExceptionally();
    }

    @Test
    void aNamespaceForWhichThereIsNoThreadIsOpenedByTheNextCall() {
        namespaces.close();
        AtomicInteger refusals = new AtomicInteger(1);
        namespaces = OpenedByTest.thatMayHoldSomething(
                8,
                task -> {
                    if (refusals.getAndDecrement() > 0) {
                        throw new InternalError("no thread can be had");
                    }
                    task.run();
                },
                name -> MemoryLeaseStore.create(TableOptions.defaults(), time));
        assertThat(namespaces.leases("a").toCompletableFuture()).isCompletedExceptionally();
        assertThat(granted("a").token().value()).isEqualTo(1);
    }

    @Test
    void whoExpectsANamespaceIsToldThatThereIsNoThreadToOpenIt() {
        namespaces.close();
        namespaces = OpenedByTest.thatMayHoldSomething(
                8,
                task -> {
                    throw new InternalError("no thread can be had");
                },
                name -> MemoryLeaseStore.create(TableOptions.defaults(), time));
        CompletableFuture<LeaseStore> told = new CompletableFuture<>();
        Namespaces.Expectation unused = namespaces.whenOpen("a", new Namespaces.Expectant() {
            @Override
            public void opened(LeaseStore store) {
                told.complete(store);
            }

            @Override
            public void absent() {}

            @Override
            public void failed(Throwable cause) {
                told.completeExceptionally(cause);
            }
        });
        assertThat(told).isCompletedExceptionally();
    }

    private LeasePage read(String namespace) {
        LeaseStore store = answer(namespaces.leasesIfAny(namespace).orElseThrow());
        return answer(store.list(LeaseQuery.all()));
    }

    @Test
    void aCallThatWaitsKeepsItsNamespaceOpen() {
        Grant grant = granted("a");
        CompletableFuture<Acquisition> waiting = open("a")
                .acquire(request(LONG).waitingAtMost(IDLE.multipliedBy(5)))
                .toCompletableFuture();
        time.advance(IDLE.multipliedBy(3));
        assertThat(waiting).isNotDone();
        assertThat(answer(open("a").release(grant))).isInstanceOf(Ending.Ended.class);
        assertThat(answer(waiting)).isInstanceOf(Acquisition.Granted.class);
        assertThat(openings).hasValue(1);
    }

    @Test
    void aSubscriptionKeepsItsNamespaceOpen() {
        LeaseEvents.Subscription subscription = open("a").subscribe(event -> {});
        time.advance(IDLE.multipliedBy(3));
        LeaseStore unused = open("a");
        assertThat(openings).hasValue(1);

        subscription.close();
        time.advance(IDLE.multipliedBy(2));
        unused = open("a");
        assertThat(openings).hasValue(2);
    }

    @Test
    void whoKeptAStoreThatWasClosedReachesTheOneInItsPlace() {
        LeaseStore kept = open("a");
        time.advance(IDLE.multipliedBy(2));
        assertThat(answer(kept.acquire(request(LONG)))).isInstanceOf(Acquisition.Granted.class);
        assertThat(answer(open("a").acquire(request(LONG)))).isInstanceOf(Acquisition.Held.class);
        assertThat(openings).hasValue(2);
    }

    @Test
    void theDefaultNamespaceStaysOpen() {
        assertThat(open(Namespaces.DEFAULT).list(LeaseQuery.all())).isCompleted();
        time.advance(IDLE.multipliedBy(3));
        assertThat(open(Namespaces.DEFAULT).list(LeaseQuery.all())).isCompleted();
        assertThat(openings).hasValue(1);
    }

    private void startOn(StoreAddress address) {
        namespaces.close();
        namespaces = Namespaces.at(address, time, new Namespaces.Bounds(3, IDLE), openers);
    }

    @Test
    void tokensInMemoryNeverGoBack() {
        startOn(new StoreAddress.Memory());
        assertThat(tokenOfNext("a")).isEqualTo(1);
        time.advance(IDLE.multipliedBy(3));
        assertThat(tokenOfNext("a")).isEqualTo(2);
    }

    @Test
    void aJournalThatWasClosedGoesOnWithItsTokensAndRecords(@TempDir Path directory) {
        startOn(new StoreAddress.Journal(directory.resolve("data")));
        LeaseStore first = ((CountedStore) open("a")).uncounted();
        Grant grant = granted("a");
        LeaseRecord record = LeaseRecord.of("done");
        assertThat(answer(open("a").complete(grant, record, LONG)))
                .isInstanceOf(Ending.Ended.class);

        time.advance(IDLE.multipliedBy(2));
        Await.until(() -> first.list(LeaseQuery.all()) // once it is closed
                .toCompletableFuture()
                .isCompletedExceptionally());
        assertThat(answer(open("a").list(LeaseQuery.all())).leases().get(0).record())
                .contains(record);
        assertThat(tokenOfNext("a")).isEqualTo(2);
    }

    @Test
    void aJournalInWhichALeaseIsHeldStaysOpenSoThatItRunsOut(@TempDir Path directory) {
        startOn(new StoreAddress.Journal(directory.resolve("data")));
        Grant held = granted("a");
        time.advance(LONG.minusSeconds(1));
        assertThat(answer(open("a").list(LeaseQuery.all())).leases()).hasSize(1);
        time.advance(Duration.ofSeconds(1));
        assertThat(tokenOfNext("a")).isGreaterThan(held.token().value());
    }
}
