// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Election;
import io.leasehold.ElectionOptions;
import io.leasehold.Leader;
import io.leasehold.Term;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseRequest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** One leader at a time, and everybody knows who. */
abstract class ElectionRules extends PrimitiveRules {

    private final List<FencingToken> terms = new CopyOnWriteArrayList<>();

    private ElectionOptions options() {
        return ElectionOptions.defaults().withTtl(ttl());
    }

    /** A body that leads until its term is over. */
    private void lead(Term term) throws InterruptedException {
        terms.add(term.token());
        CountDownLatch never = new CountDownLatch(1);
        while (term.isValid()) {
            boolean unused = never.await(2, TimeUnit.MILLISECONDS);
        }
    }

    private Election candidate(Peer peer) {
        return peer.leasehold().election("billing", options(), this::lead);
    }

    private static boolean leads(Election election) {
        return election.term().isPresent();
    }

    @Test
    void theFirstCandidateLeadsAndEverybodySeesItWithItsRecord() {
        LeaseRecord address = LeaseRecord.of("10.0.0.7:8080");
        Election election =
                alice.leasehold().election("billing", options().withRecord(address), this::lead);
        await(() -> leads(election));

        Leader leader = bob.leasehold().election("billing").leader().orElseThrow();

        assertThat(leader.holder()).hasToString("alice");
        assertThat(leader.record()).contains(address);
        assertThat(leader.token()).isEqualTo(election.term().orElseThrow().token());
        assertThat(bob.leasehold().election("other").leader()).isEmpty();
    }

    @Test
    void aRecordThatWasLeftAtTheOfficeIsNoLeader() {
        LeaseRequest request = LeaseRequest.of(
                new LeaseId(1, 2),
                Claim.exclusive(Scope.name("billing")),
                new Holder("past"),
                ttl());
        Acquisition.Granted granted = (Acquisition.Granted) Answers.of(store().acquire(request));
        Answers.of(store().complete(granted.grant(), LeaseRecord.of("10.0.0.7"), ttl()));

        assertThat(bob.leasehold().election("billing").leader()).isEmpty();
    }

    @Test
    void aLeaderThatResignsHandsOverAtOnceAndCampaignsAgain() {
        Election first = candidate(alice);
        await(() -> terms.size() == 1);
        Election second = candidate(bob);
        awaitWaiters(1);

        first.resign();

        await(() -> leads(second) && terms.size() == 2);
        assertThat(leads(first)).isFalse();
        awaitWaiters(1);
        second.resign();
        await(() -> leads(first));
        await(() -> terms.size() == 3);
        assertThat(terms).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void aBodyThatReturnsResigns() {
        CountDownLatch mayReturn = new CountDownLatch(1);
        Election first =
                alice.leasehold().election("billing", options().once(), term -> mayReturn.await());
        await(() -> leads(first));
        Election second = candidate(bob);
        awaitWaiters(1);

        mayReturn.countDown();

        await(() -> leads(second));
        assertThat(listed())
                .singleElement()
                .satisfies(row -> assertThat(row.waiters())
                        .as("the first one campaigns no more")
                        .isZero());
    }

    @Test
    void aBodyThatThrowsEndsItsTerm() {
        Election first = alice.leasehold().election("billing", options().once(), term -> {
            terms.add(term.token());
            throw new IllegalStateException("can't lead");
        });
        await(() -> terms.size() == 1);
        Election second = candidate(bob);

        await(() -> leads(second));
        assertThat(leads(first)).isFalse();
    }

    @Test
    void afterTheDeathOfALeaderTheNextOneIsElectedWhenItsLeaseIsOver() {
        Election first = candidate(alice);
        await(() -> leads(first));
        Term before = first.term().orElseThrow();
        CountDownLatch lost = new CountDownLatch(1);
        before.onLost(loss -> lost.countDown());
        Election second = candidate(bob);
        awaitWaiters(1);

        alice.dies();
        passTtl();

        await(() -> leads(second));
        await(lost);
        assertThat(before.isValid()).isFalse();
        assertThat(before.token().isOlderThan(second.term().orElseThrow().token()))
                .isTrue();
    }

    @Test
    void theBodyIsInterruptedOnLossIfAskedFor() {
        CountDownLatch interrupted = new CountDownLatch(1);
        alice.leasehold().election("billing", options().withInterruptOnLoss(), term -> {
            terms.add(term.token());
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        });
        await(() -> terms.size() == 1);

        alice.dies();
        passTtl();

        await(interrupted);
    }

    @Test
    void resigningInterruptsTheBodyIfAskedForAndTheNextTermStartsClean() {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(1);
        Election election = alice.leasehold()
                .election("billing", options().withInterruptOnLoss(), term -> {
                    terms.add(term.token());
                    if (terms.size() > 1) {
                        if (!Thread.currentThread().isInterrupted()) {
                            second.countDown();
                        }
                        return;
                    }
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        first.countDown();
                    }
                });
        await(() -> terms.size() == 1);

        election.resign();

        await(first);
        await(second);
        assertThat(terms.get(0).isOlderThan(terms.get(1))).isTrue();
    }

    @Test
    void aCandidateNeverBeginsATermBeforeTheLastBodyHasReturned() {
        CountDownLatch mayReturn = new CountDownLatch(1);
        Election election = alice.leasehold().election("billing", options(), term -> {
            terms.add(term.token());
            if (terms.size() == 1) {
                mayReturn.await();
            }
        });
        await(() -> terms.size() == 1);
        election.resign();
        await(() -> listed().isEmpty());
        pass(ttl());
        assertThat(terms).hasSize(1);

        mayReturn.countDown();

        await(() -> terms.size() >= 2);
        election.close();
    }

    @Test
    void observersAreToldOfEveryLastingChangeOneAtATime() {
        List<Optional<String>> seen = new CopyOnWriteArrayList<>();
        Election onlooker = bob.leasehold().election("billing");
        onlooker.observe(leader -> seen.add(leader.map(who -> who.holder().toString())));
        await(() -> seen.size() == 1);
        Election first = alice.leasehold().election("billing", options().once(), this::lead);
        await(() -> seen.size() == 2);
        Election second = peer("carol").leasehold().election("billing", options(), this::lead);
        awaitWaiters(1);

        first.resign();
        await(() -> leads(second));
        await(() -> seen.contains(Optional.of("carol")));
        second.close();
        await(() -> seen.get(seen.size() - 1).isEmpty());

        assertThat(seen.get(0)).isEmpty();
        assertThat(seen.get(1)).contains("alice");
    }

    @Test
    void observersLearnOfADeathThatNobodyElseNotices() {
        List<Optional<Leader>> seen = new CopyOnWriteArrayList<>();
        Election first = candidate(alice);
        await(() -> leads(first));
        bob.leasehold().election("billing").observe(seen::add);
        await(() -> seen.size() == 1 && seen.get(0).isPresent());

        alice.dies();

        passUntil(() -> seen.get(seen.size() - 1).isEmpty());
    }

    @Test
    void aClosedObservationIsSilent() {
        List<Optional<Leader>> seen = new CopyOnWriteArrayList<>();
        var observation = bob.leasehold().election("billing").observe(seen::add);
        await(() -> seen.size() == 1);

        observation.close();
        observation.close();
        Election election = candidate(alice);
        await(() -> leads(election));

        assertThat(seen).hasSize(1);
    }

    @Test
    void aCandidateThatClosesLeavesTheQueue() {
        Election first = candidate(alice);
        await(() -> leads(first));
        Election second = candidate(bob);
        awaitWaiters(1);

        second.close();
        second.close();

        awaitWaiters(0);
        assertThat(leads(first)).isTrue();
    }

    @Test
    void closingTheLeaseholdResigns() {
        Election first = candidate(alice);
        await(() -> leads(first));
        Election second = candidate(bob);
        awaitWaiters(1);

        alice.leasehold().close();

        await(() -> leads(second));
    }

    @Test
    void theNextLeaderDoesNotLeadBesideABodyThatOutlivesTheClose() {
        CountDownLatch mayReturn = new CountDownLatch(1);
        alice.leasehold().election("billing", options(), term -> {
            terms.add(term.token());
            awaitUninterruptibly(mayReturn);
        });
        await(() -> terms.size() == 1);
        Election second = candidate(bob);
        awaitWaiters(1);

        alice.leasehold().close();
        passTtl();

        assertThat(terms).hasSize(1);
        mayReturn.countDown();
        await(() -> leads(second));
    }
}
