// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
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
 * Tells whether the stores would grant a lease now, by asking for one that was withdrawn before: such a
 * request passes all that a grant passes and is refused in the end, so that no token is drawn and no
 * event told. Asked are the store of the default namespace, those that failed before, and a few of the
 * others that are open, in turn. They are asked at most once a second, however many want to know, and
 * not again before all have answered; nobody waits for longer than two seconds. Thread-safe.
 */
public final class Readiness {

    private static final Logger LOG = LoggerFactory.getLogger(Readiness.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** Of the other stores, in one question. */
    private static final int OTHERS = 4;

    private final Stores stores;
    private final Time time;
    private final LeaseRequest probe;
    private final AtomicBoolean well = new AtomicBoolean(true);
    private final AtomicReference<Question> last;

    private final Set<String> failing = new TreeSet<>(); // by this, as the next
    private String lastAsked = "";

    /**
     * The stores of a server.
     *
     * @param first may have to be opened
     * @param others that are open, by namespace
     */
    public record Stores(
            Supplier<CompletionStage<LeaseStore>> first,
            Supplier<Map<String, LeaseStore>> others) {}

    /** Readiness of these stores. */
    public Readiness(Stores stores, Time time, RandomGenerator random) {
        this.stores = stores;
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

    /** Those that failed when they were asked last, and the next few of the others in turn. */
    private synchronized Map<String, LeaseStore> next(Map<String, LeaseStore> open) {
        failing.retainAll(open.keySet());
        Set<String> names = new LinkedHashSet<>(failing);
        TreeMap<String, LeaseStore> sorted = new TreeMap<>(open);
        for (int i = 0; i < OTHERS && !sorted.isEmpty(); i++) {
            String following = sorted.higherKey(lastAsked);
            lastAsked = following == null ? sorted.firstKey() : following;
            names.add(lastAsked);
        }
        sorted.keySet().retainAll(names);
        return sorted;
    }

    private synchronized void noted(String namespace, boolean failed) {
        if (!failed) {
            failing.remove(namespace);
        } else if (failing.size() < OTHERS) {
            failing.add(namespace);
        }
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
            List<CompletableFuture<Void>> all = new ArrayList<>();
            try {
                all.add(stores.first()
                        .get()
                        .thenCompose(store -> grants(store))
                        .toCompletableFuture());
                next(stores.others().get())
                        .forEach((namespace, store) ->
                                all.add(grants(namespace, store).toCompletableFuture()));
            } catch (RuntimeException | Error e) {
                all.add(CompletableFuture.failedFuture(e));
            }
            return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
        }

        /** Fails if the store would not grant a lease. */
        private CompletionStage<Void> grants(LeaseStore open) {
            return open.withdraw(probe)
                    .thenCompose(withdrawn -> open.acquire(probe))
                    .thenCompose(answer -> givenBack(open, answer));
        }

        /** The same for the store of a namespace that is open still. */
        private CompletionStage<Void> grants(String namespace, LeaseStore open) {
            return grants(open).handle((done, failure) -> {
                boolean closed = stores.others().get().get(namespace) != open;
                noted(namespace, failure != null && !closed);
                if (failure != null && !closed) {
                    throw new StoreUnavailableException(
                            "namespace '" + namespace + "': " + message(failure));
                }
                return null;
            });
        }

        /** A store that forgot the withdrawal in between grants the lease after all. */
        private CompletionStage<Void> givenBack(LeaseStore open, Acquisition answer) {
            return answer instanceof Acquisition.Granted granted
                    ? open.release(granted.grant()).thenAccept(ending -> {})
                    : CompletableFuture.completedFuture(null);
        }

        void answered(@Nullable Throwable failure) {
            over.complete(null);
            tell(failure == null ? null : message(failure));
        }

        private static String message(Throwable failure) {
            Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                    ? failure.getCause()
                    : failure;
            return String.valueOf(cause.getMessage());
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
