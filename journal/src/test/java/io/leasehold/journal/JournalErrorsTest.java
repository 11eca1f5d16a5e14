// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Time;
import io.leasehold.spi.TokenCheck;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** An operation that fails in the middle costs its caller the answer, and nobody else anything. */
final class JournalErrorsTest {

    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration LONG = Duration.ofMinutes(10);

    private final VirtualTime virtual = VirtualTime.create();
    private final InlineThreads inline = new InlineThreads();
    private boolean alarmsAreSlow;
    private boolean noTimer; // the next time that one is asked for
    private boolean noWriter;
    private final JournalLeaseStore store = JournalLeaseStore.open(
            Stores.DIRECTORY,
            Stores.SMALL,
            new Surroundings(new Failing(), Stores.disk(1), FailingThreads::new));

    private static OutOfMemoryError noThread() {
        return new OutOfMemoryError("unable to create native thread");
    }

    private final class Failing implements Time {
        @Override
        public long nanos() {
            return virtual.nanos();
        }

        @Override
        public long wallMillis() {
            return virtual.wallMillis();
        }

        @Override
        public Timer schedule(Duration delay, Runnable task) {
            if (noTimer) {
                noTimer = false;
                throw noThread();
            }
            return virtual.schedule(delay, task);
        }
    }

    private final class FailingThreads implements Surroundings.Threads {
        @Override
        public Executor writer() {
            return task -> {
                if (noWriter) {
                    noWriter = false;
                    throw noThread();
                }
                inline.writer().execute(task);
            };
        }

        @Override
        public Executor housekeeper() {
            return inline.housekeeper();
        }

        @Override
        public Executor alarms() {
            return task -> {
                if (!alarmsAreSlow) {
                    task.run();
                }
            };
        }

        @Override
        public void close() {
            inline.close();
        }
    }

    private CompletionStage<Acquisition> acquire(long number, String name) {
        return store.acquire(World.request(number, name, TTL));
    }

    @Test
    @SuppressWarnings("NullAway") // the mistake that is tested
    void anOperationThatFailsAfterAGrantWasRecordedHoldsUpNobody() {
        Grant first = World.granted(acquire(1, "ledger"));
        CompletionStage<Acquisition> waiter =
                store.acquire(World.request(2, "ledger", TTL).waitingAtMost(LONG));
        alarmsAreSlow = true;
        virtual.advance(TTL);

        // lets the first lease run out, grants to the waiter, and then fails
        CompletionStage<TokenCheck> check = store.check(Scope.name("ledger"), null);

        assertThat(World.failure(check))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasCauseInstanceOf(NullPointerException.class);
        assertThat(World.granted(waiter).token().value())
                .isEqualTo(first.token().value() + 1);
        assertThat(World.granted(acquire(3, "other"))).isNotNull();
        store.close();
    }

    @Test
    void whatWasGrantedIsWrittenThoughNoTimerCanBeSet() {
        virtual.advance(LONG); // nothing is due any more
        inline.writer.hold();
        noTimer = true;
        assertThatThrownBy(() -> acquire(1, "ledger")).isInstanceOf(OutOfMemoryError.class);
        assertThat(inline.writer.runOne()).as("the writer was set going").isTrue();
        inline.writer.letGo();

        assertThat(World.granted(acquire(2, "other"))).isNotNull();
        assertThat(World.granted(acquire(1, "ledger")).token().value()).isEqualTo(1);
        store.close();
    }

    @Test
    void aWriterThatCouldNotBeSetGoingIsSetGoingByTheNextOperation() {
        noWriter = true;
        assertThatThrownBy(() -> acquire(1, "ledger")).isInstanceOf(OutOfMemoryError.class);

        assertThat(World.granted(acquire(2, "other"))).isNotNull();
        assertThat(World.granted(acquire(1, "ledger")).token().value()).isEqualTo(1);
        store.close();
    }
}
