// SPDX-License-Identifier: Apache-2.0
package io.leasehold.lincheck;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.table.LeaseTable;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.TestLength;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuarantee;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.verifier.EpsilonVerifier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * No schedule of two threads loses a wake-up. An answer is delivered after the decision was made, so waiting is not
 * linearizable and need not be; what counts is that when both threads are done, everyone has an answer.
 */
final class WaitingTest {

    /** A release, and a waiter that comes at the same time. */
    public static final class Arrival extends Encounter {

        private final Grant grant = holds(1, "a");
        private final LeaseRequest request = request(2, "a");
        private final CompletableFuture<Acquisition> arriving = new CompletableFuture<>();

        public Arrival() {
            super(memory());
        }

        @Override
        void one() {
            store.release(grant);
        }

        @Override
        void other() {
            store.acquire(request).whenComplete((answer, failure) -> arriving.complete(answer));
        }

        @Override
        boolean everyoneIsAnswered() {
            return isGranted(arriving);
        }
    }

    /** A release, and the withdrawal of the waiter that it is for; another waits behind. */
    public static final class Withdrawal extends Encounter {

        private final Grant grant = holds(1, "a");
        private final LeaseRequest request = request(2, "a");
        private final CompletableFuture<Acquisition> leaving = asks(request);
        private final CompletableFuture<Acquisition> staying = asks(request(3, "a"));

        public Withdrawal() {
            super(memory());
        }

        @Override
        void one() {
            store.release(grant);
        }

        @Override
        void other() {
            store.withdraw(request);
        }

        @Override
        boolean everyoneIsAnswered() {
            return leaving.isDone() && isGranted(staying);
        }
    }

    /** Two releases, each with a waiter, and perhaps one thread to deliver both answers. */
    public static final class TwoAnswers extends Encounter {

        private final Grant left = holds(1, "a");
        private final Grant right = holds(2, "b");
        private final CompletableFuture<Acquisition> forLeft = asks(request(3, "a"));
        private final CompletableFuture<Acquisition> forRight = asks(request(4, "b"));

        public TwoAnswers() {
            super(memory());
        }

        @Override
        void one() {
            store.release(left);
        }

        @Override
        void other() {
            store.release(right);
        }

        @Override
        boolean everyoneIsAnswered() {
            return isGranted(forLeft) && isGranted(forRight);
        }
    }

    /** Two releases, and a waiter for both scopes. */
    public static class Spanning extends Encounter {

        private final Grant left = holds(1, "a");
        private final Grant right = holds(2, "b");
        private final CompletableFuture<Acquisition> forBoth = asks(request(3, "a", "b"));

        public Spanning() {
            this(memory());
        }

        Spanning(LeaseStore store) {
            super(store);
        }

        @Override
        void one() {
            store.release(left);
        }

        @Override
        void other() {
            store.release(right);
        }

        @Override
        boolean everyoneIsAnswered() {
            return isGranted(forBoth);
        }
    }

    /** The same on a store that locks the stripe of what is released, but not those its waiter reaches into. */
    public static final class SpanningWithTooFewLocks extends Spanning {
        public SpanningWithTooFewLocks() {
            super(TableStore.lockingOneStripe(new StillTime()));
        }
    }

    @Test
    @Tag("long")
    void aReleaseAndAWaiterNeverMissEachOther() {
        modelChecking(300).addGuarantee(rulesAreAtomic()).check(Arrival.class);
    }

    @Test
    @Tag("long")
    void aWaiterWithdrawnWhileItIsGrantedLeavesTheLockToTheNext() {
        modelChecking(300).addGuarantee(rulesAreAtomic()).check(Withdrawal.class);
    }

    @Test
    @Tag("long")
    void twoReleasesAtOnceDeliverBothAnswers() {
        modelChecking(300).addGuarantee(rulesAreAtomic()).check(TwoAnswers.class);
    }

    @Test
    void aWaiterForTwoScopesIsGrantedWhicheverIsFreedLast() {
        new StressOptions()
                .iterations(1)
                .invocationsPerIteration(TestLength.of(500, 2000))
                .threads(2)
                .actorsPerThread(1)
                .actorsBefore(0)
                .actorsAfter(0)
                .verifier(EpsilonVerifier.class)
                .check(Spanning.class);
    }

    /** The check bites: the lock of one stripe does not protect a waiter that spans two. */
    @Test
    @Tag("long")
    void aStoreThatLocksTooLittleIsFoundOut() {
        assertThatThrownBy(() -> modelChecking(1000).check(SpanningWithTooFewLocks.class))
                .isInstanceOf(LincheckAssertionError.class);
    }

    private static ModelCheckingOptions modelChecking(int schedules) {
        return new ModelCheckingOptions()
                .iterations(1)
                .invocationsPerIteration(schedules)
                .threads(2)
                .actorsPerThread(1)
                .actorsBefore(0)
                .actorsAfter(0)
                .minimizeFailedScenario(false)
                .verifier(EpsilonVerifier.class); // the validation says all there is to say
    }

    /** Leaves the schedules to what drives the rules: that it locks them well is checked by the others. */
    private static ManagedStrategyGuarantee rulesAreAtomic() {
        return ManagedStrategyGuaranteeKt.forClasses(LeaseTable.class.getName())
                .allMethods()
                .treatAsAtomic();
    }

    private static LeaseStore memory() {
        return MemoryLeaseStore.create(TableOptions.defaults(), new StillTime());
    }
}
