// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.engine;

import io.leasehold.model.LimitExceededException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One store for each namespace, opened when it is first needed, off the caller's thread. A store
 * that can't be opened is tried again by the next call. One that nobody uses is closed after a
 * while, if its engine loses nothing by that, and opened again by the next call.
 *
 * <p>Readers may name namespaces that are nobody's, and on some engines a store must be opened to
 * know that it is empty. Stores that were opened to read and not used otherwise since have a share
 * of the places, and give theirs up to whoever needs one. Thread-safe.
 */
public final class Namespaces implements AutoCloseable {

    /** The namespace of callers who name none. */
    public static final String DEFAULT = "default";

    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9._-]{0,62}");

    private final Engine engine;
    private final Bounds bounds;
    private final Time time;
    private final Executor opener;
    private final boolean resting;
    private final ConcurrentHashMap<Key, CompletableFuture<LeaseStore>> stores =
            new ConcurrentHashMap<>();
    /** Those of the stores, open or closing, that were only read so far. */
    private final Set<Key> onlyRead = ConcurrentHashMap.newKeySet();

    private final Map<Key, CompletableFuture<Void>> closing = new HashMap<>(); // guarded by this
    private final Map<String, List<Expectant>> expected = new HashMap<>(); // by this
    private boolean closed; // guarded by this, as the next
    private Time.Timer looking = () -> {};

    private record Key(String namespace, Engine.Purpose purpose) {}

    /** What a store is wanted for. */
    enum Use {
        READ,
        /** Also to read the marks of guards, which takes the permission to raise them. */
        CHANGE
    }

    /**
     * How many namespaces there may be, and for how long.
     *
     * @param most how many may be open at one time, with leases, marks of guards or both; a quarter
     *     of them because somebody reads
     * @param idle after so long one that nobody uses is closed, but for the default one; zero keeps
     *     all of them open
     */
    public record Bounds(int most, Duration idle) {

        int mostOnlyRead() {
            return Math.max(1, most / 4);
        }
    }

    Namespaces(Engine engine, Bounds bounds, Time time, Executor opener) {
        this.engine = engine;
        this.bounds = bounds;
        this.time = time;
        this.opener = opener;
        this.resting = engine.rest() != Engine.Rest.NEVER && !bounds.idle().isZero();
        if (resting) {
            lookForUnused();
        }
    }

    /**
     * The namespaces of the engine at the address, none of them open yet.
     *
     * @param opener on which stores are opened and closed, which may block
     */
    public static Namespaces at(StoreAddress address, Time time, Bounds bounds, Executor opener) {
        return new Namespaces(Engines.at(address, time), bounds, time, opener);
    }

    /**
     * The name as given, or the default one.
     *
     * @throws IllegalArgumentException if it can't be one
     */
    public static String name(String given) {
        if (given.isEmpty()) {
            return DEFAULT;
        }
        if (!NAME.matcher(given).matches()) {
            throw new IllegalArgumentException("a namespace has 1 to 63 of a-z 0-9 . _ -,"
                    + " and begins with a letter or a digit");
        }
        return given;
    }

    /** The store of leases, opened if need be. */
    public CompletionStage<LeaseStore> leases(String namespace) {
        return store(new Key(namespace, Engine.Purpose.LEASES), Use.CHANGE);
    }

    /** The store of guards' marks, opened if need be. */
    public CompletionStage<LeaseStore> guards(String namespace) {
        return store(new Key(namespace, Engine.Purpose.GUARDS), Use.CHANGE);
    }

    /** The store of leases for a reader: nothing if nothing can be in it. */
    public Optional<CompletionStage<LeaseStore>> leasesIfAny(String namespace) {
        Key key = new Key(namespace, Engine.Purpose.LEASES);
        return stores.containsKey(key) || engine.mayHold(namespace, Engine.Purpose.LEASES)
                ? Optional.of(store(key, Use.READ))
                : Optional.empty();
    }

    /** The store of leases, if it is open. */
    public Optional<LeaseStore> leasesIfOpen(String namespace) {
        CompletableFuture<LeaseStore> store = stores.get(new Key(namespace, Engine.Purpose.LEASES));
        return store != null && store.isDone() && !store.isCompletedExceptionally()
                ? Optional.of(store.join())
                : Optional.empty();
    }

    /**
     * Tells of the store of leases as soon as it is open, before any caller has it. One in which
     * something may be is opened for it. Returns at once: the expectant is told on the opener.
     */
    public Expectation whenOpen(String namespace, Expectant expectant) {
        synchronized (this) {
            expected.computeIfAbsent(namespace, name -> new ArrayList<>()).add(expectant);
        }
        try {
            opener.execute(() -> look(namespace, expectant));
        } catch (RuntimeException | Error e) {
            fail(namespace, expectant, whyNot(e));
        }
        return () -> forget(namespace, expectant);
    }

    /** Told of a store by {@link #whenOpen}, on a thread that may block. */
    public interface Expectant {

        /**
         * The store is open. Called at most once; whatever this throws goes to {@link #failed} and
         * to nobody else.
         */
        void opened(LeaseStore store);

        /** Nothing can be in the store, so it stays closed until a caller needs it. */
        void absent();

        /** The store can't be opened, or {@link #opened} failed. Nothing more is told. */
        void failed(Throwable cause);
    }

    /** Someone who is to be told of a store. */
    public interface Expectation {
        /** Forgets about it, unless it was told. */
        void cancel();
    }

    private void look(String namespace, Expectant expectant) {
        if (!isExpected(namespace, expectant)) {
            return;
        }
        try {
            leasesIfAny(namespace)
                    .ifPresentOrElse(
                            opening -> tellOnceOpen(namespace, expectant, opening),
                            expectant::absent);
        } catch (RuntimeException | Error e) {
            fail(namespace, expectant, e);
        }
    }

    private void tellOnceOpen(
            String namespace, Expectant expectant, CompletionStage<LeaseStore> opening) {
        CompletionStage<LeaseStore> unused = opening.whenCompleteAsync(
                (store, failure) -> {
                    if (failure != null) {
                        fail(namespace, expectant, failure);
                    } else if (forget(namespace, expectant)) {
                        tell(expectant, store);
                    }
                },
                opener);
    }

    private static void tell(Expectant expectant, LeaseStore store) {
        try {
            expectant.opened(store);
        } catch (RuntimeException | Error e) {
            expectant.failed(e);
        }
    }

    private void fail(String namespace, Expectant expectant, Throwable cause) {
        if (forget(namespace, expectant)) {
            expectant.failed(cause);
        }
    }

    private synchronized boolean isExpected(String namespace, Expectant expectant) {
        return expected.getOrDefault(namespace, List.of()).contains(expectant);
    }

    /** Whether it was still to be told. */
    private synchronized boolean forget(String namespace, Expectant expectant) {
        List<Expectant> expectants = expected.get(namespace);
        if (expectants == null || !expectants.remove(expectant)) {
            return false;
        }
        if (expectants.isEmpty()) {
            expected.remove(namespace);
        }
        return true;
    }

    /**
     * The stores of leases that are open now, by namespace but for the default one, for looking at:
     * that does not count as a use.
     */
    public Map<String, LeaseStore> others() {
        Map<String, LeaseStore> open = new TreeMap<>();
        stores.forEach((key, opening) -> {
            if (key.purpose() == Engine.Purpose.LEASES
                    && !key.namespace().equals(DEFAULT)
                    && opening.isDone()
                    && !opening.isCompletedExceptionally()) {
                LeaseStore store = opening.join();
                open.put(
                        key.namespace(),
                        store instanceof CountedStore counted ? counted.uncounted() : store);
            }
        });
        return open;
    }

    /** After how long what nobody uses is closed, if at all. */
    public Optional<Duration> idle() {
        return resting ? Optional.of(bounds.idle()) : Optional.empty();
    }

    /** Carries out what may block. */
    public void execute(Runnable task) {
        opener.execute(task);
    }

    private CompletableFuture<LeaseStore> store(Key key, Use use) {
        CompletableFuture<LeaseStore> store = stores.get(key);
        if (store == null) {
            return open(key, use, bounds.mostOnlyRead());
        }
        if (use == Use.CHANGE) {
            onlyRead.remove(key);
        }
        return store;
    }

    /**
     * Opens a store unless it is open.
     *
     * @param tries how many others may be closed in turn to make room for it
     */
    private CompletableFuture<LeaseStore> open(Key key, Use use, int tries) {
        CompletableFuture<LeaseStore> opening = new CompletableFuture<>();
        Optional<LimitExceededException> tooMany;
        synchronized (this) {
            if (stores.containsKey(key)) {
                return store(key, use);
            } else if (closed) {
                return CompletableFuture.failedFuture(closed());
            }
            CompletableFuture<Void> gone = closing.get(key);
            if (gone != null) {
                return gone.thenCompose(nothing -> store(key, use));
            }
            tooMany = tooMany(key, use);
            if (tooMany.isEmpty()) {
                if (use == Use.READ) {
                    onlyRead.add(key);
                }
                stores.put(key, opening);
            }
        }
        if (tooMany.isPresent()) {
            LimitExceededException refusal = tooMany.get();
            return (tries == 0 ? Optional.<CompletableFuture<Void>>empty() : roomOfOneOnlyRead())
                    .map(room -> room.thenCompose(nothing -> open(key, use, tries - 1)))
                    .orElseGet(() -> CompletableFuture.failedFuture(refusal));
        }
        try {
            opener.execute(() -> open(key, opening));
        } catch (RuntimeException | Error e) {
            notOpened(key, opening, whyNot(e));
        }
        return opening;
    }

    private void open(Key key, CompletableFuture<LeaseStore> opening) {
        try {
            LeaseStore store = engine.open(key.namespace(), key.purpose());
            hand(
                    key,
                    resting ? new CountedStore(store, time, use -> store(key, use)) : store,
                    opening);
        } catch (RuntimeException | Error e) {
            notOpened(key, opening, e);
        }
    }

    private void notOpened(Key key, CompletableFuture<LeaseStore> opening, Throwable cause) {
        synchronized (this) {
            if (stores.remove(key, opening)) {
                onlyRead.remove(key);
            }
        }
        opening.completeExceptionally(cause);
    }

    private void hand(Key key, LeaseStore store, CompletableFuture<LeaseStore> opening) {
        // nobody else has it yet, so that those who expect it miss nothing
        while (true) {
            List<Expectant> expectants = List.of();
            synchronized (this) {
                if (key.purpose() == Engine.Purpose.LEASES) {
                    expectants = expected.remove(key.namespace());
                }
                if (expectants == null || expectants.isEmpty()) {
                    break;
                }
            }
            expectants.forEach(expectant -> tell(expectant, store));
        }
        if (!opening.complete(store)) {
            store.close();
        }
    }

    /** A namespace that is open for leases or marks is open for the other as well. */
    private Optional<LimitExceededException> tooMany(Key wanted, Use use) {
        int share = bounds.mostOnlyRead();
        if (use == Use.READ && onlyRead.size() >= share) {
            return Optional.of(new LimitExceededException(
                    "namespaces that are only read",
                    share,
                    share + " namespaces are open that are only read, which is the most"));
        }
        Set<String> open = new HashSet<>();
        stores.keySet().forEach(key -> open.add(key.namespace()));
        closing.keySet().forEach(key -> open.add(key.namespace()));
        int most = bounds.most();
        return open.size() < most || open.contains(wanted.namespace())
                ? Optional.empty()
                : Optional.of(new LimitExceededException(
                        "namespaces", most, most + " namespaces are open, which is the most"));
    }

    // --- those that make room -----------------------------------------------------------------

    /** A store that nobody uses at the moment. */
    private record Unused(
            Key key, CompletableFuture<LeaseStore> opening, CountedStore store, Duration since) {}

    /** Completes when one of those that were only read was closed, or could not be. */
    private Optional<CompletableFuture<Void>> roomOfOneOnlyRead() {
        return onlyRead.stream()
                .flatMap(key -> unused(key, stores.get(key)).stream())
                .max(Comparator.comparing(Unused::since))
                .map(this::close)
                .or(this::closingOnlyRead);
    }

    private synchronized Optional<CompletableFuture<Void>> closingOnlyRead() {
        return closing.entrySet().stream()
                .filter(gone -> onlyRead.contains(gone.getKey()))
                .map(Map.Entry::getValue)
                .findAny();
    }

    private static Optional<Unused> unused(
            Key key, @Nullable CompletableFuture<LeaseStore> opening) {
        return opening != null
                        && opening.isDone()
                        && !opening.isCompletedExceptionally()
                        && opening.join() instanceof CountedStore store
                ? store.unused().map(since -> new Unused(key, opening, store, since))
                : Optional.empty();
    }

    /** Closes it unless it is used first or may not rest. */
    private CompletableFuture<Void> close(Unused unused) {
        OptionalLong look = unused.store().look();
        if (look.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        try {
            return CompletableFuture.supplyAsync(() -> mayRest(unused.store().uncounted()), opener)
                    .thenCompose(may -> may)
                    .thenAcceptAsync(
                            may -> {
                                if (may && retire(unused, look.getAsLong())) {
                                    close(unused.key(), unused.store());
                                }
                            },
                            opener)
                    .exceptionally(failure -> null);
        } catch (RuntimeException | Error e) { // no thread: it stays open
            return CompletableFuture.completedFuture(null);
        }
    }

    // --- those that nobody uses ---------------------------------------------------------------

    private void lookForUnused() {
        Duration half = bounds.idle().dividedBy(2);
        Duration pause = half.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : half;
        Time.Timer next = time.schedule(pause, () -> {
            stores.forEach(this::closeIfUnused);
            lookForUnused();
        });
        synchronized (this) {
            looking = next;
            if (closed) {
                next.cancel();
            }
        }
    }

    private void closeIfUnused(Key key, CompletableFuture<LeaseStore> opening) {
        if (!key.equals(new Key(DEFAULT, Engine.Purpose.LEASES))) {
            unused(key, opening)
                    .filter(unused -> unused.since().compareTo(bounds.idle()) >= 0)
                    .ifPresent(this::close);
        }
    }

    private CompletionStage<Boolean> mayRest(LeaseStore store) {
        return engine.rest() == Engine.Rest.ALWAYS
                ? CompletableFuture.completedStage(true)
                : HeldLeases.noneIn(store);
    }

    /** Whoever wants the store from here on waits until it is closed, and opens it again. */
    private synchronized boolean retire(Unused unused, long look) {
        Key key = unused.key();
        if (closed || !stores.remove(key, unused.opening())) {
            return false;
        }
        closing.put(key, new CompletableFuture<>()); // before the first call is turned away
        boolean retired = unused.store().retire(look);
        if (!retired) {
            closing.remove(key);
            stores.put(key, unused.opening());
        }
        return retired;
    }

    private void close(Key key, LeaseStore store) {
        try {
            store.close();
        } finally {
            CompletableFuture<Void> gone;
            synchronized (this) {
                gone = closing.remove(key);
                onlyRead.remove(key);
            }
            if (gone != null) {
                gone.complete(null);
            }
        }
    }

    private static Throwable whyNot(Throwable refusal) {
        return refusal instanceof RejectedExecutionException ? closed() : refusal;
    }

    private static StoreUnavailableException closed() {
        return new StoreUnavailableException("the server has stopped");
    }

    /** Closes all stores. Idempotent. */
    @Override
    public void close() {
        List<CompletableFuture<Void>> closes;
        synchronized (this) {
            closed = true;
            looking.cancel();
            closes = List.copyOf(closing.values());
        }
        closes.forEach(CompletableFuture::join);
        stores.forEach((key, opening) -> {
            if (!opening.completeExceptionally(closed()) && !opening.isCompletedExceptionally()) {
                opening.join().close();
            }
        });
    }
}
