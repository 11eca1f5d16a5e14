// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StaleTokenException;
import io.leasehold.testkit.Faults;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class RotationTest {

    private final World world = World.create();
    private final Node one = world.client("one");
    private final Node two = world.client("two");

    @Test
    void rotateDrawsAHigherTokenAndTheLeaseGoesOn() {
        Lease lease = one.holds("ledger");
        FencingToken old = lease.token();
        FencingToken rotated = lease.rotate();
        assertThat(old.isOlderThan(rotated)).isTrue();
        assertThat(lease.token()).isEqualTo(rotated).isEqualTo(world.tokenInStore());
        assertThat(lease.isValid()).isTrue();
        world.pass(World.TTL.multipliedBy(3));
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.validate()).isTrue();
        lease.close();
        assertThat(world.leases()).isEmpty();
    }

    @Test
    void rotateFencesOffEarlierWritesOfTheSameHolder() {
        MemoryGuard<StringBuilder> guard = MemoryGuard.around("file", new StringBuilder());
        Lease lease = one.holds("ledger");
        FencingToken old = lease.token();
        guard.write(lease.rotate(), file -> file.append("new"));
        assertThatThrownBy(() -> guard.write(old, file -> file.append("old")))
                .isInstanceOf(StaleTokenException.class);
    }

    @Test
    void aRenewalUnderWayWithTheOldTokenDoesNotLoseTheLease() {
        Lease lease = one.holds("ledger");
        one.delay(Duration.ofSeconds(2));
        while (one.wire.renewals.isEmpty()) {
            world.passMillis(10);
        }
        one.heal();
        FencingToken rotated =
                lease.rotate(); // overtakes the renewal, which the store then refuses
        world.pass(Duration.ofSeconds(5));
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.token()).isEqualTo(rotated);
        assertThat(one.wire.rotations).hasSize(1);
        world.pass(World.TTL.multipliedBy(2));
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aRenewalThatIsRefusedDuringTheRotationDoesNotLoseTheLeaseEither() {
        Lease lease = one.holds("ledger");
        one.delay(Duration.ofSeconds(1));
        while (one.wire.renewals.isEmpty()) {
            world.passMillis(10);
        }
        one.network.change(Faults.none().losingReplies(1));
        OtherThread<FencingToken> rotating = OtherThread.calls(lease::rotate).awaitBlocked();
        one.heal();
        world.pass(Duration.ofSeconds(3)); // the refusal has come, the new token has not
        assertThat(lease.isValid()).isTrue();
        world.pass(Duration.ofSeconds(2));
        rotating.awaitBlocked(); // in the pause before it asks again
        world.passMillis(50);
        assertThat(rotating.result()).isEqualTo(world.tokenInStore());
        world.pass(World.TTL);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aLostReplyIsRepeatedAndDrawsNoSecondToken() {
        Lease lease = one.holds("ledger");
        one.network.change(Faults.none().losingReplies(1));
        OtherThread<FencingToken> rotating = OtherThread.calls(lease::rotate).awaitBlocked();
        one.heal();
        FencingToken drawn = world.tokenInStore();
        world.pass(World.PATIENCE);
        rotating.awaitBlocked();
        world.pass(Duration.ofSeconds(1)); // the pause before it asks again
        assertThat(rotating.result()).isEqualTo(drawn);
        assertThat(lease.token()).isEqualTo(drawn);
        assertThat(lease.isValid()).isTrue();
        assertThat(two.holds("other").token().value()).isEqualTo(drawn.value() + 1);
    }

    @Test
    void aLostReplyDoesNotCostALeaseThatIsShorterThanThePatience() {
        Lease lease = one.lock("ledger", Duration.ofSeconds(1)).acquire(Duration.ZERO);
        one.network.change(Faults.none().losingReplies(1));
        OtherThread<FencingToken> rotating = OtherThread.calls(lease::rotate).awaitBlocked();
        one.heal();
        world.passMillis(400);
        rotating.awaitBlocked();
        world.passMillis(100);
        assertThat(rotating.result().value()).isEqualTo(2);
        world.pass(Duration.ofSeconds(10));
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void rotateEndsWithTheLeaseWhenTheStoreStaysSilent() {
        Lease lease = one.lock("ledger", Duration.ofSeconds(1)).acquire(Duration.ZERO);
        one.network.cutOff(true);
        OtherThread<FencingToken> rotating = OtherThread.calls(lease::rotate).awaitBlocked();
        world.pass(Duration.ofSeconds(1));
        OtherThread.await(() -> {
            world.passMillis(10);
            return rotating.isDone();
        });
        assertThat(rotating.failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void rotateThatTheStoreRefusesLosesTheLease() {
        Lease lease = one.holds("ledger");
        world.store.withdraw(one.wire.acquires.get(0));
        assertThatThrownBy(lease::rotate)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("refused to rotate");
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void ofRotationsThatOvertakeEachOtherTheHighestTokenStays() {
        Lease lease = one.holds("ledger");
        one.delay(Duration.ofSeconds(1));
        OtherThread<FencingToken> slow = OtherThread.calls(lease::rotate).awaitBlocked();
        one.heal();
        FencingToken second = lease.rotate();
        FencingToken third = lease.rotate();
        assertThat(second.isOlderThan(third)).isTrue();
        world.pass(Duration.ofSeconds(3)); // the slow one arrives with a token that is two behind
        assertThat(slow.result()).isEqualTo(third);
        assertThat(lease.token()).isEqualTo(third).isEqualTo(world.tokenInStore());
        world.pass(World.TTL.multipliedBy(2));
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void theLateAnswerOfAnOlderRotationDoesNotPutItsTokenBack() {
        Lease lease = one.holds("ledger");
        one.delay(Duration.ofSeconds(1));
        OtherThread<FencingToken> slow = OtherThread.calls(lease::rotate).awaitBlocked();
        one.heal();
        world.pass(Duration.ofSeconds(1)); // the store has rotated, its answer is under way
        FencingToken second = lease.rotate(); // the same rotation, asked for again
        FencingToken third = lease.rotate();
        assertThat(second.isOlderThan(third)).isTrue();
        world.pass(Duration.ofSeconds(1));
        assertThat(slow.result()).isEqualTo(second);
        assertThat(lease.token()).isEqualTo(third).isEqualTo(world.tokenInStore());
        assertThat(lease.validate()).isTrue();
        world.pass(World.TTL.multipliedBy(2));
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void anInterruptedRotationIsUnknownAndCloseStillFreesTheLock() {
        Lease lease = one.holds("ledger");
        one.network.change(Faults.none().losingReplies(1));
        Thread.currentThread().interrupt();
        assertThatThrownBy(lease::rotate).isInstanceOf(OutcomeUnknownException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(world.tokenInStore()).isNotEqualTo(lease.token());
        one.heal();
        lease.close();
        assertThat(world.leases()).isEmpty();
    }

    @Test
    void aRotationThatIsInterruptedInAPauseKeepsTheInterrupt() {
        Lease lease = one.holds("ledger");
        one.network.change(Faults.none().losingReplies(1));
        OtherThread<Boolean> rotating = OtherThread.calls(() -> {
                    lease.rotate();
                    return Thread.interrupted();
                })
                .awaitBlocked();
        one.heal();
        world.pass(World.PATIENCE);
        rotating.awaitBlocked(); // in the pause before it asks again
        rotating.thread.interrupt();
        assertThat(rotating.result()).isTrue();
    }

    @Test
    void aRotationThatIsAnsweredAfterTheLeaseWasLostEndsInLeaseLost() {
        Lease lease = one.holds("ledger");
        one.delay(Duration.ofSeconds(1));
        OtherThread<FencingToken> rotating = OtherThread.calls(lease::rotate).awaitBlocked();
        world.time.suspend(World.TTL.multipliedBy(2)); // the machine sleeps: the lease is over
        world.pass(Duration.ofSeconds(2));
        assertThat(rotating.failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void anInterruptedRotationDoesNotLoseTheLeaseAtTheNextRenewal() {
        Lease lease = one.holds("ledger");
        one.network.change(Faults.none().losingReplies(1));
        rotateInterrupted(lease);
        one.heal();
        FencingToken drawn = world.tokenInStore();
        world.pass(World.TTL.multipliedBy(2));
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.token()).isEqualTo(drawn).isEqualTo(world.tokenInStore());
    }

    @Test
    void anInterruptedRotationThatArrivesAfterLaterRenewalsDoesNotLoseTheLeaseEither() {
        Lease lease = one.holds("ledger");
        FencingToken before = lease.token();
        one.delay(Duration.ofSeconds(15));
        rotateInterrupted(lease);
        one.heal();
        world.pass(Duration.ofSeconds(14));
        assertThat(one.wire.renewals).isNotEmpty(); // under the old token, and granted
        assertThat(world.tokenInStore()).isEqualTo(before);
        world.pass(World.TTL.multipliedBy(2));
        assertThat(lease.isValid()).isTrue();
        assertThat(before.isOlderThan(lease.token())).isTrue();
        assertThat(lease.token()).isEqualTo(world.tokenInStore());
    }

    @Test
    void theTokenOfAnInterruptedRotationIsAskedForAgainUntilTheStoreAnswers() {
        Lease lease = one.holds("ledger");
        one.network.change(Faults.none().losingReplies(1));
        rotateInterrupted(lease);
        one.network.change(Faults.none().delaying(Duration.ofSeconds(1), Duration.ofSeconds(1)));
        while (one.wire.rotations.size() < 2 && lease.isValid()) {
            world.passMillis(100);
        }
        assertThat(one.wire.rotations).hasSize(2);
        one.network.cutOff(true); // the answer to that one is lost too
        world.pass(Duration.ofSeconds(5));
        one.heal();
        world.pass(World.TTL.multipliedBy(2));
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.token()).isEqualTo(world.tokenInStore());
    }

    @Test
    void ofThreeRotationsAtOnceTheFirstToEndLeavesTheOthersProtected() {
        Lease lease = one.holds("ledger");
        one.network.change(Faults.none().losingReplies(1));
        OtherThread<FencingToken> first = OtherThread.calls(lease::rotate).awaitBlocked();
        one.heal();
        FencingToken second = lease.rotate(); // what the first one drew
        world.pass(Duration.ofSeconds(4));
        one.network.change(Faults.none().losingReplies(1));
        OtherThread<FencingToken> third = OtherThread.calls(lease::rotate).awaitBlocked();
        one.heal();
        world.pass(Duration.ofSeconds(1));
        first.awaitBlocked(); // in the pause before it asks again
        world.passMillis(50);
        assertThat(first.result()).isEqualTo(second); // and the third is still without an answer
        OtherThread<Boolean> renewing = OtherThread.runs(lease::renew).awaitBlocked();
        assertThat(lease.isValid()).isTrue();

        world.pass(World.PATIENCE);
        third.awaitBlocked();
        world.passMillis(50);
        assertThat(third.result()).isEqualTo(world.tokenInStore());
        finish(renewing);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void noRenewalIsSentWhileARotationIsUnderWay() {
        Lease lease = one.holds("ledger");
        world.pass(Duration.ofSeconds(8));
        one.network.change(Faults.none().losingReplies(1));
        OtherThread<FencingToken> rotating = OtherThread.calls(lease::rotate).awaitBlocked();
        one.heal();
        world.pass(Duration.ofMillis(4_900)); // the renewal is due after 11 s at most
        assertThat(one.wire.renewals).isEmpty();
        world.passMillis(100);
        rotating.awaitBlocked(); // in the pause before it asks again
        world.passMillis(50);
        assertThat(rotating.result()).isEqualTo(world.tokenInStore());
        world.pass(World.TTL);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void renewDuringARotationWaitsForTheNewTokenAndReallyRenews() {
        Lease lease = one.holds("ledger");
        world.pass(Duration.ofSeconds(3));
        one.network.change(Faults.none().losingReplies(1));
        OtherThread<FencingToken> rotating = OtherThread.calls(lease::rotate).awaitBlocked();
        one.heal();
        OtherThread<Boolean> renewing = OtherThread.runs(lease::renew).awaitBlocked();
        assertThat(renewing.isDone()).isFalse(); // the store has refused the old token

        world.pass(World.PATIENCE);
        rotating.awaitBlocked();
        world.passMillis(50);
        FencingToken rotated = rotating.result();
        finish(renewing);
        assertThat(one.wire.renewals.stream()
                        .flatMap(batch -> batch.requests().stream())
                        .map(request -> request.grant().token()))
                .contains(rotated);
        assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(15));
    }

    private static void rotateInterrupted(Lease lease) {
        Thread.currentThread().interrupt();
        assertThatThrownBy(lease::rotate).isInstanceOf(OutcomeUnknownException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    /** Lets the pauses of a renewal pass; the lease is renewed in the background meanwhile. */
    private void finish(OtherThread<Boolean> renewing) {
        renewing.passTime(world, Duration.ofMillis(50));
        assertThat(renewing.result()).isTrue();
    }
}
