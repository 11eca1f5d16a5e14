// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Codec;
import io.leasehold.Election;
import io.leasehold.Flight;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LeaseholdOptions;
import io.leasehold.Observation;
import io.leasehold.SingleFlight;
import io.leasehold.examples.IdempotentCalls.Payment;
import io.leasehold.guard.Admission;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.model.StaleTokenException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the guides of election, single flight and idempotency show, by two clients of one store. */
@Timeout(60)
final class PrimitivesTest {

    private final MemoryLeaseStore store = MemoryLeaseStore.create();
    private final Leasehold leasehold = client();
    private final Leasehold other = client();

    private Leasehold client() {
        return Leasehold.on(store, LeaseholdOptions.defaults().withStoreLeftOpen());
    }

    @AfterEach
    void close() {
        leasehold.close();
        other.close();
        store.close();
    }

    @Test
    void theLeaderSettlesUntilItResignsAndQueuesAgainBehindTheNext() throws InterruptedException {
        Elections here = new Elections(leasehold);
        Elections there = new Elections(other);

        Election first = here.campaign();
        assertThat(here.events.take()).isEqualTo("settled in term 1");
        Election second = there.campaign();
        first.resign();
        assertThat(there.events.take()).isEqualTo("settled in term 2");
        assertThat(second.term()).isPresent();
        second.close();

        assertThat(here.events.take()).isEqualTo("settled in term 3");
        assertThat(second.term()).isEmpty();
    }

    @Test
    void onlookersReadTheLeadersAddressUntilItCloses() throws InterruptedException {
        Elections leader = new Elections(leasehold);
        Elections onlooker = new Elections(other);
        Election election = leader.publishing();
        assertThat(leader.events.take()).isEqualTo("serving in term 1");

        try (Observation observation = onlooker.lookOn()) {
            List<String> told = List.of(onlooker.events.take(), onlooker.events.take());
            assertThat(told)
                    .containsExactlyInAnyOrder("asked: 10.0.0.7:8080", "route to 10.0.0.7:8080");
            election.close();
            assertThat(onlooker.events.take()).isEqualTo("route to nobody");
        }
        assertThat(leader.events.take()).startsWith("lease lost: its candidate is being closed");
    }

    @Test
    void theSingleFlightGuideRunsAllItsForms() {
        SingleFlights guide = new SingleFlights(leasehold, month -> "report of " + month);
        SingleFlight<String> reports = guide.reports();

        assertThat(guide.forms(reports)).isEqualTo("report of 2024-06, report of 2024-07");
        assertThat(guide.kept()).isEqualTo("EUR 1, EUR 1, EUR 2");
    }

    @Test
    void oneProcessRendersAndTheOtherSharesIt() {
        CompletableFuture<String> gate = new CompletableFuture<>();
        SingleFlights here = new SingleFlights(leasehold, month -> gate.join());
        SingleFlights there = new SingleFlights(other, month -> "must not run");

        CompletableFuture<Flight<String>> first =
                here.reports().getAsync("2024-06", token -> gate.join());
        CompletableFuture<Flight<String>> second =
                there.reports().getAsync("2024-06", token -> "must not run");
        gate.complete("the report");

        assertThat(first.join().shared()).isFalse();
        assertThat(second.join().shared()).isTrue();
        assertThat(second.join().value()).isEqualTo("the report");
    }

    @Test
    void theCallerLearnsWhyThereIsNoReport() {
        SingleFlights failing = new SingleFlights(leasehold, month -> {
            throw new IllegalStateException("out of paper");
        });
        SingleFlights large =
                new SingleFlights(leasehold, month -> "x".repeat(LeaseRecord.MAX_BYTES));
        CompletableFuture<String> never = new CompletableFuture<>();
        SingleFlights slow = new SingleFlights(leasehold, month -> never.join());

        assertThat(failing.orNot(failing.reports(), "2024-06")).isEqualTo("failed: out of paper");
        assertThat(large.orNot(large.reports(), "2024-07")).hasSize(LeaseRecord.MAX_BYTES);
        assertThat(slow.orNot(slow.reports(), "2024-08")).isEqualTo("not yet");
        never.complete("too late");
    }

    @Test
    void aPaymentIsMadeOnceAndItsRepeatIsAnsweredAlike() {
        IdempotentCalls here = new IdempotentCalls(leasehold);
        IdempotentCalls there = new IdempotentCalls(other);
        Payment payment = new Payment("p-1", "alice", "bob", 4200);

        assertThat(here.respond(payment)).isEqualTo(201);
        assertThat(there.respond(payment)).isEqualTo(200);
        assertThat(there.respond(new Payment("p-1", "alice", "bob", 9900))).isEqualTo(422);
        assertThat(here.ledger).containsExactly(Map.entry("p-1", "receipt for 4200 cents"));
        assertThat(there.ledger).isEmpty();
        assertThat(there.pay(payment).value()).isEqualTo("receipt for 4200 cents");
    }

    @Test
    void paymentsOfOneAccountShareAMarkAndALateWorkerIsRefused() {
        IdempotentCalls calls = new IdempotentCalls(leasehold);
        Scope alice = Scope.path("/ledger/alice");
        Lease late = leasehold.lock(alice).tryAcquire().orElseThrow();
        Admission admission = late.admission(alice);
        late.close();
        Payment rent = new Payment("p-1", "alice", "bob", 4200);
        Payment food = new Payment("p-2", "alice", "carol", 900);

        assertThat(calls.charge(rent)).isEqualTo("receipt for 4200 cents");
        assertThat(calls.charge(food)).isEqualTo("receipt for 900 cents");
        assertThat(calls.charge(rent)).isEqualTo("receipt for 4200 cents");
        assertThat(calls.ledger).hasSize(2);
        assertThat(calls.guard.mark(alice)).contains(new FencingToken(4));
        assertThatThrownBy(() -> calls.guard.write(admission, ledger -> ledger.clear()))
                .isInstanceOf(StaleTokenException.class);
    }

    @Test
    void aDeclinedCardIsRememberedAsTheAnswer() {
        IdempotentCalls calls = new IdempotentCalls(leasehold);

        assertThat(calls.remembering(new Payment("p-2", "mallory", "bob", 1)))
                .isEqualTo("DeclinedException, then declined: mallory");
    }

    @Test
    void workWithoutAResultHasItsEffectOnce() {
        List<String> outbox = new ArrayList<>();

        assertThat(new IdempotentCalls(leasehold).remind("m-1", "bob", outbox)).isFalse();
        assertThat(new IdempotentCalls(other).remind("m-1", "bob", outbox)).isTrue();

        assertThat(outbox).containsExactly("bob");
    }

    @Test
    void aListingTellsWhatIsGoingOn() {
        IdempotentCalls calls = new IdempotentCalls(leasehold);
        CompletableFuture<String> gate = new CompletableFuture<>();
        Lease lease = leasehold.lock("ledger/42").tryAcquire().orElseThrow();
        calls.pay(new Payment("p-1", "alice", "bob", 4200));
        calls.remembering(new Payment("p-2", "mallory", "bob", 1));
        CompletableFuture<Flight<String>> june = leasehold
                .singleFlight("reports", Codec.strings())
                .getAsync("2024-06", token -> gate.join());

        assertThat(new Listing().of(store))
                .containsExactly(
                        "ledger/42 HELD",
                        "payments/p-1 COMPLETED",
                        "cards/p-2 FAILED",
                        "reports/2024-06 RUNNING");
        gate.complete("done");
        assertThat(june.join().value()).isEqualTo("done");
        lease.close();
    }
}
