// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Environment;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LeaseholdOptions;
import io.leasehold.LockOptions;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Claim;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.protocol.v1.Call;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Validity;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.ThreadLeakCheck;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Repeats of acquires that wait, in virtual time on both sides of a real connection. */
@ExtendWith(ThreadLeakCheck.class)
final class RepeatedAcquiresTest {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration WAIT = Duration.ofMinutes(5);

    private final VirtualTime time = VirtualTime.create();
    private final MemoryLeaseStore behind = MemoryLeaseStore.create(TableOptions.defaults(), time);
    private final SessionServer server = SessionServer.on(behind);
    private final RemoteLeaseStore store =
            RemoteLeaseStore.connect(RemoteOptions.at(server.address())
                    .withPatience(Duration.ofMinutes(1))
                    .within(time, new SplittableRandom(18)));
    private final Leasehold leasehold = Leasehold.on(
            store,
            LeaseholdOptions.defaults()
                    .withPatience(PATIENCE)
                    .withEnvironment(
                            new Environment(time, Runnable::run, new SplittableRandom(18))));
    private final Grant holder = Asking.granted(
            RealTime.answer(behind.acquire(withTtl(Asking.request("lock"), Duration.ofHours(1)))));

    private static LeaseRequest withTtl(LeaseRequest request, Duration ttl) {
        return LeaseRequest.of(request.id(), request.claim(), request.holder(), ttl);
    }

    private static LeaseRequest withClaim(LeaseRequest request, String lock) {
        return LeaseRequest.of(
                request.id(),
                Claim.exclusive(Scope.name(lock)),
                request.holder(),
                request.terms().ttl());
    }

    @AfterEach
    void close() {
        store.close();
        leasehold.close();
        server.close();
        behind.close();
    }

    private List<Call> acquires() {
        return server.calls().stream().filter(Call::hasAcquire).toList();
    }

    private void awaitAcquires(int number) {
        RealTime.until("the server has " + number, () -> acquires().size() == number);
    }

    private void release() {
        RealTime.answer(behind.release(holder));
    }

    private static Validity validity(CompletionStage<Acquisition> answer) {
        return ((Acquisition.Granted) RealTime.answer(answer)).validity();
    }

    private static Duration length(Validity validity) {
        return validity.inStore().plus(validity.remaining());
    }

    @Test
    void aWaitOfManyHalfPatiencesIsOneMessage() {
        LockOptions hourly = LockOptions.defaults().withTtl(Duration.ofHours(1));
        CompletableFuture<Lease> waiting =
                leasehold.lock(hourly, Scope.name("lock")).acquireAsync(WAIT);
        awaitAcquires(1);
        time.advance(WAIT.minusSeconds(1));
        release();
        assertThat(RealTime.answer(waiting).isValid()).isTrue();
        assertThat(acquires()).hasSize(1);
    }

    @Test
    void aLongWaitForAShortLeaseIsSentAgainSoThatDriftCostsLittleOfIt() {
        CompletableFuture<Lease> waiting = leasehold.lock("lock").acquireAsync(WAIT);
        awaitAcquires(1);
        for (int sent = 2; sent <= 5; sent++) {
            time.advance(Duration.ofMinutes(1).plus(PATIENCE.dividedBy(2)));
            awaitAcquires(sent);
        }
        release();
        Lease lease = RealTime.answer(waiting);
        assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(28));
    }

    @Test
    void aRepeatThatJoinsCountsItsLeaseNoLongerThanItLives() {
        LeaseRequest request = Asking.request("lock").waitingAtMost(WAIT);
        CompletionStage<Acquisition> first = store.acquire(request);
        awaitAcquires(1);
        time.advance(Duration.ofSeconds(40));
        CompletionStage<Acquisition> repeat =
                store.acquire(request.waitingAtMost(WAIT.minusSeconds(40)));
        time.advance(Duration.ofSeconds(10));
        release();
        assertThat(length(validity(first))).isEqualTo(Duration.ofSeconds(80));
        // 40 s of the repeat's own, 40 s stretched to 50 s before it
        assertThat(length(validity(repeat))).isEqualTo(Duration.ofSeconds(30));
        assertThat(acquires()).hasSize(1);
    }

    @Test
    void aRepeatThatComesAfterItsGrantWasMadeCountsWhatIsLeftOfIt() {
        List<Runnable> held = new ArrayList<>();
        LeaseRequest request = Asking.request("free").waitingAtMost(WAIT);
        server.handler = (call, session) -> {
            Acquisition granted = RealTime.answer(behind.acquire(request));
            held.add(() ->
                    session.onNext(SessionServer.reply(SessionServer.acquired(call, granted))));
            return true;
        };
        CompletionStage<Acquisition> first = store.acquire(request);
        RealTime.until("it is granted", () -> held.size() == 1);
        time.advance(Duration.ofSeconds(8));
        CompletionStage<Acquisition> repeat =
                store.acquire(request.waitingAtMost(WAIT.minusSeconds(8)));
        held.get(0).run();
        assertThat(validity(first).remaining()).isEqualTo(Duration.ofSeconds(30));
        assertThat(validity(repeat)).isEqualTo(new Validity(Duration.ZERO, Duration.ofSeconds(20)));
    }

    @Test
    void aRepeatIsSentOnceOnTheNextConnection() {
        LeaseRequest request = Asking.request("lock").waitingAtMost(WAIT);
        CompletionStage<Acquisition> lost = store.acquire(request);
        CompletionStage<Acquisition> lostToo = store.acquire(request);
        awaitAcquires(1);
        server.breakSessions();
        assertThatThrownBy(() -> RealTime.answer(lost)).isInstanceOf(OutcomeUnknownException.class);
        assertThatThrownBy(() -> RealTime.answer(lostToo))
                .isInstanceOf(OutcomeUnknownException.class);
        RealTime.until("it is connected again", () -> {
            time.advance(Duration.ofMillis(10));
            return !server.sessions.isEmpty();
        });
        CompletionStage<Acquisition> next = RealTime.eventually(() -> open(request));
        CompletionStage<Acquisition> joined = store.acquire(request);
        awaitAcquires(2);
        release();
        Grant grant = Asking.granted(RealTime.answer(next));
        assertThat(Asking.granted(RealTime.answer(joined))).isEqualTo(grant);
        assertThat(acquires()).hasSize(2);
    }

    /** Asks, and throws if there is no connection. */
    private CompletionStage<Acquisition> open(LeaseRequest request) {
        CompletionStage<Acquisition> asked = store.acquire(request);
        if (asked.toCompletableFuture().isCompletedExceptionally()) {
            RealTime.answer(asked);
        }
        return asked;
    }

    @Test
    void aRepeatThatWaitsLongerIsSentAndSoIsOneForSomethingElseWhichIsRefused() {
        LeaseRequest request = Asking.request("lock").waitingAtMost(WAIT);
        CompletionStage<Acquisition> first = store.acquire(request);
        CompletionStage<Acquisition> longer =
                store.acquire(request.waitingAtMost(WAIT.plusSeconds(1)));
        CompletionStage<Acquisition> otherTtl =
                store.acquire(withTtl(request, Duration.ofSeconds(7)).waitingAtMost(WAIT));
        CompletionStage<Acquisition> otherScope =
                store.acquire(withClaim(request, "other").waitingAtMost(WAIT));
        awaitAcquires(4);
        Acquisition refused = new Acquisition.Gone(RefusalReason.SCOPE_MISMATCH);
        assertThat(RealTime.answer(otherTtl)).isEqualTo(refused);
        assertThat(RealTime.answer(otherScope)).isEqualTo(refused);
        release();
        Grant grant = Asking.granted(RealTime.answer(first));
        assertThat(Asking.granted(RealTime.answer(longer))).isEqualTo(grant);
    }

    @Test
    void ofManyRepeatsTheOldestGiveWay() {
        LeaseRequest request = Asking.request("lock").waitingAtMost(WAIT);
        List<CompletionStage<Acquisition>> asked = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            asked.add(store.acquire(request));
        }
        awaitAcquires(1);
        for (int i = 1; i <= 4; i++) {
            CompletionStage<Acquisition> oldest = asked.get(i);
            assertThatThrownBy(() -> RealTime.answer(oldest))
                    .isInstanceOf(OutcomeUnknownException.class);
        }
        release();
        Grant grant = Asking.granted(RealTime.answer(asked.get(0)));
        for (CompletionStage<Acquisition> repeat : asked.subList(5, 20)) {
            assertThat(Asking.granted(RealTime.answer(repeat))).isEqualTo(grant);
        }
        RealTime.answer(store.renew(RenewalRequest.of(grant, Duration.ofSeconds(30))));
    }
}
