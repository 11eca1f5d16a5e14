// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Election;
import io.leasehold.Leader;
import io.leasehold.Lease;
import io.leasehold.Observation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When an observer asks who leads, and what it is told. */
final class ObservationTest {

    private static final String NOBODY = "nobody";
    private static final Duration SHORT_TTL = Duration.ofSeconds(3);

    /** An observer asks at least this often. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final World world = World.create();
    private final Node one = world.client("one");
    private final Node two = world.client("two");
    private final List<String> seen = new ArrayList<>();
    private final List<Observation> observations = new ArrayList<>();

    /** Everything here runs on one thread, which a lock that it has kept does not stop. */
    @AfterEach
    void noThreadHasKeptALock() {
        assertThat(observations).isNotEmpty();
        observations.forEach(observation -> OtherThread.runs(observation::close).result());
    }

    private Observation observe() {
        return observe(
                one.leasehold.election("office"),
                leader -> seen.add(leader.map(who -> who.holder().label() + " " + who.token())
                        .orElse(NOBODY)));
    }

    private Observation observe(Election election, Consumer<Optional<Leader>> listener) {
        Observation observation = election.observe(listener);
        observations.add(observation);
        return observation;
    }

    private AtomicInteger countQuestions() {
        AtomicInteger questions = new AtomicInteger();
        one.wire.beforeSending = questions::incrementAndGet;
        return questions;
    }

    @Test
    void changesThatTheStorePushesAreToldAtOnce() {
        observe();
        assertThat(seen).containsExactly(NOBODY);
        Lease first = two.holds("office");
        assertThat(seen).containsExactly(NOBODY, "two 1");
        first.close();
        assertThat(seen).containsExactly(NOBODY, "two 1", NOBODY);
    }

    @Test
    void renewalsAndOtherOfficesAreNotAskedAbout() {
        two.lock("office", SHORT_TTL).acquire(Duration.ZERO);
        AtomicInteger questions = countQuestions();
        observe();
        assertThat(questions).hasValue(1);
        two.holds("other").close();
        world.pass(SHORT_TTL.minusMillis(1)); // it is renewed twice meanwhile
        assertThat(two.wire.renewals).hasSizeGreaterThan(1);
        assertThat(questions).hasValue(1);
        assertThat(seen).containsExactly("two 1");
    }

    @Test
    void anObserverLooksAgainWhenTheLeadersLeaseWouldBeOver() {
        two.lock("office", SHORT_TTL).acquire(Duration.ZERO);
        observe();
        two.network.cutOff(true);
        world.pass(SHORT_TTL.minusMillis(1));
        assertThat(seen).containsExactly("two 1");
        world.passMillis(1);
        assertThat(seen).containsExactly("two 1", NOBODY);
    }

    @Test
    void aLeaseThatIsAlmostOverIsNotAskedAboutAllTheTime() {
        two.lock("office", SHORT_TTL).acquire(Duration.ZERO);
        two.network.cutOff(true);
        world.pass(SHORT_TTL.minusMillis(10));
        AtomicInteger questions = countQuestions();
        observe();
        world.passMillis(49);
        assertThat(questions).hasValue(1);
        world.passMillis(1);
        assertThat(seen).containsExactly("two 1", NOBODY);
    }

    @Test
    void anEventThatGotLostIsMadeUpForWithinTheLongestPause() {
        two.holds("office");
        AtomicInteger questions = countQuestions();
        observe();
        one.network.cutOff(true);
        two.leasehold.close();
        one.network.cutOff(false);
        world.pass(LONGEST_PAUSE.minusMillis(1)); // the lease had 30 s left
        assertThat(questions).hasValue(1);
        assertThat(seen).containsExactly("two 1");
        world.passMillis(1);
        assertThat(seen).containsExactly("two 1", NOBODY);
        world.pass(LONGEST_PAUSE.multipliedBy(3));
        assertThat(questions).hasValue(5);
        assertThat(seen).hasSize(2);
    }

    @Test
    void withoutAnAnswerNothingIsToldAndItIsAskedAgain() {
        two.holds("office");
        one.network.cutOff(true);
        observe();
        world.pass(World.PATIENCE);
        one.network.cutOff(false);
        assertThat(seen).isEmpty();
        world.pass(LONGEST_PAUSE);
        assertThat(seen).containsExactly("two 1");
        one.network.cutOff(true);
        world.pass(LONGEST_PAUSE.plus(World.PATIENCE));
        assertThat(seen).containsExactly("two 1");
    }

    @Test
    void aChangeWhileAnAnswerIsUnderWayIsAskedAboutAfterIt() {
        one.delay(Duration.ofSeconds(1));
        observe();
        world.passMillis(1500); // answered, but not yet told
        Lease held = two.holds("office");
        held.close();
        two.holds("office");
        world.passMillis(500);
        assertThat(seen).containsExactly(NOBODY);
        world.passMillis(1999);
        assertThat(seen).containsExactly(NOBODY);
        world.passMillis(1);
        assertThat(seen).containsExactly(NOBODY, "two 2");
        AtomicInteger questions = countQuestions();
        world.pass(LONGEST_PAUSE.minusMillis(1));
        assertThat(questions).hasValue(0);
    }

    @Test
    void aClosedObservationIsToldNothingAndLeavesNothingBehind() {
        Observation observation = observe();
        AtomicInteger questions = countQuestions();
        assertThat(one.wire.subscriptions).hasValue(1);
        observation.close();
        assertThat(one.wire.subscriptions).hasValue(0);
        assertThat(world.time.pendingTimers()).isZero();
        two.holds("office").close();
        assertThat(questions).hasValue(0);
        assertThat(seen).containsExactly(NOBODY);
    }

    @Test
    void anAnswerThatComesAfterTheCloseIsNotTold() {
        one.delay(Duration.ofSeconds(1));
        Observation observation = observe();
        world.passMillis(1500);
        observation.close();
        one.heal();
        AtomicInteger questions = countQuestions();
        world.pass(LONGEST_PAUSE.multipliedBy(2));
        assertThat(seen).isEmpty();
        assertThat(questions).hasValue(0);
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void anObservationThatIsClosedWhileAChangeWaitsForItsQuestionAsksNoMore() {
        one.delay(Duration.ofSeconds(1));
        Observation observation = observe();
        world.passMillis(1500);
        two.holds("office");
        observation.close();
        AtomicInteger questions = countQuestions();
        world.pass(LONGEST_PAUSE.dividedBy(2));
        assertThat(questions).hasValue(0);
        assertThat(seen).isEmpty();
    }

    @Test
    void theObservationsOfAnElectionEndWithIt() {
        Election election = one.leasehold.election("office");
        observe(election, leader -> seen.add("told"));
        election.close();
        observe(election, leader -> seen.add("told"));
        seen.clear();
        AtomicInteger questions = countQuestions();
        two.holds("office");
        assertThat(seen).isEmpty();
        assertThat(questions).hasValue(0);
        two.leasehold.close();
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void aChangePutsOffTheNextLook() {
        observe();
        world.pass(LONGEST_PAUSE.dividedBy(2));
        two.holds("office");
        AtomicInteger questions = countQuestions();
        world.pass(LONGEST_PAUSE.minusMillis(1));
        assertThat(questions).hasValue(0);
        world.passMillis(1);
        assertThat(questions).hasValue(1);
    }
}
