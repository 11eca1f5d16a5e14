// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Codec;
import io.leasehold.Digest;
import io.leasehold.ElectionOptions;
import io.leasehold.Environment;
import io.leasehold.Flight;
import io.leasehold.Idempotency;
import io.leasehold.IdempotencyOptions;
import io.leasehold.IdempotentCall;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LeaseholdOptions;
import io.leasehold.LockOptions;
import io.leasehold.Outcome;
import io.leasehold.SingleFlight;
import io.leasehold.SingleFlightOptions;
import io.leasehold.model.IdempotencyConflictException;
import io.leasehold.model.InProgressException;
import io.leasehold.model.LockTimeoutException;
import io.leasehold.model.NotSharedException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.model.WorkFailedException;
import io.leasehold.testkit.Faults;
import io.leasehold.testkit.FaultyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * However a public future ends and whoever is called back: it happens on the executor that is there
 * for it, and never on the thread of the timers, of the store or of whoever closes. In virtual time
 * there is one thread for all of them, so executors are told apart by the lane that they run in.
 * {@link CallbackThreadsTest} has the threads themselves.
 */
final class CallbackLanesTest {

    private static final Duration WAY = Duration.ofMillis(50); // of each message
    private static final Duration WAIT = Duration.ofSeconds(2);
    private static final Duration LATER = Duration.ofMinutes(1); // everything is over
    private static final Duration DAY = Duration.ofDays(1);
    private static final IdempotentCall PAYMENT = IdempotentCall.of("k", Digest.of("10"));
    private static final String CALLBACK = "callback";
    private static final String WORKER = "worker";

    private final World world = World.create();
    private final FaultyStore network = FaultyStore.to(world.store, world.time);
    private final Leasehold leasehold = Leasehold.on(
            network,
            LeaseholdOptions.defaults()
                    .withPatience(World.PATIENCE)
                    .withCloseGrace(Duration.ZERO)
                    .withWorkers(lane(WORKER))
                    .withEnvironment(
                            new Environment(world.time, lane(CALLBACK), new SplittableRandom(1))));
    private final Node other = world.client("other");
    private String lane = "elsewhere";

    private Executor lane(String name) {
        return task -> {
            String before = lane;
            lane = name;
            try {
                task.run();
            } finally {
                lane = before;
            }
        };
    }

    @BeforeEach
    void answersTakeTime() {
        // so that nothing has ended before there is a dependent
        network.change(Faults.none().delaying(WAY, WAY));
    }

    @AfterEach
    void close() {
        network.change(Faults.none());
        network.cutOff(false);
        OtherThread<Boolean> closing = OtherThread.runs(leasehold::close);
        OtherThread.await(() -> {
            world.pass(World.PATIENCE); // in case something is still to be withdrawn
            return closing.isDone();
        });
    }

    /** Closes on this thread, with a store that answers at once. */
    private void closeNow() {
        network.change(Faults.none());
        leasehold.close();
    }

    private <T> CompletableFuture<String> laneOf(CompletableFuture<T> future) {
        assertThat(future).as("before there is a dependent").isNotDone();
        return future.handle((value, error) -> lane);
    }

    /** The value that comes as time passes, in the right lane. */
    private <T> T value(CompletableFuture<T> future) {
        CompletableFuture<String> told = laneOf(future);
        world.pass(LATER);
        assertThat(told).isCompletedWithValue(CALLBACK);
        return future.join();
    }

    /** The same for a failure. */
    private void assertFails(CompletableFuture<?> future, Class<? extends Throwable> failure) {
        CompletableFuture<String> told = laneOf(future);
        world.pass(LATER);
        assertFailed(future, failure, told);
    }

    private static void assertFailed(
            CompletableFuture<?> future,
            Class<? extends Throwable> failure,
            CompletableFuture<String> told) {
        assertThat(told).isCompletedWithValue(CALLBACK);
        assertThat(future.handle((value, error) -> error).join()).isInstanceOf(failure);
    }

    /** A codec that notes in which lanes it was asked. */
    private final class NotingCodec implements Codec<String> {
        final List<String> encoding = new ArrayList<>();
        final List<String> decoding = new ArrayList<>();

        @Override
        public byte[] encode(String value) {
            encoding.add(lane);
            return Codec.strings().encode(value);
        }

        @Override
        public String decode(byte[] bytes) {
            decoding.add(lane);
            if (bytes.length == 0) {
                throw new NoClassDefFoundError("com/example/Gone");
            }
            return Codec.strings().decode(bytes);
        }
    }

    private final NotingCodec codec = new NotingCodec();

    // ---- acquireAsync

    private CompletableFuture<Lease> acquiring() {
        return leasehold.lock("ledger").acquireAsync(WAIT);
    }

    @Test
    void anAcquireThatIsGranted() {
        assertThat(value(acquiring()).scope()).isEqualTo(Scope.name("ledger"));
    }

    @Test
    void anAcquireThatHasWaitedInVain() {
        other.holds("ledger");
        assertFails(acquiring(), LockTimeoutException.class);
    }

    @Test
    void anAcquireThatTheStoreDoesNotAnswer() {
        network.cutOff(true);
        assertFails(acquiring(), OutcomeUnknownException.class);
    }

    @Test
    void anAcquireThatTheStoreTurnsAwayToTheEnd() {
        network.change(Faults.none().delaying(WAY, WAY).turningAway(1));
        assertFails(acquiring(), StoreUnavailableException.class);
    }

    @Test
    void anAcquireThatEndsWithItsLeasehold() {
        other.holds("ledger");
        CompletableFuture<Lease> acquiring = acquiring();
        CompletableFuture<String> told = laneOf(acquiring);
        closeNow();
        assertFailed(acquiring, StoreUnavailableException.class, told);
    }

    // ---- onceAsync

    private Idempotency<String> payments() {
        return leasehold.idempotency(
                "payments", codec, IdempotencyOptions.keeping(DAY).withWait(WAIT));
    }

    private CompletableFuture<Outcome<String>> paying() {
        return payments().onceAsync(PAYMENT, token -> lane);
    }

    private Idempotency<String> paymentsElsewhere() {
        return other.leasehold.idempotency("payments", Codec.strings(), DAY);
    }

    @Test
    void aFirstCallAndItsReplay() {
        assertThat(value(paying()).value()).as("the work").isEqualTo(WORKER);
        assertThat(value(paying()).value()).as("the work").isEqualTo(WORKER);
        assertThat(codec.encoding).containsExactly(WORKER);
        assertThat(codec.decoding).containsExactly(CALLBACK);
    }

    @Test
    void aReplayThatCanNotBeRead() {
        paymentsElsewhere().once(PAYMENT, token -> "");
        assertFails(paying(), NoClassDefFoundError.class);
        assertThat(codec.decoding).containsExactly(CALLBACK);
    }

    @Test
    void aCallWithAnotherPayload() {
        paymentsElsewhere().once(PAYMENT, token -> "paid");
        assertFails(
                payments().onceAsync(IdempotentCall.of("k", Digest.of("11")), token -> ""),
                IdempotencyConflictException.class);
    }

    @Test
    void aCallWhoseWorkFails() {
        assertFails(
                payments().onceAsync(PAYMENT, token -> {
                    throw new IllegalStateException("on purpose");
                }),
                IllegalStateException.class);
    }

    @Test
    void aCallThatWaitsInVainForOneElsewhere() {
        other.holds("payments/k");
        assertFails(paying(), InProgressException.class);
    }

    @Test
    void aCallThatTheStoreDoesNotAnswer() {
        network.cutOff(true);
        assertFails(paying(), OutcomeUnknownException.class);
    }

    @Test
    void aCallWhoseResultTheStoreDoesNotAnswer() {
        CompletableFuture<Outcome<String>> call = payments().onceAsync(PAYMENT, token -> {
            network.cutOff(true);
            return "paid";
        });
        assertFails(call, NotSharedException.class);
    }

    // ---- getAsync

    private SingleFlight<String> reports() {
        return leasehold.singleFlight(
                "reports", codec, SingleFlightOptions.defaults().withWait(WAIT));
    }

    private SingleFlight<String> reportsElsewhere() {
        return other.leasehold.singleFlight(
                "reports", Codec.strings(), SingleFlightOptions.defaults().withKeepFor(DAY));
    }

    private SingleFlight<String> keptReports() {
        return leasehold.singleFlight(
                "reports", codec, SingleFlightOptions.defaults().withKeepFor(DAY));
    }

    @Test
    void aFlightWithTwoCallers() {
        SingleFlight<String> reports = reports();
        CompletableFuture<Flight<String>> first = reports.getAsync("june", token -> lane);
        CompletableFuture<Flight<String>> second = reports.getAsync("june", token -> "again");
        CompletableFuture<String> toldSecond = laneOf(second);
        assertThat(value(first).value()).as("the work").isEqualTo(WORKER);
        assertThat(toldSecond).isCompletedWithValue(CALLBACK);
        assertThat(codec.encoding).containsExactly(WORKER);
    }

    @Test
    void aFlightWithTwoCallersThatFails() {
        SingleFlight<String> reports = reports();
        CompletableFuture<Flight<String>> first = reports.getAsync("june", token -> {
            throw new IllegalStateException("on purpose");
        });
        CompletableFuture<Flight<String>> second = reports.getAsync("june", token -> "again");
        CompletableFuture<String> toldSecond = laneOf(second);
        assertFails(first, WorkFailedException.class);
        assertFailed(second, WorkFailedException.class, toldSecond);
    }

    @Test
    void aFlightThatFindsAValue() {
        reportsElsewhere().get("june", token -> "made");
        assertThat(value(keptReports().getAsync("june", token -> "again")).value())
                .isEqualTo("made");
        assertThat(codec.decoding).containsExactly(CALLBACK);
    }

    @Test
    void aFlightThatFindsAValueWhichCanNotBeRead() {
        reportsElsewhere().get("june", token -> "");
        assertFails(keptReports().getAsync("june", token -> "again"), NoClassDefFoundError.class);
        assertThat(codec.decoding).containsExactly(CALLBACK);
    }

    @Test
    void aFlightThatWaitsInVainForOneElsewhere() {
        other.holds("reports/june");
        assertFails(reports().getAsync("june", token -> "again"), InProgressException.class);
    }

    @Test
    void aFlightThatTheStoreDoesNotAnswer() {
        network.cutOff(true);
        assertFails(reports().getAsync("june", token -> "again"), OutcomeUnknownException.class);
    }

    @Test
    void aFlightThatEndsWithItsLeasehold() {
        other.holds("reports/june");
        CompletableFuture<Flight<String>> flight = reports().getAsync("june", token -> "again");
        CompletableFuture<String> told = laneOf(flight);
        world.pass(WAIT.dividedBy(2));
        closeNow();
        assertFailed(flight, StoreUnavailableException.class, told);
    }

    // ---- losses

    private Lease held() {
        network.change(Faults.none());
        return leasehold.lock("ledger").acquire(Duration.ZERO);
    }

    private List<String> lanesOfLoss(Lease lease) {
        List<String> lanes = new ArrayList<>();
        lease.onLost(loss -> lanes.add(lane));
        return lanes;
    }

    @Test
    void aLossAtTheDeadlineAndWhoeverAsksLater() {
        Lease lease = held();
        List<String> lanes = lanesOfLoss(lease);
        network.cutOff(true);
        world.pass(World.TTL);
        assertThat(lanes).containsExactly(CALLBACK);
        assertThat(lanesOfLoss(lease)).containsExactly(CALLBACK);
    }

    @Test
    void aLossByTheStoresWord() {
        Lease lease = held();
        List<String> lanes = lanesOfLoss(lease);
        assertThat(world.store.forceRelease(lease.scope(), lease.token())).isCompleted();
        world.pass(World.TTL);
        assertThat(lanes).containsExactly(CALLBACK);
    }

    @Test
    void aLossThatIsNoticedByTheHolder() {
        network.change(Faults.none());
        Lease lease = leasehold
                .lock(LockOptions.defaults().withHoldAtMost(WAIT), Scope.name("ledger"))
                .acquire(Duration.ZERO);
        List<String> lanes = lanesOfLoss(lease);
        world.time.suspend(World.TTL.multipliedBy(2));
        assertThat(lease.isValid()).isFalse();
        assertThat(lanes).containsExactly(CALLBACK);
    }

    @Test
    void aBodyThatIsToldOfTheClose() {
        network.change(Faults.none());
        List<String> lanes = new ArrayList<>();
        leasehold.lock("ledger").use(Duration.ZERO, lease -> {
            lease.onLost(loss -> lanes.add(lane));
            closeNow();
        });
        assertThat(lanes).containsExactly(CALLBACK);
    }

    // ---- elections

    @Test
    void termsAndTheirLosses() {
        List<String> lanes = new ArrayList<>();
        List<String> losses = new ArrayList<>();
        leasehold.election("billing", ElectionOptions.defaults().once(), term -> {
            lanes.add(lane);
            term.onLost(loss -> losses.add(lane));
            network.cutOff(true);
            world.pass(World.TTL);
        });
        world.pass(WAIT);
        assertThat(lanes).containsExactly(WORKER);
        assertThat(losses).containsExactly(CALLBACK);
    }

    @Test
    void observersOfAnElection() {
        List<String> lanes = new ArrayList<>();
        leasehold.election("billing").observe(leader -> lanes.add(lane));
        world.pass(WAIT);
        assertThat(lanes).as("at first").hasSize(1);
        Lease office = other.holds("billing");
        world.pass(WAIT);
        assertThat(lanes).as("by an event").hasSize(2);
        network.cutOff(true);
        office.close();
        network.cutOff(false);
        world.pass(World.TTL);
        assertThat(lanes).as("by looking again").hasSize(3).containsOnly(CALLBACK);
    }
}
