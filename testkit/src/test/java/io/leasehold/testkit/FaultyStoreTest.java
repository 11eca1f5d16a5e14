// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Acquisition.Held;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Renewal.Renewed;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.TokenCheck;
import io.leasehold.table.TableOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class FaultyStoreTest {

    private static final Duration TTL = Duration.ofSeconds(10);

    private final VirtualTime time = VirtualTime.create();
    private final MemoryLeaseStore store = MemoryLeaseStore.create(TableOptions.defaults(), time);
    private long lastId;

    @Test
    void withoutFaultsEverythingPasses() {
        FaultyStore way = FaultyStore.to(store, time);
        Grant grant = granted(way.acquire(request("a")));
        assertThat(done(way.renew(RenewalRequest.of(grant, TTL)))).isInstanceOf(Renewed.class);
        assertThat(done(way.list(LeaseQuery.all())).leases()).hasSize(1);
        assertThat(way.guarantees()).isEqualTo(store.guarantees());
        for (Fault fault : Fault.values()) {
            assertThat(way.fired(fault)).isZero();
        }
    }

    @Test
    void aCheckIsOneMessageThatTheStoreAnswers() {
        Grant grant = granted(store.acquire(request("a")));
        AtomicInteger listings = new AtomicInteger();
        LeaseStore noListing = Mutant.intercepted(store, (method, argument, proceed) -> {
            listings.addAndGet(method.equals("list") ? 1 : 0);
            return proceed.call();
        });
        FaultyStore way = FaultyStore.to(noListing, time);
        assertThat(done(way.check(Scope.name("a"), grant.token())).standing())
                .isEqualTo(TokenCheck.Standing.CURRENT);
        assertThat(listings).hasValue(0);
        way.cutOff(true);
        assertThat(way.check(Scope.name("a"), grant.token()).toCompletableFuture())
                .isNotDone();
    }

    @Test
    void aClientThatIsCutOffRenewsInVainAndInSilence() {
        FaultyStore way = FaultyStore.to(store, time);
        Grant grant = granted(way.acquire(request("a")));
        way.cutOff(true);
        CompletableFuture<Renewal> renewal =
                way.renew(RenewalRequest.of(grant, TTL)).toCompletableFuture();
        time.advance(TTL);
        assertThat(renewal).isNotDone();
        assertThat(way.fired(Fault.CUT_OFF)).isEqualTo(1);
        assertThat(granted(store.acquire(request("a"))).token()).isGreaterThan(grant.token());
        way.cutOff(false);
        assertThat(done(way.acquire(request("a")))).isInstanceOf(Held.class);
        assertThat(renewal).isNotDone();
    }

    @Test
    void whatIsUnderWayWhenTheClientIsCutOffIsLostToo() {
        FaultyStore way = delayed();
        CompletionStage<Acquisition> request = way.acquire(request("a"));
        way.cutOff(true);
        time.advance(Duration.ofSeconds(3));
        assertThat(listed()).isEmpty();
        way.cutOff(false);
        CompletionStage<Acquisition> reply = way.acquire(request("b"));
        time.advance(Duration.ofMillis(1500));
        way.cutOff(true);
        time.advance(Duration.ofSeconds(3));
        assertThat(listed()).hasSize(1);
        assertThat(request.toCompletableFuture()).isNotDone();
        assertThat(reply.toCompletableFuture()).isNotDone();
    }

    @Test
    void anAnswerToAWaiterThatIsCutOffIsLost() {
        FaultyStore way = FaultyStore.to(store, time);
        Grant first = granted(store.acquire(request("a")));
        CompletionStage<Acquisition> waiter = way.acquire(request("a").waitingAtMost(TTL));
        way.cutOff(true);
        store.release(first);
        assertThat(waiter.toCompletableFuture()).isNotDone();
        assertThat(listed()).hasSize(1);
    }

    @Test
    void aLostRequestHasNoEffectAndNoAnswer() {
        FaultyStore way = FaultyStore.to(store, time, 1, Faults.none().losingRequests(1));
        assertThat(way.acquire(request("a")).toCompletableFuture()).isNotDone();
        assertThat(listed()).isEmpty();
        assertThat(way.fired(Fault.REQUEST_LOST)).isEqualTo(1);
    }

    @Test
    void aLostReplyHasAnEffectAndNoAnswer() {
        FaultyStore way = FaultyStore.to(store, time, 1, Faults.none().losingReplies(1));
        assertThat(way.acquire(request("a")).toCompletableFuture()).isNotDone();
        assertThat(listed()).hasSize(1);
        assertThat(way.fired(Fault.REPLY_LOST)).isEqualTo(1);
    }

    @Test
    void aRequestThatIsTurnedAwayHasNoEffectAndSaysSo() {
        FaultyStore way = FaultyStore.to(store, time, 1, Faults.none().turningAway(1));
        assertFails(way.acquire(request("a")), StoreUnavailableException.class);
        assertThat(listed()).isEmpty();
        assertThat(way.fired(Fault.UNAVAILABLE)).isEqualTo(1);
    }

    @Test
    void aConnectionThatBreaksOffLeavesTheOutcomeUnknown() {
        FaultyStore way = FaultyStore.to(store, time, 1, Faults.none().breakingOff(1));
        assertFails(way.acquire(request("a")), OutcomeUnknownException.class);
        assertThat(listed()).hasSize(1);
        assertThat(way.fired(Fault.OUTCOME_UNKNOWN)).isEqualTo(1);
    }

    @Test
    void aDuplicateArrivesAsWell() {
        List<LeaseEvent> events = new ArrayList<>();
        store.subscribe(events::add);
        FaultyStore way = FaultyStore.to(store, time);
        Grant grant = granted(way.acquire(request("a")));
        way.change(Faults.none().duplicatingRequests(1));
        assertThat(done(way.renew(RenewalRequest.of(grant, TTL)))).isInstanceOf(Renewed.class);
        assertThat(events).hasSize(3);
        assertThat(way.fired(Fault.REQUEST_DUPLICATED)).isEqualTo(1);
    }

    @Test
    void messagesTakeTimeBothWays() {
        FaultyStore way = delayed();
        CompletionStage<Acquisition> answer = way.acquire(request("a"));
        time.advance(Duration.ofMillis(999));
        assertThat(listed()).isEmpty();
        time.advance(Duration.ofMillis(1));
        assertThat(listed()).hasSize(1);
        time.advance(Duration.ofMillis(999));
        assertThat(answer.toCompletableFuture()).isNotDone();
        time.advance(Duration.ofMillis(1));
        assertThat(done(answer)).isInstanceOf(Granted.class);
        assertThat(way.fired(Fault.REQUEST_DELAYED)).isEqualTo(1);
        assertThat(way.fired(Fault.REPLY_DELAYED)).isEqualTo(1);
    }

    @Test
    void messagesOvertakeEachOther() {
        FaultyStore way = FaultyStore.to(
                store,
                time,
                7,
                Faults.none().delaying(Duration.ofMillis(1), Duration.ofSeconds(1)));
        List<Integer> answered = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            int number = i;
            way.acquire(request("lock-" + i)).thenRun(() -> answered.add(number));
        }
        time.advance(Duration.ofSeconds(2));
        assertThat(answered).hasSize(20).isNotEqualTo(answered.stream().sorted().toList());
    }

    @Test
    void manyRenewalsAreOneMessage() {
        FaultyStore way = FaultyStore.to(store, time);
        Grant first = granted(way.acquire(request("a")));
        Grant second = granted(way.acquire(request("b")));
        way.change(Faults.none().losingRequests(1));
        way.renewAll(List.of(RenewalRequest.of(first, TTL), RenewalRequest.of(second, TTL)));
        assertThat(way.fired(Fault.REQUEST_LOST)).isEqualTo(1);
    }

    @Test
    void theSameSeedBringsTheSameFaults() {
        assertThat(outcomes(3)).isEqualTo(outcomes(3)).isNotEqualTo(outcomes(4));
    }

    @Test
    void aChangedProbabilityDoesNotChangeTheOtherFaults() {
        List<Boolean> before = lostRequests(Faults.none().losingRequests(0.5));
        assertThat(lostRequests(Faults.none().losingRequests(0.5).duplicatingRequests(0.9)))
                .isEqualTo(before);
    }

    @Test
    void closingOneWayLeavesTheStoreOpen() {
        FaultyStore way = delayed();
        CompletionStage<Acquisition> underWay = way.acquire(request("a"));
        way.close();
        way.close();
        assertFails(underWay, OutcomeUnknownException.class);
        assertFails(way.acquire(request("b")), StoreUnavailableException.class);
        granted(store.acquire(request("c")));
    }

    @Test
    void aClientThatIsCutOffMissesEvents() {
        FaultyStore way = FaultyStore.to(store, time);
        List<LeaseEvent> events = new ArrayList<>();
        way.subscribe(events::add);
        store.acquire(request("a"));
        way.cutOff(true);
        store.acquire(request("b"));
        assertThat(events).hasSize(1);
    }

    @Test
    void impossibleFaultsAreRefused() {
        assertThatThrownBy(() -> Faults.none().losingReplies(1.5))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Faults.none().delaying(TTL, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** Runs a hundred requests through a way with every fault, and tells what became of each. */
    private static List<String> outcomes(long seed) {
        VirtualTime time = VirtualTime.create();
        MemoryLeaseStore store = MemoryLeaseStore.create(TableOptions.defaults(), time);
        Faults faults = Faults.none()
                .losingRequests(0.1)
                .losingReplies(0.1)
                .duplicatingRequests(0.1)
                .turningAway(0.1)
                .breakingOff(0.1)
                .delaying(Duration.ofMillis(1), Duration.ofMillis(50));
        FaultyStore way = FaultyStore.to(store, time, seed, faults);
        List<String> outcomes = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            LeaseRequest request = request(i, "lock-" + i % 10);
            way.acquire(request)
                    .whenComplete((answer, failure) ->
                            outcomes.add(time.nanos() + " " + answer + failure));
            time.advance(Duration.ofMillis(10));
        }
        for (Fault fault : Fault.values()) {
            if (fault != Fault.CUT_OFF) {
                assertThat(way.fired(fault)).as("%s", fault).isPositive();
            }
        }
        return outcomes;
    }

    private List<Boolean> lostRequests(Faults faults) {
        FaultyStore way = FaultyStore.to(store, time, 5, faults);
        List<Boolean> lost = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            lost.add(!way.list(LeaseQuery.all()).toCompletableFuture().isDone());
        }
        return lost;
    }

    private FaultyStore delayed() {
        return FaultyStore.to(
                store,
                time,
                1,
                Faults.none().delaying(Duration.ofSeconds(1), Duration.ofSeconds(1)));
    }

    private LeaseRequest request(String name) {
        return request(++lastId, name);
    }

    private static LeaseRequest request(long id, String name) {
        return LeaseRequest.of(
                new LeaseId(0, id), Claim.exclusive(Scope.name(name)), new Holder("client"), TTL);
    }

    private List<LeaseView> listed() {
        return done(store.list(LeaseQuery.all())).leases();
    }

    private static Grant granted(CompletionStage<Acquisition> stage) {
        Acquisition answer = done(stage);
        assertThat(answer).isInstanceOf(Granted.class);
        return ((Granted) answer).grant();
    }

    private static <T> T done(CompletionStage<T> stage) {
        assertThat(stage.toCompletableFuture()).isDone();
        return stage.toCompletableFuture().join();
    }

    private static void assertFails(CompletionStage<?> stage, Class<? extends Throwable> with) {
        assertThat(stage.toCompletableFuture()).isCompletedExceptionally();
        assertThatThrownBy(() -> Answers.of(stage)).isInstanceOf(with);
    }
}
