// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.NaiveScopes;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvent.Change;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.table.NaiveState.Kept;
import io.leasehold.table.NaiveState.Lease;
import io.leasehold.table.NaiveState.Left;
import io.leasehold.table.NaiveState.Past;
import io.leasehold.table.NaiveState.Waiter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The rules once more, in the most naive way: lists, scans, no index, no timers. Where the rules
 * leave a choice (which of several blockers is named) the answer is the set of all that are right.
 */
final class NaiveModel {

    /** The answer where a limit stands in the way. */
    static final String LIMIT = "limit exceeded";

    /** The answer to an attempt that too many repeats pushed out. */
    static final String REPLACED = "replaced by a repeat";

    private static final Ending ENDED = new Ending.Ended();

    private final TableOptions options;
    final NaiveState state = new NaiveState();
    private long lastToken;

    /** What happened since the list was last emptied. */
    final List<LeaseEvent> events = new ArrayList<>();

    /** For every attempt answered since the map was last emptied, the answers that are right. */
    final Map<Integer, Set<Object>> answers = new TreeMap<>();

    NaiveModel(TableOptions options) {
        this.options = options;
    }

    void acquire(LeaseRequest request, int attempt, long now) {
        settle(now);
        Optional<Lease> own = state.leaseOf(request.id());
        Optional<Waiter> queued = state.waiterOf(request.id());
        Optional<Past> over = state.pastOf(request.id());
        Optional<Kept> kept = state.keptFor(request);
        if (own.isPresent()) {
            answer(attempt, repeated(own.get(), request, now));
        } else if (queued.isPresent()) {
            repeat(queued.get(), request, attempt, now);
        } else if (over.isPresent()) {
            boolean expired = over.get().how().equals("expired");
            answer(
                    attempt,
                    new Acquisition.Gone(
                            expired ? RefusalReason.EXPIRED : RefusalReason.NOT_FOUND));
        } else if (kept.isPresent()) {
            answer(attempt, kept.get().completed(now));
        } else if (state.mustWait(request.claim(), state.waiters.size())) {
            queue(request, attempt, now);
        } else {
            Optional<Lease> lease = grant(request, now);
            answer(attempt, lease.isPresent() ? lease.get().granted(now, now) : LIMIT);
        }
    }

    private static Acquisition repeated(Lease own, LeaseRequest request, long now) {
        if (!request.isRepeatOf(own.request)) {
            return new Acquisition.Gone(RefusalReason.SCOPE_MISMATCH);
        }
        return own.ranOut ? new Acquisition.Gone(RefusalReason.EXPIRED) : own.granted(now, now);
    }

    private void repeat(Waiter waiter, LeaseRequest request, int attempt, long now) {
        if (!request.isRepeatOf(waiter.request)) {
            answer(attempt, new Acquisition.Gone(RefusalReason.SCOPE_MISMATCH));
            return;
        }
        if (waiter.attempts.size() == 16) {
            answer(waiter.attempts.remove(0), REPLACED);
            waiter.arrivals.remove(0);
        }
        waiter.join(attempt, request, now);
    }

    private void queue(LeaseRequest request, int attempt, long now) {
        if (request.terms().waitAtMost().isZero()) {
            answers.put(attempt, state.blockers(request.claim(), state.waiters.size(), now));
        } else if (request.claim().scopes().stream()
                .anyMatch(scope -> state.waitersFor(scope) >= options.maxWaitersPerScope())) {
            answer(attempt, LIMIT);
        } else {
            Waiter waiter = new Waiter(request);
            waiter.join(attempt, request, now);
            state.waiters.add(waiter);
        }
    }

    Object withdraw(LeaseRequest request, long now) {
        settle(now);
        Optional<Waiter> queued = state.waiterOf(request.id());
        Optional<Lease> own = state.leaseOf(request.id());
        boolean ofAnother = queued.map(waiter -> waiter.request.claim())
                .or(() -> own.map(Lease::claim))
                .filter(claim -> !claim.equals(request.claim()))
                .isPresent();
        if (ofAnother) {
            return ENDED;
        } else if (queued.isPresent()) {
            state.waiters.remove(queued.get());
            state.past.add(new Past(request.id(), "withdrawn", 0, now));
            queued.get()
                    .attempts
                    .forEach(a -> answer(a, new Acquisition.Gone(RefusalReason.NOT_FOUND)));
        } else if (own.isPresent() && !own.get().ranOut) {
            end(own.get(), "withdrawn", Change.RELEASED, now);
        } else if (own.isEmpty() && state.pastOf(request.id()).isEmpty()) {
            state.past.add(new Past(request.id(), "withdrawn", 0, now));
        }
        grantAll(now);
        return ENDED;
    }

    Set<Object> renew(RenewalRequest request, long now) {
        settle(now);
        Set<Object> refusals = refusals(request.grant());
        if (!refusals.isEmpty()) {
            return refusals;
        }
        Lease lease = state.leaseOf(request.grant().id()).orElseThrow();
        if (request.expectedVersion().isPresent()
                && request.expectedVersion().getAsLong() != lease.version) {
            return Set.of(new Refused(RefusalReason.VERSION_MISMATCH));
        }
        lease.ttl = request.ttl().map(Duration::toNanos).orElse(lease.ttl);
        lease.expiry = Math.max(lease.expiry, now + lease.ttl);
        lease.version++;
        tell(Change.RENEWED, lease);
        return Set.of(new Renewal.Renewed(lease.version, lease.validity(now, now)));
    }

    Set<Object> rotate(Grant grant, long now) {
        settle(now);
        Set<Object> refusals = refusals(grant);
        Optional<Lease> lease = state.leaseOf(grant.id());
        boolean again = refusals.equals(Set.of(new Refused(RefusalReason.TOKEN_MISMATCH)))
                && lease.isPresent()
                && lease.get().rotatedFrom == grant.token().value();
        if (!refusals.isEmpty() && !again) {
            return refusals;
        }
        Lease own = lease.orElseThrow();
        if (!again) {
            own.rotatedFrom = own.token;
            own.token = ++lastToken;
            own.version++;
            tell(Change.ROTATED, own);
        }
        return Set.of(new Rotation.Rotated(own.grant(), own.version, own.validity(now, now)));
    }

    Set<Object> release(Grant grant, long now) {
        settle(now);
        if (isRepeat(grant, "released")) {
            return Set.of(ENDED);
        }
        Set<Object> refusals = refusals(grant);
        if (refusals.isEmpty()) {
            end(state.leaseOf(grant.id()).orElseThrow(), "released", Change.RELEASED, now);
            grantAll(now);
        }
        return refusals.isEmpty() ? Set.of(ENDED) : refusals;
    }

    Object forceRelease(Scope scope, FencingToken token, long now) {
        settle(now);
        RefusalReason reason = RefusalReason.NOT_FOUND;
        for (Lease lease : List.copyOf(state.leases)) {
            boolean there = lease.claim().scopes().contains(scope);
            if (there && lease.token == token.value()) {
                if (lease.ranOut) {
                    return new Refused(RefusalReason.EXPIRED);
                }
                end(lease, "withdrawn", Change.RELEASED, now);
                grantAll(now);
                return ENDED;
            } else if (there && !lease.ranOut) {
                reason = RefusalReason.NOT_HOLDER;
            }
        }
        return new Refused(reason);
    }

    Set<Object> complete(Grant grant, LeaseRecord record, Duration keepFor, long now) {
        settle(now);
        Left left = new Left(record, keepFor);
        if (isRepeat(grant, "completed") && left.equals(state.left.get(grant.id()))) {
            return Set.of(ENDED);
        }
        Set<Object> refusals = refusals(grant);
        if (!refusals.isEmpty()) {
            return refusals;
        }
        Lease lease = state.leaseOf(grant.id()).orElseThrow();
        end(lease, "completed", Change.COMPLETED, now);
        state.left.put(grant.id(), left);
        for (Scope scope : lease.claim().scopes()) {
            state.records.removeIf(kept -> kept.scope().equals(scope));
            if (!keepFor.isZero()) {
                Kept kept = new Kept(scope, lease.holding(), record, now, now + keepFor.toNanos());
                state.records.add(kept);
                answerWith(kept, now);
            }
        }
        grantAll(now);
        return Set.of(ENDED);
    }

    private void answerWith(Kept kept, long now) {
        for (Waiter waiter : List.copyOf(state.waiters)) {
            if (kept.contents(waiter.request)
                    && waiter.request.claim().scopes().contains(kept.scope())) {
                state.waiters.remove(waiter);
                waiter.attempts.forEach(a -> answer(a, kept.completed(now)));
            }
        }
    }

    /** Brings everything up to now: late waits first, then what ran out, then who is next. */
    void settle(long now) {
        List<Waiter> late =
                state.waiters.stream().filter(w -> w.deadline <= now).toList();
        for (Waiter waiter : late) {
            Set<Object> held =
                    state.blockers(waiter.request.claim(), state.waiters.indexOf(waiter), now);
            waiter.attempts.forEach(a -> answers.put(a, held));
        }
        state.waiters.removeAll(late);
        for (Lease lease : state.leases) {
            if (lease.expiry <= now && !lease.ranOut) {
                lease.ranOut = true;
                state.past.add(new Past(lease.request.id(), "expired", lease.token, now));
                tell(Change.EXPIRED, lease);
            }
        }
        state.leases.removeIf(lease -> lease.clearAt() <= now);
        state.records.removeIf(kept -> kept.until() <= now);
        state.past.removeIf(over -> now - over.at() >= options.retryWindow().toNanos());
        grantAll(now);
    }

    private void grantAll(long now) {
        for (Waiter waiter : List.copyOf(state.waiters)) {
            if (!state.mustWait(waiter.request.claim(), state.waiters.indexOf(waiter))) {
                state.waiters.remove(waiter);
                Optional<Lease> lease = grant(waiter.request, now);
                for (int i = 0; i < waiter.attempts.size(); i++) {
                    long arrivedAt = waiter.arrivals.get(i);
                    answer(
                            waiter.attempts.get(i),
                            lease.isPresent() ? lease.get().granted(arrivedAt, now) : LIMIT);
                }
            }
        }
    }

    private Optional<Lease> grant(LeaseRequest request, long now) {
        int occupied = state.records.size() + request.claim().scopes().size();
        for (Lease lease : state.leases) {
            occupied += lease.claim().scopes().size();
        }
        if (occupied > options.maxLeases()) {
            return Optional.empty();
        }
        Lease lease = new Lease(request, ++lastToken, now);
        state.leases.add(lease);
        tell(Change.GRANTED, lease);
        return Optional.of(lease);
    }

    private void end(Lease lease, String how, Change change, long now) {
        state.leases.remove(lease);
        state.past.add(new Past(lease.request.id(), how, lease.token, now));
        tell(change, lease);
    }

    /** Why the grant does not hold; empty if it does. */
    private Set<Object> refusals(Grant grant) {
        Optional<Lease> own = state.leaseOf(grant.id());
        Set<Object> reasons = new HashSet<>();
        if (own.isPresent()) {
            if (own.get().ranOut) {
                reasons.add(new Refused(RefusalReason.EXPIRED));
            } else if (!own.get().claim().equals(grant.holding().claim())) {
                reasons.add(new Refused(RefusalReason.SCOPE_MISMATCH));
            } else if (own.get().token != grant.token().value()) {
                reasons.add(new Refused(RefusalReason.TOKEN_MISMATCH));
            }
            return reasons;
        }
        for (Lease lease : state.leases) {
            if (!lease.ranOut
                    && NaiveScopes.conflict(lease.claim(), grant.holding().claim())) {
                boolean same = lease.request.holder().equals(grant.holding().holder());
                reasons.add(new Refused(
                        same ? RefusalReason.TOKEN_MISMATCH : RefusalReason.NOT_HOLDER));
            }
        }
        if (reasons.isEmpty()) {
            boolean expired = state.pastOf(grant.id())
                    .filter(p -> p.how().equals("expired"))
                    .isPresent();
            reasons.add(new Refused(expired ? RefusalReason.EXPIRED : RefusalReason.NOT_FOUND));
        }
        return reasons;
    }

    private boolean isRepeat(Grant grant, String how) {
        return state.past.stream()
                .anyMatch(over -> over.id().equals(grant.id())
                        && over.how().equals(how)
                        && over.token() == grant.token().value());
    }

    private void tell(Change change, Lease lease) {
        events.add(new LeaseEvent.Changed(change, lease.holding()));
    }

    private void answer(int attempt, Object outcome) {
        answers.put(attempt, Set.of(outcome));
    }
}
