// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells whether a store would grant a lease now, by asking for one that was withdrawn before: such a
 * request passes all that a grant passes and is refused in the end, so that no token is drawn and no
 * event told. The store is asked at most once a second, however many want to know, and not again
 * before it has answered; nobody waits for longer than two seconds. Thread-safe.
 */
public final class Readiness {

    private static final Logger LOG = LoggerFactory.getLogger(Readiness.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Supplier<CompletionStage<LeaseStore>> store;
    private final Time time;
    private final LeaseRequest probe;
    private final AtomicBoolean well = new AtomicBoolean(true);
    private final AtomicReference<Question> last;

    /** Readiness of a store that may have to be opened. */
    public Readiness(
            Supplier<CompletionStage<LeaseStore>> store, Time time, RandomGenerator random) {
        this.store = store;
        this.time = time;
        this.probe = LeaseRequest.of(
                new LeaseId(random.nextLong(), random.nextLong()),
                Claim.exclusive(Scope.name("leasehold-readiness")),
                new Holder("leasehold-readiness"),
                Duration.ofSeconds(1));
        Question none = new Question(time.nanos() - PAUSE.toNanos());
        none.answered(null);
        this.last = new AtomicReference<>(none);
    }

    /** Completes within two seconds. */
    public CompletionStage<Health> health() {
        Question latest = last();
        long now = time.nanos();
        if (latest.isOver() && now - latest.askedAt >= PAUSE.toNanos()) {
            Question next = new Question(now);
            if (last.compareAndSet(latest, next)) {
                next.ask();
            }
        }
        return last().health;
    }

    private Question last() {
        return Objects.requireNonNull(last.get());
    }

    private final class Question {

        final long askedAt;
        final CompletableFuture<Health> health = new CompletableFuture<>();
        private final CompletableFuture<Void> over = new CompletableFuture<>();

        Question(long askedAt) {
            this.askedAt = askedAt;
        }

        boolean isOver() {
            return over.isDone();
        }

        void ask() {
            Time.Timer timer = time.schedule(
                    PATIENCE,
                    () -> tell("it did not answer within " + PATIENCE.toSeconds() + " s"));
            CompletionStage<?> unused = asked().whenComplete((done, failure) -> {
                timer.cancel();
                answered(failure);
            });
        }

        private CompletionStage<Void> asked() {
            try {
                return store.get()
                        .thenCompose(open -> open.withdraw(probe)
                                .thenCompose(withdrawn -> open.acquire(probe))
                                .thenCompose(answer -> givenBack(open, answer)));
            } catch (RuntimeException | Error e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        /** A store that forgot the withdrawal in between grants the lease after all. */
        private CompletionStage<Void> givenBack(LeaseStore open, Acquisition answer) {
            return answer instanceof Acquisition.Granted granted
                    ? open.release(granted.grant()).thenAccept(ending -> {})
                    : CompletableFuture.completedFuture(null);
        }

        void answered(@Nullable Throwable failure) {
            over.complete(null);
            Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                    ? failure.getCause()
                    : failure;
            tell(cause == null ? null : String.valueOf(cause.getMessage()));
        }

        private void tell(@Nullable String problem) {
            if (!health.complete(problem == null ? Health.SERVING : Health.STORE_UNAVAILABLE)) {
                return;
            }
            if (problem != null && well.compareAndSet(true, false)) {
                LOG.warn("not ready: the store would not grant a lease: {}", problem);
            } else if (problem == null && well.compareAndSet(false, true)) {
                LOG.info("ready: the store would grant a lease again");
            }
        }
    }
}
