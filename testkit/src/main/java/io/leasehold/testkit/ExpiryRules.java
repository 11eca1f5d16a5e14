// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static io.leasehold.model.RefusalReason.EXPIRED;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Renewal.Renewed;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation.Rotated;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A lease is held exactly while {@code now < expiry}, renewal moves the expiry, and nothing revives the dead. */
abstract class ExpiryRules extends ContractRules {

    @Test
    void aLeaseIsHeldUntilItsExpiryAndNoLonger() {
        Grant grant = alice.holds("a");
        passJustNot(ttl());
        assertHeldBy(grant, bob.tries("a"));
        passTheRest();
        bob.holds("a");
    }

    @Test
    void renewalSucceedsAtTheLastMoment() {
        Grant grant = alice.holds("a");
        passJustNot(ttl());
        assertThat(alice.renews(grant)).isInstanceOf(Renewed.class);
    }

    @Test
    void renewalNeverRevivesAnExpiredLeaseEvenIfNobodyTookIt() {
        Grant grant = alice.holds("a");
        passAllOf(ttl());
        assertThat(alice.renews(grant)).isEqualTo(refused(EXPIRED));
        bob.holds("a");
    }

    @Test
    void nothingElseRevivesAnExpiredLeaseEither() {
        Grant grant = alice.holds("a");
        passAllOf(ttl());
        assertThat(alice.rotates(grant)).isEqualTo(refused(EXPIRED));
        assertThat(alice.releases(grant)).isEqualTo(refused(EXPIRED));
        assertThat(alice.completes(grant, "late", ttl())).isEqualTo(refused(EXPIRED));
        assertThat(listed()).isEmpty();
    }

    @Test
    void anExpiredLeaseIsNotRevivedByAnotherRefusal() {
        Grant grant = alice.holds("a");
        passAllOf(ttl());
        alice.renews(grant);
        assertThat(alice.renews(grant)).isEqualTo(refused(EXPIRED));
    }

    @Test
    void renewalLetsALeaseRunAgainInFull() {
        Grant grant = alice.holds("a");
        pass(ttl().dividedBy(2));
        alice.renews(grant);
        passJustNot(ttl());
        assertHeldBy(grant, bob.tries("a"));
        passTheRest();
        bob.holds("a");
    }

    @Test
    void renewalMayLengthenALease() {
        Grant grant = alice.holds("a");
        alice.renews(RenewalRequest.of(grant, ttl().multipliedBy(3)));
        passJustNot(ttl().multipliedBy(3));
        assertHeldBy(grant, bob.tries("a"));
        passTheRest();
        bob.holds("a");
    }

    @Test
    void renewalWithoutATtlIsForAsLongAsTheLeaseWasGranted() {
        LeaseRequest request = LeaseRequest.of(
                alice.request("a").id(),
                Claim.exclusive(Scope.name("a")),
                alice.holder(),
                ttl().multipliedBy(3));
        Grant grant = alice.holds(request);
        pass(ttl());
        // what the holder believes does not count
        assertRenewedFor(new Grant(grant.holding(), grant.id(), ttl()), ttl().multipliedBy(3));
        passJustNot(ttl().multipliedBy(3));
        assertHeldBy(grant, bob.tries("a"));
    }

    @Test
    void renewalWithoutATtlIsForAsLongAsTheLeaseWasLastRenewed() {
        Grant grant = alice.holds("a");
        alice.renews(RenewalRequest.of(grant, ttl().multipliedBy(2)));
        pass(ttl());
        assertRenewedFor(grant, ttl().multipliedBy(2));
        alice.renews(RenewalRequest.of(grant, ttl()));
        pass(ttl());
        assertRenewedFor(grant, ttl());
    }

    private void assertRenewedFor(Grant grant, Duration length) {
        assertThat(alice.renews(RenewalRequest.forItsOwnTtl(grant)))
                .isInstanceOfSatisfying(
                        Renewed.class,
                        renewed -> assertClose(renewed.validity().remaining(), length));
    }

    @Test
    void renewalNeverShortensALease() {
        Grant grant = alice.holds("a");
        Renewal answer = alice.renews(RenewalRequest.of(grant, ttl().dividedBy(2)));
        assertThat(answer)
                .isInstanceOfSatisfying(
                        Renewed.class,
                        renewed -> assertClose(renewed.validity().remaining(), ttl()));
        passJustNot(ttl());
        assertHeldBy(grant, bob.tries("a"));
    }

    @Test
    void renewalSaysHowMuchIsLeft() {
        Grant grant = alice.holds("a");
        pass(ttl().dividedBy(2));
        assertThat(alice.renews(grant)).isInstanceOfSatisfying(Renewed.class, renewed -> {
            assertClose(renewed.validity().remaining(), ttl());
            assertClose(renewed.validity().inStore(), Duration.ZERO);
        });
    }

    @Test
    void aLeaseLivesAsLongAsItIsRenewed() {
        Grant grant = alice.holds("a");
        for (int i = 0; i < 6; i++) {
            pass(ttl().dividedBy(2));
            assertThat(alice.renews(grant)).isInstanceOf(Renewed.class);
        }
        assertHeldBy(grant, bob.tries("a"));
    }

    @Test
    void manyRenewalsAtOnceAreAnsweredEachAtItsOwnIndex() {
        Grant first = alice.holds("a");
        Grant over = alice.holds("b");
        Grant last = alice.holds("c");
        alice.releases(over);
        List<Renewal> answers =
                Answers.of(store().renewAll(List.of(renewal(first), renewal(over), renewal(last))));
        assertThat(answers).hasSize(3);
        assertThat(answers.get(0)).isInstanceOf(Renewed.class);
        assertThat(answers.get(1)).isEqualTo(alice.renews(over));
        assertThat(answers.get(2)).isInstanceOf(Renewed.class);
    }

    @Test
    void noRenewalsAtOnceAreNoAnswers() {
        assertThat(Answers.of(store().renewAll(List.of()))).isEmpty();
    }

    @Test
    void rotationDoesNotExtendALease() {
        Grant grant = alice.holds("a");
        Duration half = ttl().dividedBy(2);
        pass(half);
        assertThat(alice.rotates(grant))
                .isInstanceOfSatisfying(
                        Rotated.class,
                        rotated -> assertClose(rotated.validity().remaining(), ttl().minus(half)));
        passAllOf(ttl().minus(half));
        bob.holds("a");
    }

    @Test
    void versionsCountGrantRenewalsAndRotations() {
        Granted granted = alice.obtains(alice.request("a"));
        assertThat(granted.version()).isEqualTo(1);
        assertThat(alice.renews(granted.grant()))
                .isInstanceOfSatisfying(
                        Renewed.class, renewed -> assertThat(renewed.version()).isEqualTo(2));
        assertThat(alice.rotates(granted.grant()))
                .isInstanceOfSatisfying(
                        Rotated.class, rotated -> assertThat(rotated.version()).isEqualTo(3));
    }

    @Test
    void anImmediateGrantIsValidForItsTtl() {
        Granted granted = alice.obtains(alice.request("a"));
        assertClose(granted.validity().inStore(), Duration.ZERO);
        assertClose(granted.validity().remaining(), ttl());
        assertThat(granted.grant().ttl()).isEqualTo(ttl());
    }

    @Test
    void aGrantAfterWaitingCountsTheWaitAndIsValidForItsTtl() {
        Grant first = alice.holds("a");
        Pending waiter = bob.waits("a");
        Duration waited = ttl().dividedBy(2);
        pass(waited);
        alice.releases(first);
        assertClose(waiter.granted().validity().inStore(), waited);
        assertClose(waiter.granted().validity().remaining(), ttl());
    }

    @Test
    void aRepeatedGrantIsValidForWhatIsLeft() {
        LeaseRequest request = alice.request("a");
        alice.holds(request);
        Duration half = ttl().dividedBy(2);
        pass(half);
        Granted repeated = alice.obtains(request);
        assertClose(repeated.validity().inStore(), Duration.ZERO);
        assertClose(repeated.validity().remaining(), ttl().minus(half));
    }

    @Test
    void aRepeatWhileQueuedCountsItsOwnTimeInTheStore() {
        Grant first = alice.holds("a");
        LeaseRequest request = bob.patient(bob.request("a"));
        Pending early = bob.waits(request);
        Duration quarter = ttl().dividedBy(4);
        pass(quarter);
        Pending late = bob.waits(request);
        pass(quarter);
        alice.releases(first);
        assertClose(early.granted().validity().inStore(), quarter.multipliedBy(2));
        assertClose(late.granted().validity().inStore(), quarter);
    }

    private RenewalRequest renewal(Grant grant) {
        return RenewalRequest.of(grant, ttl());
    }
}
