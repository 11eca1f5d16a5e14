// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Codec;
import io.leasehold.Digest;
import io.leasehold.Election;
import io.leasehold.ElectionOptions;
import io.leasehold.Flight;
import io.leasehold.Idempotency;
import io.leasehold.IdempotentCall;
import io.leasehold.Outcome;
import io.leasehold.Term;
import io.leasehold.model.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A {@code Leasehold} that is closed while terms, flights and idempotent calls are under way. */
final class HandoverOfWorkTest {

    private static final Duration GRACE = Duration.ofSeconds(10);

    private final World world = World.create();
    private final List<OtherThread<Boolean>> workers = new CopyOnWriteArrayList<>();
    private final Node alice =
            Node.working(world, "alice", task -> workers.add(OtherThread.runs(task)));
    private final Node bob = Node.working(world, "bob", Runnable::run);
    private final Queue<Runnable> notBegun = new ArrayDeque<>();
    private final List<Term> terms = new CopyOnWriteArrayList<>();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayReturn = new CountDownLatch(1);

    private void stubborn() throws InterruptedException {
        begun.countDown();
        mayReturn.await();
    }

    private Election elected(ElectionOptions options) {
        Election election = alice.leasehold.election("billing", options, term -> {
            terms.add(term);
            stubborn();
        });
        OtherThread.await(() -> begun.getCount() == 0);
        return election;
    }

    private List<String> bobCampaigns() {
        List<String> led = new CopyOnWriteArrayList<>();
        bob.leasehold.election("billing", ElectionOptions.defaults().once(), term -> led.add("x"));
        return led;
    }

    private void finish(OtherThread<Boolean> closing) {
        mayReturn.countDown();
        assertThat(closing.result()).isTrue();
        workers.forEach(worker -> assertThat(worker.result()).isTrue());
    }

    private OtherThread<Boolean> close(AutoCloseable closeable) {
        return OtherThread.calls(() -> {
                    closeable.close();
                    return true;
                })
                .awaitBlocked();
    }

    @Test
    void theNextLeaderDoesNotLeadBesideABodyThatStillRuns() {
        elected(ElectionOptions.defaults());
        List<String> led = bobCampaigns();
        OtherThread<Boolean> closing = close(alice.leasehold);
        assertThat(terms.get(0).isValid()).isFalse(); // it is told
        assertThat(led).isEmpty();
        world.pass(GRACE);
        assertThat(closing.result()).isTrue();
        world.pass(Duration.ofMinutes(1));
        assertThat(led).isEmpty();

        finish(closing);

        assertThat(led).hasSize(1);
        assertThat(alice.wire.closed).isTrue();
    }

    @Test
    void aLeaderThatWatchesItsTermHandsOverAtOnce() {
        alice.leasehold.election("billing", term -> {
            begun.countDown();
            while (term.isValid()) {
                Thread.onSpinWait();
            }
        });
        OtherThread.await(() -> begun.getCount() == 0);
        List<String> led = bobCampaigns();
        alice.leasehold.close(); // on this thread: nobody lets time pass
        assertThat(led).hasSize(1);
    }

    @Test
    void aLeaderThatAskedForItIsInterrupted() {
        elected(ElectionOptions.defaults().withInterruptOnLoss());
        List<String> led = bobCampaigns();
        alice.leasehold.close(); // on this thread: nobody lets time pass
        assertThat(led).hasSize(1);
    }

    @Test
    void aCandidateThatIsClosedKeepsTheOfficeUntilItsBodyHasReturned() {
        Election election = elected(ElectionOptions.defaults());
        List<String> led = bobCampaigns();
        election.close();
        assertThat(election.term()).isEmpty();
        world.pass(Duration.ofMinutes(1));
        assertThat(led).isEmpty();

        mayReturn.countDown();

        assertThat(workers.get(0).result()).isTrue();
        assertThat(led).hasSize(1);
        assertThat(bob.lock("billing").tryUse(lease -> {})).isTrue(); // alice campaigns no more
    }

    @Test
    void aBodyThatHasNotBegunDoesNotBegin() {
        Node carol = Node.working(world, "carol", notBegun::add);
        carol.leasehold.election("billing", terms::add);
        assertThat(world.leases()).hasSize(1);
        carol.leasehold.close(); // on this thread: there is nobody to wait for
        assertThat(world.leases()).isEmpty();
        notBegun.forEach(Runnable::run);
        assertThat(terms).isEmpty();
    }

    @Test
    void aFlightUnderWayIsFinishedAndShared() {
        CompletableFuture<Flight<String>> flight = alice.leasehold
                .singleFlight("reports", Codec.strings())
                .getAsync("june", token -> {
                    stubborn();
                    return "by alice";
                });
        OtherThread.await(() -> begun.getCount() == 0);
        CompletableFuture<Flight<String>> elsewhere = bob.leasehold
                .singleFlight("reports", Codec.strings())
                .getAsync("june", token -> "by bob");
        OtherThread<Boolean> closing = close(alice.leasehold);

        finish(closing);

        assertThat(OtherThread.await(flight).value()).isEqualTo("by alice");
        assertThat(OtherThread.await(elsewhere).value()).isEqualTo("by alice");
    }

    @Test
    void aFlightThatHasNotBegunEnds() {
        Node carol = Node.working(world, "carol", notBegun::add);
        CompletableFuture<Flight<String>> flight = carol.leasehold
                .singleFlight("reports", Codec.strings())
                .getAsync("june", token -> "by carol");
        carol.leasehold.close();
        assertThat(world.leases()).isEmpty();
        notBegun.forEach(Runnable::run);
        assertThat(flight).isDone();
        assertThatThrownBy(flight::join).hasCauseInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void theResultOfAnIdempotentCallUnderWayIsStored() {
        IdempotentCall call = IdempotentCall.of("k", Digest.of("10"));
        CompletableFuture<Outcome<String>> paid = payments(alice).onceAsync(call, token -> {
            stubborn();
            return "paid";
        });
        OtherThread.await(() -> begun.getCount() == 0);
        OtherThread<Boolean> closing = close(alice.leasehold);
        world.pass(GRACE);
        assertThat(closing.result()).isTrue();
        world.pass(Duration.ofMinutes(5));

        finish(closing);

        assertThat(OtherThread.await(paid).value()).isEqualTo("paid");
        assertThat(payments(bob).once(call, token -> "paid twice").value()).isEqualTo("paid");
    }

    @Test
    void anIdempotentCallThatHasNotBegunDoesNotBegin() {
        Node carol = Node.working(world, "carol", notBegun::add);
        IdempotentCall call = IdempotentCall.of("k", Digest.of("10"));
        CompletableFuture<Outcome<String>> paid =
                payments(carol).onceAsync(call, token -> "by carol");
        carol.leasehold.close();
        notBegun.forEach(Runnable::run);
        assertThat(paid).isDone();
        assertThatThrownBy(paid::join).hasCauseInstanceOf(StoreUnavailableException.class);
        assertThat(payments(bob).once(call, token -> "by bob").value()).isEqualTo("by bob");
    }

    private static Idempotency<String> payments(Node node) {
        return node.leasehold.idempotency("payments", Codec.strings(), Duration.ofDays(1));
    }
}
