// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.Scope;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.server.access.Permission;
import io.leasehold.server.access.Principal;
import io.leasehold.server.engine.OpenedByTest;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What becomes of a lease that is granted to a caller whose permission was revoked meanwhile. */
final class RevokedCallersTest {

    private final VirtualTime time = VirtualTime.create();
    private final LeaseStore store = MemoryLeaseStore.create(TableOptions.defaults(), time);
    private final AtomicInteger failures = new AtomicInteger();
    private final FlakyWithdrawals flaky = new FlakyWithdrawals(store, failures);
    private final LeaseOperations operations = new LeaseOperations(
            OpenedByTest.namespaces(2, Runnable::run, name -> flaky),
            new OperationsOptions(
                    "test",
                    store.guarantees(),
                    OperationsOptions.Bounds.defaults(),
                    new OperationsOptions.Surroundings(
                            time, new SplittableRandom(18), Runnable::run)));
    private final Revocable guest = new Revocable();

    private static final class Revocable implements Principal {
        private boolean revoked;

        @Override
        public String name() {
            return "guest";
        }

        @Override
        public boolean may(Permission permission, String namespace) {
            return !revoked;
        }

        @Override
        public boolean mayEverywhere(Permission permission) {
            return false;
        }
    }

    private CompletableFuture<Acquisition> acquire(long id) {
        return store.acquire(LeaseRequest.of(
                        new LeaseId(0, id),
                        Claim.exclusive(Scope.name("lock")),
                        new Holder("other"),
                        Duration.ofMinutes(10)))
                .toCompletableFuture();
    }

    /** The guest waits for the lock, is revoked, and is granted it then. */
    private Failure.Kind toldAfterRevocation() {
        Grant holder = ((Acquisition.Granted) acquire(1).join()).grant();
        CompletableFuture<AcquireReply> waiting = operations
                .acquire(
                        new Caller(guest, new Delivery()),
                        AcquireRequest.newBuilder()
                                .setLeaseId(new LeaseId(0, 2).reveal())
                                .setHolder("guest")
                                .addScopes("name:lock")
                                .setTtl(com.google.protobuf.Duration.newBuilder()
                                        .setSeconds(600))
                                .setWait(com.google.protobuf.Duration.newBuilder()
                                        .setSeconds(60))
                                .build())
                .toCompletableFuture();
        assertThat(waiting).isNotDone();
        guest.revoked = true;
        assertThat(store.release(holder).toCompletableFuture().join())
                .isInstanceOf(Ending.Ended.class);
        assertThat(waiting).isCompletedExceptionally();
        Throwable told = waiting.handle((reply, failure) -> failure).join();
        Throwable cause = told instanceof CompletionException ? told.getCause() : told;
        assertThat(cause).isInstanceOf(CallFailedException.class);
        return ((CallFailedException) cause).failure().getKind();
    }

    @Test
    void aLeaseThatIsTakenBackAtOnceIsToldAsDenied() {
        assertThat(toldAfterRevocation()).isEqualTo(Failure.Kind.PERMISSION_DENIED);
        assertThat(acquire(3).join()).isInstanceOf(Acquisition.Granted.class);
    }

    @Test
    void aLeaseWhoseAnswerWasLostIsTakenBackToo() {
        flaky.acquiring = acquire -> acquire.get()
                .thenCompose(granted -> CompletableFuture.failedStage(
                        new OutcomeUnknownException("the answer was lost")));
        assertThat(toldAfterRevocation()).isEqualTo(Failure.Kind.PERMISSION_DENIED);
        assertThat(acquire(3).join()).isInstanceOf(Acquisition.Granted.class);
    }

    @Test
    void aLeaseThatCouldNotBeTakenBackIsToldAsUnknown() {
        failures.set(1);
        assertThat(toldAfterRevocation()).isEqualTo(Failure.Kind.OUTCOME_UNKNOWN);
    }

    @Test
    void aLeaseThatCouldNotBeTakenBackIsTakenBackOnceTheStoreAnswers() {
        failures.set(5);
        Failure.Kind unused = toldAfterRevocation();
        assertThat(acquire(3).join()).isInstanceOf(Acquisition.Held.class);
        time.advance(Duration.ofMinutes(1));
        assertThat(acquire(4).join()).isInstanceOf(Acquisition.Granted.class);
        assertThat(failures).hasNegativeValue();
        assertThat(time.pendingTimers()).isZero();
    }

    @Test
    void nothingIsTakenBackAnyMoreAfterTheEnd() {
        failures.set(Integer.MAX_VALUE);
        Failure.Kind unused = toldAfterRevocation();
        operations.close();
        time.advance(Duration.ofMinutes(1));
        assertThat(failures).hasValue(Integer.MAX_VALUE - 1);
    }
}
