// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Codec;
import io.leasehold.Digest;
import io.leasehold.Election;
import io.leasehold.ElectionOptions;
import io.leasehold.Flight;
import io.leasehold.Idempotency;
import io.leasehold.IdempotencyOptions;
import io.leasehold.IdempotentCall;
import io.leasehold.Leader;
import io.leasehold.Lease;
import io.leasehold.Outcome;
import io.leasehold.SingleFlight;
import io.leasehold.SingleFlightOptions;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.NotSharedException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.WorkFailedException;
import io.leasehold.spi.LeaseView;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Code that is not ours throws what it likes. Whatever that is, the lease it ran under is given
 * back, and whoever waits is told.
 */
final class ForeignCodeTest {

    private static final IdempotentCall PAYMENT = IdempotentCall.of("k", Digest.of("10"));
    private static final Duration DAY = Duration.ofDays(1);

    private final World world = World.create();
    private final List<Node> nodes = new ArrayList<>();
    private final Node alice = node("alice", Runnable::run);

    private Node node(String name, Executor workers) {
        Node node = Node.working(world, name, workers);
        nodes.add(node);
        return node;
    }

    @AfterEach
    void close() {
        nodes.forEach(node -> {
            node.wire.beforeSending = () -> {};
            Node.closeWithoutWaiting(node.leasehold);
        });
    }

    static List<Throwable> anything() {
        return List.of(
                new IllegalStateException("a bug"),
                new NoClassDefFoundError("com/example/Gone"),
                new StackOverflowError(),
                new IOException("nobody declared it"));
    }

    /** Throws it, although nobody declared it. */
    @SuppressWarnings("unchecked")
    private static <X extends Throwable> RuntimeException sneak(Throwable thrown) throws X {
        throw (X) thrown;
    }

    private static Codec<String> codec(@Nullable Throwable whenEncoding, Throwable whenDecoding) {
        return new Codec<>() {
            @Override
            public byte[] encode(String value) {
                if (whenEncoding == null) {
                    return Codec.strings().encode(value);
                }
                throw ForeignCodeTest.<RuntimeException>sneak(whenEncoding);
            }

            @Override
            public String decode(byte[] bytes) {
                throw ForeignCodeTest.<RuntimeException>sneak(whenDecoding);
            }
        };
    }

    private Idempotency<String> payments(Codec<String> codec) {
        return alice.leasehold.idempotency("payments", codec, DAY);
    }

    private SingleFlight<String> reports(Codec<String> codec) {
        SingleFlightOptions kept = SingleFlightOptions.defaults().withKeepFor(DAY);
        return alice.leasehold.singleFlight("reports", codec, kept);
    }

    private static Throwable failure(CompletableFuture<?> future) {
        assertThat(future).isCompletedExceptionally();
        return future.handle((value, error) -> error).join();
    }

    /** Nothing is held, now or after any number of renewals. */
    private void assertNothingIsHeld() {
        assertThat(world.leases()).noneMatch(view -> view.state() == LeaseView.State.HELD);
        assertThat(world.time.pendingTimers()).isZero();
    }

    @ParameterizedTest
    @MethodSource("anything")
    void aCodecThatFailsToEncodeEndsAnIdempotentCall(Throwable thrown) {
        Idempotency<String> payments = payments(codec(thrown, thrown));
        assertThatThrownBy(() -> payments.once(PAYMENT, token -> "paid"))
                .isInstanceOf(NotSharedException.class)
                .hasCause(thrown);
        assertNothingIsHeld();

        CompletableFuture<Outcome<String>> call = payments.onceAsync(PAYMENT, token -> "paid");
        assertThat(failure(call)).isInstanceOf(NotSharedException.class).hasCause(thrown);
        assertNothingIsHeld();
    }

    @ParameterizedTest
    @MethodSource("anything")
    void aCodecThatFailsToEncodeEndsAFlight(Throwable thrown) {
        CompletableFuture<Flight<String>> flight =
                reports(codec(thrown, thrown)).getAsync("june", token -> "made");
        assertThat(failure(flight)).isInstanceOf(NotSharedException.class).hasCause(thrown);
        assertNothingIsHeld();
    }

    @ParameterizedTest
    @MethodSource("anything")
    void aCodecThatFailsToDecodeEndsTheCallThatFoundARecord(Throwable thrown) {
        payments(Codec.strings()).once(PAYMENT, token -> "paid");
        reports(Codec.strings()).get("june", token -> "made");

        assertThat(failure(payments(codec(null, thrown)).onceAsync(PAYMENT, token -> "again")))
                .isSameAs(thrown);
        assertThat(failure(reports(codec(null, thrown)).getAsync("june", token -> "again")))
                .isSameAs(thrown);
        assertNothingIsHeld();
    }

    /** An exception with a bug of its own. */
    private static final class Unspeakable extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message");
        }
    }

    @Test
    void anExceptionWhoseMessageFailsEndsWhatItWasThrownFrom() {
        Unspeakable thrown = new Unspeakable();
        CompletableFuture<Flight<String>> flight = reports(Codec.strings())
                .getAsync("june", token -> {
                    throw thrown;
                });
        assertThat(failure(flight)).isInstanceOf(WorkFailedException.class);
        assertThat(failure(flight).getCause()).isSameAs(thrown);
        assertNothingIsHeld();

        IdempotencyOptions remembering =
                IdempotencyOptions.keeping(DAY).remembering(Unspeakable.class);
        CompletableFuture<Outcome<String>> call = alice.leasehold
                .idempotency("payments", Codec.strings(), remembering)
                .onceAsync(PAYMENT, token -> {
                    throw thrown;
                });
        assertThat(failure(call)).isSameAs(thrown);
        assertNothingIsHeld();
    }

    /** An exception with a bug that the JVM must see. */
    private static final class Endless extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new OutOfMemoryError("Java heap space");
        }
    }

    @Test
    void anExceptionWhoseMessageNeedsTooMuchMemoryEndsWhatItWasThrownFrom() {
        Endless thrown = new Endless();
        List<Runnable> begun = new ArrayList<>();
        Node bob = node("bob", begun::add);
        CompletableFuture<Flight<String>> flight = bob.leasehold
                .singleFlight("reports", Codec.strings())
                .getAsync("june", token -> {
                    throw thrown;
                });
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(begun.remove(0)::run);
        assertThat(failure(flight)).isSameAs(thrown);
        assertNothingIsHeld();

        Idempotency<String> payments = bob.leasehold.idempotency(
                "payments",
                Codec.strings(),
                IdempotencyOptions.keeping(DAY).remembering(Endless.class));
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> payments.once(PAYMENT, token -> {
                    throw thrown;
                }));
        assertNothingIsHeld();
        CompletableFuture<Outcome<String>> call = payments.onceAsync(PAYMENT, token -> {
            throw thrown;
        });
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(begun.remove(0)::run);
        assertThat(failure(call)).isSameAs(thrown);
        assertNothingIsHeld();
    }

    @Test
    void workForWhichThereIsNoThreadGivesItsLeaseBack() {
        Error noThread = new OutOfMemoryError("unable to create native thread");
        Node bob = node("bob", task -> {
            throw noThread;
        });
        CompletableFuture<Outcome<String>> call = bob.leasehold
                .idempotency("payments", Codec.strings(), DAY)
                .onceAsync(PAYMENT, token -> "paid");
        assertThat(failure(call)).isSameAs(noThread);
        CompletableFuture<Flight<String>> flight = bob.leasehold
                .singleFlight("reports", Codec.strings())
                .getAsync("june", token -> "made");
        assertThat(failure(flight)).isSameAs(noThread);
        assertNothingIsHeld();
    }

    @Test
    void workThatIsTurnedAwayIsToldByItsName() {
        Node bob = node("bob", task -> {
            throw new RejectedExecutionException("full");
        });
        CompletableFuture<Flight<String>> flight = bob.leasehold
                .singleFlight("reports", Codec.strings())
                .getAsync("june", token -> "made");
        assertThat(failure(flight))
                .isInstanceOf(LimitExceededException.class)
                .hasMessageContaining("'reports/june'");
        assertNothingIsHeld();
    }

    @Test
    void aCandidateForWhichThereIsNoThreadLeavesTheOfficeToOthersAndTriesAgain() {
        List<Runnable> begun = new ArrayList<>();
        boolean[] noThread = {true};
        Node bob = node("bob", task -> {
            if (noThread[0]) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            begun.add(task);
        });
        Election election = bob.leasehold.election("billing", term -> {});
        assertThat(world.leases()).isEmpty();

        noThread[0] = false;
        world.pass(Duration.ofSeconds(10));

        assertThat(begun).hasSize(1);
        begun.get(0).run();
        election.close();
    }

    @Test
    void aBodyOfAnElectionThatEndsInAFatalErrorGivesTheOfficeBack() {
        Election election =
                alice.leasehold.election("billing", ElectionOptions.defaults().once(), term -> {
                    throw new OutOfMemoryError("Java heap space");
                });
        assertThat(election.term()).isEmpty();
        assertNothingIsHeld();
    }

    @Test
    void aStoreThatThrowsAnErrorOnTheTimersThreadDoesNotKeepItsCallerWaiting() {
        alice.network.cutOff(true);
        CompletableFuture<Lease> acquiring =
                alice.lock("ledger").acquireAsync(Duration.ofSeconds(1));
        alice.wire.beforeSending = () -> {
            throw new NoClassDefFoundError("com/example/Gone");
        };
        world.pass(Duration.ofSeconds(1).plus(World.PATIENCE));
        assertThat(failure(acquiring)).isInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void aStoreThatThrowsAnErrorIsAskedAgain() {
        int[] calls = {0};
        alice.wire.beforeSending = () -> {
            if (calls[0]++ < 3) {
                throw new NoClassDefFoundError("com/example/Gone");
            }
        };
        CompletableFuture<Lease> acquiring =
                alice.lock("ledger").acquireAsync(Duration.ofSeconds(10));
        world.pass(Duration.ofSeconds(10));
        Node.obtained(acquiring).close();
    }

    @Test
    @SuppressWarnings("NullAway") // it is about work that does what it must not
    void workThatReturnsNullIsToldWhatToUse() {
        Idempotency<String> payments = payments(Codec.strings());
        assertThatThrownBy(() -> payments.once(PAYMENT, token -> null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("Codec.nothing()");
        assertNothingIsHeld();
    }

    @Test
    void aListenerThatThrowsAnErrorIsToldAgain() {
        List<Optional<Leader>> told = new ArrayList<>();
        alice.leasehold.election("billing").observe(leader -> {
            told.add(leader);
            throw new NoClassDefFoundError("com/example/Gone");
        });
        Lease first = alice.holds("billing");
        first.close();
        assertThat(told).hasSize(3);
    }

    @Test
    void oneListenerOfALossThatFailsDoesNotSilenceTheOthers() {
        List<String> told = new ArrayList<>();
        Lease lease = alice.holds("ledger");
        for (String name : List.of("one", "two", "three")) {
            lease.onLost(loss -> {
                told.add(name);
                throw new NoClassDefFoundError("com/example/Gone");
            });
        }
        alice.network.cutOff(true);
        world.pass(World.TTL);
        assertThat(told).containsExactlyInAnyOrder("one", "two", "three");
    }
}
