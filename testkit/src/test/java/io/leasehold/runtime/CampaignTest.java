// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Election;
import io.leasehold.ElectionOptions;
import io.leasehold.Lease;
import io.leasehold.Term;
import io.leasehold.model.LimitExceededException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A candidate whose campaigns fail campaigns again. */
final class CampaignTest {

    /** The first pause and the longest one, which are spread by half to either side. */
    private static final Duration FIRST = Duration.ofMillis(50);

    private static final Duration LONGEST = FIRST.multipliedBy(64);
    private static final int CAMPAIGNS = 12;

    private final World world = World.create();
    private final Node one = world.client("one");
    private final Node two = world.client("two");
    private final List<Term> terms = new ArrayList<>();
    private final List<Election> elections = new ArrayList<>();

    /** Everything here runs on one thread, which a lock that it has kept does not stop. */
    @AfterEach
    void noThreadHasKeptALock() {
        assertThat(elections).isNotEmpty();
        elections.forEach(election -> OtherThread.runs(election::close).result());
    }

    @Test
    void aCandidateCampaignsAgainWithGrowingPausesUntilItIsElected() {
        failEverySending();
        List<Long> sentAt = new ArrayList<>();
        try (Election unused = campaign()) {
            sentAt.add(world.time.nanos());
            for (int millis = 0; millis < 60_000 && sentAt.size() < CAMPAIGNS; millis++) {
                world.passMillis(1);
                if (one.wire.acquires.size() > sentAt.size()) {
                    sentAt.add(world.time.nanos());
                }
            }
            assertThat(terms).isEmpty();
            assertThat(one.wire.acquires).hasSize(CAMPAIGNS);

            one.wire.beforeSending = () -> {};
            world.pass(LONGEST.multipliedBy(3).dividedBy(2));
            assertThat(terms).hasSize(1);
            assertThat(world.leases()).isEmpty(); // the body has returned
        }
        for (int i = 1; i < sentAt.size(); i++) {
            Duration pause = Duration.ofNanos(sentAt.get(i) - sentAt.get(i - 1));
            Duration middle = FIRST.multipliedBy(1L << Math.min(i - 1, 6));
            assertThat(pause)
                    .as("pause " + i)
                    .isBetween(
                            middle.dividedBy(2),
                            middle.multipliedBy(3).dividedBy(2).plusMillis(1));
        }
    }

    @Test
    void aTermThatEndedWellMakesPausesShortAgain() {
        failEverySending();
        Election.Body body = term -> {
            terms.add(term);
            failEverySending();
        };
        try (Election unused = campaign(one, body)) {
            world.pass(LONGEST.multipliedBy(4));
            one.wire.beforeSending = () -> {};
            for (int millis = 0; millis < 60_000 && terms.isEmpty(); millis++) {
                world.passMillis(1);
            }
            assertThat(terms).hasSize(1);
            int before = one.wire.acquires.size();
            world.pass(FIRST.multipliedBy(3).dividedBy(2));
            assertThat(one.wire.acquires).hasSizeGreaterThan(before);
        }
    }

    @Test
    void aCandidateThatWasClosedCampaignsNoMore() {
        failEverySending();
        Election election = campaign();
        world.pass(LONGEST);
        election.close();
        int before = one.wire.acquires.size();
        one.wire.beforeSending = () -> {};
        world.pass(LONGEST.multipliedBy(4));
        assertThat(one.wire.acquires).hasSize(before);
        assertThat(terms).isEmpty();
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void aCandidateWhoseBodiesFailPausesBeforeEachNewCampaign() {
        Election.Body failing = term -> {
            terms.add(term);
            throw new IllegalStateException("thrown by a test's body");
        };
        try (Election unused = campaign(one, failing)) {
            assertThat(terms).hasSize(1);
            world.pass(FIRST.dividedBy(2).minusMillis(1));
            assertThat(terms).hasSize(1);
            world.pass(FIRST.plusMillis(1));
            assertThat(terms).hasSize(2);
            world.pass(FIRST.minusMillis(1)); // half of the second pause
            assertThat(terms).hasSize(2);
            world.pass(LONGEST.multipliedBy(20));
            assertThat(terms).hasSizeBetween(15, 60);
        }
        assertThat(world.leases()).isEmpty();
    }

    @Test
    void aBodyThatReturnsIsFollowedByTheNextCampaignAtOnce() {
        List<Runnable> work = new ArrayList<>();
        Node later = Node.working(world, "later", work::add);
        try (Election unused = campaign(later, terms::add)) {
            work.remove(0).run();
            assertThat(terms).hasSize(1);
            assertThat(later.wire.acquires).hasSize(2);
            assertThat(work).hasSize(1);
        }
    }

    @Test
    void aCandidateThatClosesBeforeItsBodyBeganGivesTheOfficeBackAndTheBodyNeverRuns() {
        List<Runnable> work = new ArrayList<>();
        Node later = Node.working(world, "later", work::add);
        Election election = campaign(later, terms::add);
        assertThat(election.term()).isPresent();
        election.close();
        assertThat(world.leases()).isEmpty();
        assertThat(election.term()).isEmpty();
        work.remove(0).run();
        assertThat(terms).isEmpty();
        assertThat(work).isEmpty();
        assertThat(later.wire.acquires).hasSize(1);
    }

    @Test
    void aTermThatWasResignedBeforeItsBodyBeganIsNotLedAndTheNextOneIsCampaignedFor() {
        List<Runnable> work = new ArrayList<>();
        Node later = Node.working(world, "later", work::add);
        try (Election election = campaign(later, terms::add)) {
            election.resign();
            assertThat(world.leases()).isEmpty();
            work.remove(0).run();
            assertThat(terms).isEmpty();
            work.remove(0).run();
            assertThat(terms).hasSize(1);
        }
    }

    @Test
    void whoDoesNotLeadResignsNothing() {
        two.holds("office");
        try (Election election = campaign()) {
            election.resign();
            assertThat(election.term()).isEmpty();
            assertThat(world.leases().get(0).waiters()).isEqualTo(1);
        }
        assertThat(world.leases().get(0).waiters()).isZero();
    }

    @Test
    void aWaitingCandidateThatClosesIsNotElectedLater() {
        Lease held = two.holds("office");
        Election election = campaign();
        election.close();
        held.close();
        world.pass(LONGEST);
        assertThat(terms).isEmpty();
        assertThat(world.leases()).isEmpty();
    }

    @Test
    void anErrorThatTheJvmMustSeeIsThrownOnWhenTheOfficeHasBeenGivenBack() {
        List<Runnable> work = new ArrayList<>();
        Node later = Node.working(world, "later", work::add);
        OutOfMemoryError fatal = new OutOfMemoryError("thrown by a test's body");
        Election.Body failing = term -> {
            throw fatal;
        };
        try (Election unused = campaign(later, failing)) {
            assertThatThrownBy(() -> work.remove(0).run()).isSameAs(fatal);
            assertThat(world.leases()).isEmpty();
        }
    }

    private Election campaign() {
        return campaign(one, ElectionOptions.defaults().once(), terms::add);
    }

    private Election campaign(Node node, Election.Body body) {
        return campaign(node, ElectionOptions.defaults(), body);
    }

    private Election campaign(Node node, ElectionOptions options, Election.Body body) {
        Election election = node.leasehold.election("office", options, body);
        elections.add(election);
        return election;
    }

    private void failEverySending() {
        one.wire.beforeSending = () -> {
            throw refusal();
        };
    }

    private static LimitExceededException refusal() {
        return new LimitExceededException("leases per store", 1, "the store is full");
    }
}
