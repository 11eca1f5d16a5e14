// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Codec;
import io.leasehold.Digest;
import io.leasehold.Election;
import io.leasehold.ElectionOptions;
import io.leasehold.Idempotency;
import io.leasehold.IdempotentCall;
import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.SingleFlight;
import io.leasehold.listener.AcquireBegan;
import io.leasehold.listener.AcquireEnded;
import io.leasehold.listener.FencedOperation;
import io.leasehold.listener.FlightEnded;
import io.leasehold.listener.IdempotentCallEnded;
import io.leasehold.listener.LeaseEnded;
import io.leasehold.listener.RenewalEnded;
import io.leasehold.listener.TermBegan;
import io.leasehold.listener.TermEnded;
import io.leasehold.listener.TokenChecked;
import io.leasehold.model.Claim;
import io.leasehold.model.IdempotencyConflictException;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.spi.LeaseView;
import io.leasehold.testkit.Faults;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a listener is told of locks, leases, calls, flights and terms. */
final class ListenerTest {

    private static final Claim CLAIM = Claim.exclusive(Scope.name("ledger/42"));

    private final World world = World.create();
    private final Heard heard = new Heard();
    private final Node alice = Node.listening(world, "alice", heard);
    private final Node bob = world.client("bob");

    @AfterEach
    void close() {
        alice.heal();
        world.pass(Duration.ofMinutes(1)); // what is still under way is answered
        Node.closeWithoutWaiting(alice.leasehold);
        Node.closeWithoutWaiting(bob.leasehold);
    }

    // ---- acquires

    @Test
    void anAcquireBeginsAndEndsWithTheTokenOfItsLease() {
        Lease lease = alice.lock("ledger/42").acquire(Duration.ofSeconds(3));
        AcquireBegan began = new AcquireBegan(CLAIM, Duration.ofSeconds(3));
        assertThat(heard.only(AcquireBegan.class)).isEqualTo(began);
        AcquireEnded ended = heard.only(AcquireEnded.class);
        assertThat(ended.began()).isSameAs(heard.only(AcquireBegan.class));
        assertThat(ended.outcome()).isEqualTo(AcquireEnded.Outcome.GRANTED);
        assertThat(ended.token()).contains(lease.token());
    }

    @Test
    void anAcquireThatWaitsTellsForHowLong() {
        Lease bobs = bob.holds("ledger/42");
        CompletableFuture<Lease> waiting = alice.waits("ledger/42");
        world.pass(Duration.ofSeconds(7));
        bobs.close();
        assertThat(waiting).isDone();
        assertThat(heard.only(AcquireEnded.class).waited()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void anAcquireOfALockThatIsHeldIsBusy() {
        bob.holds("ledger/42");
        assertThat(alice.lock("ledger/42").tryAcquire()).isEmpty();
        assertThat(outcomeOfAcquire()).isEqualTo(AcquireEnded.Outcome.BUSY);
    }

    @Test
    void anAcquireThatIsCancelledIsWithdrawn() {
        bob.holds("ledger/42");
        alice.waits("ledger/42").cancel(false);
        assertThat(outcomeOfAcquire()).isEqualTo(AcquireEnded.Outcome.WITHDRAWN);
    }

    @Test
    void anAcquireWhoseStoreIsSilentIsUnknown() {
        alice.network.cutOff(true);
        CompletableFuture<Lease> acquiring =
                alice.lock("ledger/42").acquireAsync(Duration.ofSeconds(1));
        world.pass(Duration.ofMinutes(1));
        assertThat(acquiring).isCompletedExceptionally();
        assertThat(outcomeOfAcquire()).isEqualTo(AcquireEnded.Outcome.UNKNOWN);
    }

    @Test
    void anAcquireThatTheStoreTurnsAwayHasFailed() {
        alice.network.change(Faults.none().turningAway(1));
        assertThatThrownBy(() -> alice.holds("ledger/42")).isInstanceOf(RuntimeException.class);
        assertThat(outcomeOfAcquire()).isEqualTo(AcquireEnded.Outcome.FAILED);
    }

    private AcquireEnded.Outcome outcomeOfAcquire() {
        return heard.only(AcquireEnded.class).outcome();
    }

    // ---- leases

    @Test
    void aLeaseThatIsGivenBackIsToldOnceWithHowLongItWasHeld() {
        Lease lease = alice.holds("ledger/42");
        world.pass(Duration.ofSeconds(4));
        lease.close();
        lease.close();
        LeaseEnded ended = heard.only(LeaseEnded.class);
        assertThat(ended.cause()).isEqualTo(LeaseEnded.Cause.RELEASED);
        assertThat(ended.heldFor()).isEqualTo(Duration.ofSeconds(4));
        assertThat(ended.holding().token()).isEqualTo(lease.token());
    }

    @Test
    void aLeaseThatIsNotRenewedInTimeIsLostOnceAndNotReleasedBesides() {
        Lease lease = alice.holds("ledger/42");
        alice.network.cutOff(true);
        world.pass(World.TTL);
        lease.close();
        LeaseEnded ended = heard.only(LeaseEnded.class);
        assertThat(ended.cause()).isEqualTo(LeaseEnded.Cause.NOT_RENEWED);
        assertThat(ended.heldFor()).isEqualTo(World.TRUSTED);
    }

    @Test
    void aLeaseThatWasHeldForAsLongAsItMayTellsSo() {
        Lease lease = alice.lock(
                        "ledger/42", LockOptions.defaults().withHoldAtMost(Duration.ofSeconds(10)))
                .acquire(Duration.ZERO);
        world.pass(Duration.ofSeconds(11));
        assertThat(lease.isValid()).isFalse();
        assertThat(heard.only(LeaseEnded.class).cause()).isEqualTo(LeaseEnded.Cause.HELD_TOO_LONG);
    }

    @Test
    void aLeaseThatWasTakenAwayIsRefusedItsRenewal() {
        Lease lease = alice.holds("ledger/42");
        world.store.forceRelease(lease.scope(), lease.token());
        world.pass(Duration.ofSeconds(15));
        assertThat(heard.only(LeaseEnded.class).cause()).isEqualTo(LeaseEnded.Cause.REFUSED);
        RenewalEnded renewal = heard.only(RenewalEnded.class);
        assertThat(renewal.outcome()).isEqualTo(RenewalEnded.Outcome.REFUSED);
        assertThat(renewal.refusal()).contains(RefusalReason.NOT_FOUND);
    }

    // ---- renewals

    @Test
    void aRenewalThatIsSentInTimeIsNotLate() {
        alice.holds("ledger/42");
        world.pass(Duration.ofSeconds(15));
        RenewalEnded renewal = heard.only(RenewalEnded.class);
        assertThat(renewal.outcome()).isEqualTo(RenewalEnded.Outcome.RENEWED);
        assertThat(renewal.late()).isZero();
        assertThat(renewal.refusal()).isEmpty();
    }

    @Test
    void aRenewalOfAProcessThatStoodStillIsLate() {
        alice.holds("ledger/42");
        alice.process.pause();
        world.pass(Duration.ofSeconds(25));
        alice.process.resume();
        RenewalEnded renewal = heard.only(RenewalEnded.class);
        assertThat(renewal.late()).isGreaterThan(Duration.ofSeconds(10));
    }

    @Test
    void aRenewalThatFailsIsToldAndTriedAgain() {
        alice.holds("ledger/42");
        alice.network.change(Faults.none().turningAway(1));
        world.pass(Duration.ofSeconds(20));
        assertThat(heard.of(RenewalEnded.class))
                .hasSizeGreaterThan(1)
                .allMatch(renewal -> renewal.outcome() == RenewalEnded.Outcome.FAILED);
    }

    // ---- the store's word

    @Test
    void aValidationTellsWhetherTheStoreKnowsTheLease() {
        Lease lease = alice.holds("ledger/42");
        FencedOperation operation =
                new FencedOperation(lease.scope(), FencedOperation.Kind.VALIDATE, lease.token());
        heard.forget();
        assertThat(lease.validate()).isTrue();
        assertThat(heard.all()).hasSize(3).startsWith(operation).endsWith(operation);
        assertThat(heard.only(TokenChecked.class).outcome()).isEqualTo(TokenChecked.Outcome.VALID);
        heard.forget();
        world.store.forceRelease(lease.scope(), lease.token());
        assertThat(lease.validate()).isFalse();
        assertThat(heard.only(TokenChecked.class).outcome()).isEqualTo(TokenChecked.Outcome.STALE);
    }

    // ---- primitives

    @Test
    void anIdempotentCallRunsOnceAndIsReplayedOrInConflictThen() {
        Idempotency<String> payments =
                alice.leasehold.idempotency("payments", Codec.strings(), Duration.ofDays(1));
        payments.once("k", Digest.of("10"), token -> "paid");
        assertThat(outcomeOfCall()).isEqualTo(IdempotentCallEnded.Outcome.RAN);
        payments.once("k", Digest.of("10"), token -> "paid");
        assertThat(outcomeOfCall()).isEqualTo(IdempotentCallEnded.Outcome.REPLAYED);
        assertThatThrownBy(() -> payments.once("k", Digest.of("11"), token -> "paid"))
                .isInstanceOf(IdempotencyConflictException.class);
        assertThat(outcomeOfCall()).isEqualTo(IdempotentCallEnded.Outcome.CONFLICT);
        assertThatThrownBy(() -> payments.once("other", Digest.of("1"), token -> {
                    throw new IllegalStateException("no money");
                }))
                .hasMessage("no money");
        assertThat(outcomeOfCall()).isEqualTo(IdempotentCallEnded.Outcome.THREW);
    }

    @Test
    void anIdempotentCallWithoutAThreadIsToldTooWithItsFamily() {
        Idempotency<String> payments =
                alice.leasehold.idempotency("payments", Codec.strings(), Duration.ofDays(1));
        payments.onceAsync(IdempotentCall.of("k", Digest.of("10")), token -> "paid")
                .join();
        assertThat(heard.only(LeaseEnded.class).cause()).isEqualTo(LeaseEnded.Cause.COMPLETED);
        assertThat(heard.only(IdempotentCallEnded.class).family()).isEqualTo("payments");
        assertThat(outcomeOfCall()).isEqualTo(IdempotentCallEnded.Outcome.RAN);
    }

    @Test
    void anIdempotentCallWhoseLeaseIsLostWhileItWorksIsLost() {
        Idempotency<String> payments =
                alice.leasehold.idempotency("payments", Codec.strings(), Duration.ofDays(1));
        assertThatThrownBy(() -> payments.once("k", Digest.of("10"), token -> {
                    LeaseView held = world.leases().get(0);
                    world.store.forceRelease(held.holding().claim().scopes().get(0), token);
                    return "paid";
                }))
                .isInstanceOf(RuntimeException.class);
        assertThat(outcomeOfCall()).isEqualTo(IdempotentCallEnded.Outcome.LOST);
    }

    private IdempotentCallEnded.Outcome outcomeOfCall() {
        IdempotentCallEnded ended = heard.only(IdempotentCallEnded.class);
        heard.forget();
        return ended.outcome();
    }

    @Test
    void aFlightIsLedOrSharedOrFails() {
        SingleFlight<String> hers = alice.leasehold.singleFlight("reports", Codec.strings());
        hers.get("june", token -> "sunny");
        assertThat(outcomeOfFlight()).isEqualTo(FlightEnded.Outcome.LED);
        assertThatThrownBy(() -> hers.get("july", token -> {
                    throw new IllegalStateException("rain");
                }))
                .isInstanceOf(RuntimeException.class);
        assertThat(outcomeOfFlight()).isEqualTo(FlightEnded.Outcome.FAILED);
    }

    private FlightEnded.Outcome outcomeOfFlight() {
        FlightEnded ended = heard.only(FlightEnded.class);
        assertThat(ended.family()).isEqualTo("reports");
        heard.forget();
        return ended.outcome();
    }

    @Test
    void aTermBeginsAndEndsWithItsNumber() {
        Election election = alice.leasehold.election(
                "billing", ElectionOptions.defaults().once(), term -> world.passMillis(700));
        election.close();
        TermBegan began = heard.only(TermBegan.class);
        TermEnded ended = heard.only(TermEnded.class);
        assertThat(began.office()).isEqualTo(Scope.name("billing"));
        assertThat(ended)
                .isEqualTo(new TermEnded(began.office(), began.token(), Duration.ofMillis(700)));
    }
}
