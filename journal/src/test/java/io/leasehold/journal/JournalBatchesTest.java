// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.LeaseRecord;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Commands that share a force, and what waits for it. */
final class JournalBatchesTest {

    private static final Duration TTL = Duration.ofSeconds(10);
    private static final Duration LONGER = Duration.ofSeconds(60);

    private final World world = World.create(1);

    @Test
    void commandsThatGatherShareOneWriteAndOneForce() {
        Grant first = world.acquire("first", TTL);
        world.threads.writer.hold();
        List<CompletionStage<?>> stages = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            stages.add(world.store.acquire(World.request("lease-" + i, TTL)));
        }
        stages.add(world.store.release(first));
        long before = world.disk.operations();
        assertThat(stages).noneMatch(World::isAnswered);
        world.threads.writer.letGo();
        assertThat(stages).allMatch(World::isAnswered);
        assertThat(world.disk.operations() - before).isEqualTo(2);
        world.crashAndReopen();
        assertThat(world.list()).hasSize(50);
    }

    @Test
    void aLoneCommandIsOneWriteAndOneForce() {
        long before = world.disk.operations();
        Grant grant = world.acquire("lone", TTL);
        assertThat(world.disk.operations() - before).isEqualTo(2);
        assertThat(World.answer(world.store.release(grant))).isInstanceOf(Ending.Ended.class);
        assertThat(world.disk.operations() - before).isEqualTo(4);
    }

    @Test
    void whatChangedNothingButRestsOnSomethingNotForcedWaitsToo() {
        Grant done = world.acquire("done", TTL);
        Grant rotated = world.acquire("rotated", TTL);
        world.threads.writer.hold();
        CompletionStage<?> taken = world.store.acquire(World.request(1, "taken", TTL));
        CompletionStage<?> completed = world.store.complete(done, LeaseRecord.of("r"), TTL);
        CompletionStage<?> rotation = world.store.rotate(rotated);
        CompletionStage<Acquisition> held = world.store.acquire(World.request(2, "taken", TTL));
        CompletionStage<Acquisition> kept =
                world.store.acquire(World.request(3, "done", TTL).unlessCompleted());
        CompletionStage<Renewal> refused = world.store.renew(RenewalRequest.of(rotated, TTL));
        CompletionStage<?> repeated = world.store.release(rotated);
        CompletionStage<?> page = world.store.list(LeaseQuery.all());
        List<CompletionStage<?>> all =
                List.of(taken, completed, rotation, held, kept, refused, repeated, page);
        assertThat(all).noneMatch(World::isAnswered);
        world.threads.writer.letGo();
        assertThat(all).allMatch(World::isAnswered);
        assertThat(World.answer(held)).isInstanceOf(Acquisition.Held.class);
        assertThat(World.answer(kept)).isInstanceOf(Acquisition.Completed.class);
        assertThat(World.answer(refused)).isEqualTo(new Refused(RefusalReason.TOKEN_MISMATCH));
    }

    @Test
    void whatRestsOnAFullBatchWaitsForItThoughNobodyWaitsForTheNext() {
        Grant unused = world.acquire("brief", Duration.ofMillis(1_500));
        LeaseRequest large = World.request(1, "large", TTL)
                .withRecord(LeaseRecord.of(new byte[LeaseRecord.MAX_BYTES]));
        world.threads.writer.hold();
        CompletionStage<Acquisition> first = world.store.acquire(large);
        world.pass(Duration.ofMillis(1_600)); // the next batch has only what time makes of leases
        CompletionStage<Acquisition> second = world.store.acquire(large);
        assertThat(World.isAnswered(first)).isFalse();
        assertThat(World.isAnswered(second)).isFalse();
        world.threads.writer.letGo();
        assertThat(World.answer(first)).isInstanceOf(Acquisition.Granted.class);
        assertThat(World.answer(second)).isInstanceOf(Acquisition.Granted.class);
    }

    @Test
    void whatRestsOnABatchIsNotAnsweredWithinItsForce() {
        Grant rotated = world.acquire("rotated", TTL);
        LeaseRequest request = World.request(1, "taken", TTL);
        List<CompletionStage<?>> all = new ArrayList<>();
        world.threads.writer.hold();
        all.add(world.store.acquire(request));
        all.add(world.store.rotate(rotated));
        List<CompletionStage<?>> early = withinTheNextForce(all, () -> {
            all.add(world.store.acquire(request));
            all.add(world.store.acquire(World.request(2, "taken", TTL)));
            all.add(world.store.renew(RenewalRequest.of(rotated, TTL)));
            all.add(world.store.release(rotated));
            all.add(world.store.list(LeaseQuery.all()));
        });
        world.threads.writer.letGo();
        assertThat(all).hasSize(7).allMatch(World::isAnswered);
        assertThat(all).noneMatch(it -> it.toCompletableFuture().isCompletedExceptionally());
        assertThat(early).as("answered within the force").isEmpty();
    }

    @Test
    void whatRestsOnALoneCommandIsNotAnsweredWithinItsForce() {
        List<CompletionStage<?>> second = new ArrayList<>();
        List<CompletionStage<?>> early = withinTheNextForce(
                second, () -> second.add(world.store.acquire(World.request(2, "lone", TTL))));
        Grant grant = world.acquire("lone", TTL);
        assertThat(second)
                .singleElement()
                .satisfies(it -> assertThat(World.answer(it))
                        .isInstanceOfSatisfying(
                                Acquisition.Held.class,
                                held -> assertThat(held.blocker()).isEqualTo(grant.holding())));
        assertThat(early).as("answered within the force").isEmpty();
    }

    /**
     * Has others ask while the next force is under way, and returns a list to which those of the
     * stages are added that were answered before it was over.
     */
    private List<CompletionStage<?>> withinTheNextForce(
            List<CompletionStage<?>> stages, Runnable asking) {
        List<CompletionStage<?>> early = new ArrayList<>();
        world.disk.duringForces(() -> {
            world.disk.duringForces(() -> {});
            asking.run();
            stages.stream().filter(World::isAnswered).forEach(early::add);
        });
        return early;
    }

    @Test
    void aQuestionIsAnsweredAtOnceWhenEverythingIsForced() {
        Grant grant = world.acquire("a", TTL);
        world.threads.writer.hold();
        assertThat(world.list()).hasSize(1);
        assertThat(World.answer(world.store.acquire(World.request(2, "a", TTL))))
                .isInstanceOf(Acquisition.Held.class);
        assertThat(world.renew(grant, TTL)).isInstanceOf(Renewal.Renewed.class);
    }

    @Test
    void aRenewalWaitsForNobodyElse() {
        Grant grant = world.acquire("a", TTL);
        world.threads.writer.hold();
        CompletionStage<?> other = world.store.acquire(World.request("b", TTL));
        assertThat(world.renew(grant, TTL)).isInstanceOf(Renewal.Renewed.class);
        assertThat(World.isAnswered(other)).isFalse();
    }

    @Test
    void aRenewalWaitsForALongerOneOfTheSameLease() {
        Grant grant = world.acquire("a", TTL);
        world.threads.writer.hold();
        CompletionStage<Renewal> longer = world.store.renew(RenewalRequest.of(grant, LONGER));
        CompletionStage<Renewal> repeated = world.store.renew(RenewalRequest.of(grant, LONGER));
        assertHonoured(List.of(longer, repeated));
    }

    @Test
    void aRenewalWaitsForTheFirstOneOfItsLeaseAfterAStart() {
        Grant grant = world.acquire("a", TTL);
        world.killAndReopen();
        world.pass(Duration.ofSeconds(5));
        world.threads.writer.hold();
        CompletionStage<Renewal> first = world.store.renew(RenewalRequest.of(grant, TTL));
        CompletionStage<Renewal> second = world.store.renew(RenewalRequest.of(grant, TTL));
        assertHonoured(List.of(first, second));
    }

    @Test
    void aRenewalWaitsNoMoreWhenTheOneBeforeItIsForced() {
        Grant grant = world.acquire("a", TTL);
        world.killAndReopen();
        assertThat(world.renew(grant, LONGER)).isInstanceOf(Renewal.Renewed.class);
        world.threads.writer.hold();
        assertThat(world.renew(grant, TTL)).isInstanceOf(Renewal.Renewed.class);
    }

    @Test
    void aLeaseThatRanOutAndWasTakenBackIsNotThereOnceMore() {
        LeaseRequest request = World.request("a", Duration.ofMillis(1_500));
        Grant unused = World.granted(world.store.acquire(request));
        world.pass(Duration.ofMillis(1_600));
        assertThat(World.answer(world.store.withdraw(request))).isInstanceOf(Ending.Ended.class);
        world.crashAndReopen();
        assertThat(world.list()).isEmpty();
        assertThat(World.answer(world.store.acquire(request))).isInstanceOf(Acquisition.Gone.class);
    }

    @Test
    void aLeaseThatWasReleasedByForceIsOverBeforeThatIsAnsweredAndForGood() {
        Grant grant = world.acquire("a", TTL);
        world.threads.writer.hold();
        CompletionStage<Ending> forced = world.store.forceRelease(Scope.name("a"), grant.token());
        assertThat(World.isAnswered(forced)).isFalse();
        world.threads.writer.letGo();
        assertThat(World.answer(forced)).isInstanceOf(Ending.Ended.class);
        world.crashAndReopen();
        assertThat(world.list()).isEmpty();
        Refused notFound = new Refused(RefusalReason.NOT_FOUND);
        assertThat(world.renew(grant, TTL)).isEqualTo(notFound);
        assertThat(World.answer(world.store.release(grant))).isEqualTo(notFound);
    }

    /** What was answered before the power went is honoured behind it. */
    private void assertHonoured(List<CompletionStage<Renewal>> renewals) {
        Duration promised = Duration.ZERO;
        for (CompletionStage<Renewal> renewal : renewals) {
            if (World.isAnswered(renewal)) {
                Renewal.Renewed answer = (Renewal.Renewed) World.answer(renewal);
                promised = answer.validity().remaining();
            }
        }
        world.crashAndReopen();
        Duration left =
                world.list().stream().map(LeaseView::remaining).findFirst().orElse(Duration.ZERO);
        assertThat(left).isGreaterThanOrEqualTo(promised);
        assertThat(renewals).noneMatch(World::isAnswered);
    }
}
