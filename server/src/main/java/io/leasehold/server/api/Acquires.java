// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.LeaseId;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * The acquires whose answers have not reached their callers, by lease id. A request may come several
 * times: clients repeat what they have no answer to, often before the server knows that their
 * connection is lost, and proxies repeat too. One caller that was told of the lease keeps it, and one
 * that still listens keeps the request. When all are lost it is taken back after a grace, unless
 * somebody else has it: the store decides that, see {@link LeaseStore#withdrawUnlessUsed}. A repeat
 * that comes later than that begins anew, under another sender.
 */
final class Acquires implements AutoCloseable {

    private static final String UNDER_WAY = "acquires under way";

    private final Time time;
    private final Duration grace;
    private final int most;
    private final AcquireRoom room;
    private final AtomicLong senders;
    private final ConcurrentHashMap<Key, AcquireCalls> wanted = new ConcurrentHashMap<>();
    private final Set<AcquireCalls> replaced = ConcurrentHashMap.newKeySet(); // not empty yet
    private final Set<RepeatedWithdrawal> denied =
            ConcurrentHashMap.newKeySet(); // not answered yet
    private volatile boolean turningAway;
    private volatile boolean closed;

    private record Key(String namespace, LeaseId id) {}

    /**
     * Where an acquire is going.
     *
     * @param namespace the store's
     * @param store where it is asked for
     * @param request what for
     */
    record Order(String namespace, LeaseStore store, LeaseRequest request) {}

    /**
     * None yet.
     *
     * @param bounds of requests, those that are being taken back included
     */
    Acquires(Time time, Duration grace, OperationsOptions.Acquires bounds, RandomGenerator random) {
        this.time = time;
        this.grace = grace;
        this.most = bounds.underWay();
        this.room = new AcquireRoom(bounds.bytes());
        this.senders = new AtomicLong(random.nextLong());
    }

    CompletionStage<Acquisition> acquire(Caller caller, Order order) {
        if (turningAway) {
            throw Stopping.refusal();
        }
        Key key = new Key(order.namespace(), order.request().id());
        if (count() >= most && !wanted.containsKey(key)) {
            throw Failures.limit(
                    UNDER_WAY,
                    most,
                    most + " " + UNDER_WAY + ", which is the most: try again later");
        }
        AcquireCalls.Call call = new AcquireCalls.Call();
        AcquireCalls joined = join(call, key, caller, order);
        ask(call, joined, order);
        CompletionStage<?> unusedFate = caller.gone().whenComplete((lost, delivered) -> {
            if (delivered == null) {
                joined.lost(call);
            } else {
                joined.told(call);
            }
        });
        return call.answer;
    }

    private AcquireCalls join(AcquireCalls.Call call, Key key, Caller caller, Order order) {
        return wanted.compute(key, (id, known) -> {
            if (known != null && known.join(call)) {
                return known;
            }
            AcquireRoom.Place place = room.take(caller, order.request());
            if (known != null) {
                keepUntilEmpty(known);
            }
            AcquireCalls entry = wanted(key, place, order);
            entry.join(call);
            return entry;
        });
    }

    private void ask(AcquireCalls.Call call, AcquireCalls joined, Order order) {
        try {
            CompletionStage<?> unused = order.store()
                    .acquire(order.request().sentBy(joined.sender()))
                    .whenComplete(
                            (acquisition, failure) -> joined.answered(call, acquisition, failure));
        } catch (RuntimeException | Error e) {
            joined.told(call);
            throw e;
        } finally {
            joined.asked(call);
            if (turningAway) { // which may have begun while the store was asked
                joined.turnAway();
            }
        }
    }

    private AcquireCalls wanted(Key key, AcquireRoom.Place place, Order order) {
        long sender = 1 + Math.floorMod(senders.incrementAndGet(), LeaseRequest.MAX_SENDER);
        return new AcquireCalls(
                order.store(),
                order.request().sentBy(sender),
                new AcquireCalls.Surroundings(time, grace, place, empty -> forget(key, empty)));
    }

    private void keepUntilEmpty(AcquireCalls retired) {
        replaced.add(retired);
        if (retired.isEmpty()) { // it takes no more calls, so it stays empty
            forget(retired);
        }
    }

    private void forget(Key key, AcquireCalls entry) {
        wanted.computeIfPresent(key, (id, known) -> {
            boolean over = known == entry && entry.isEmpty();
            if (over) {
                entry.place().free();
            }
            return over ? null : known;
        });
        if (replaced.contains(entry) && entry.isEmpty()) {
            forget(entry);
        }
    }

    private void forget(AcquireCalls retired) {
        replaced.remove(retired);
        retired.place().free();
    }

    /**
     * Takes back what a caller got that may not have it, whoever else asked for it. Completes with the
     * outcome of the first attempt; if that fails, the withdrawal is repeated until the store answers.
     */
    CompletionStage<Ending> deny(Order order) {
        RepeatedWithdrawal withdrawal =
                new RepeatedWithdrawal(time, () -> order.store().withdraw(order.request()));
        denied.add(withdrawal);
        return attempt(withdrawal);
    }

    private CompletionStage<Ending> attempt(RepeatedWithdrawal withdrawal) {
        return withdrawal.attempt().whenComplete((ending, failure) -> {
            if (failure == null || closed) {
                denied.remove(withdrawal);
            } else {
                Time.Timer unused =
                        time.schedule(withdrawal.pause(), () -> attemptAgain(withdrawal));
            }
        });
    }

    private void attemptAgain(RepeatedWithdrawal withdrawal) {
        if (closed) {
            denied.remove(withdrawal);
        } else {
            CompletionStage<?> unused = attempt(withdrawal);
        }
    }

    /** Takes back all that still wait, and answers them; takes no more. */
    void turnAway() {
        turningAway = true;
        List.copyOf(wanted.values()).forEach(AcquireCalls::turnAway);
        List.copyOf(replaced).forEach(AcquireCalls::turnAway);
    }

    /** Takes back nothing more. */
    @Override
    public void close() {
        closed = true;
        List.copyOf(wanted.values()).forEach(AcquireCalls::close);
        List.copyOf(replaced).forEach(AcquireCalls::close);
    }

    /** How many requests count for the limit. */
    int count() {
        return wanted.size() + replaced.size() + denied.size();
    }

    /** How many bytes of memory they take. */
    long bytes() {
        return room.taken();
    }

    int calls() {
        return Stream.concat(wanted.values().stream(), replaced.stream())
                .mapToInt(AcquireCalls::calls)
                .sum();
    }
}
