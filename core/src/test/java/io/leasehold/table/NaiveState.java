// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.NaiveScopes;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Validity;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Everything the naive model knows, in lists, with the questions that it asks of them. */
final class NaiveState {

    static final class Lease {
        final LeaseRequest request;
        final long grantedAt;
        long token;
        long ttl;
        long expiry;
        long version = 1;
        long rotatedFrom;
        boolean ranOut;

        Lease(LeaseRequest request, long token, long now) {
            this.request = request;
            this.token = token;
            this.grantedAt = now;
            this.ttl = request.terms().ttl().toNanos();
            this.expiry = now + ttl;
        }

        Claim claim() {
            return request.claim();
        }

        long clearAt() {
            return expiry + request.terms().lockDelay().toNanos();
        }

        Holding holding() {
            return new Holding(claim(), request.holder(), new FencingToken(token));
        }

        Grant grant() {
            return new Grant(holding(), request.id(), Duration.ofNanos(ttl));
        }

        Acquisition granted(long arrivedAt, long now) {
            return new Acquisition.Granted(grant(), version, validity(arrivedAt, now));
        }

        Validity validity(long arrivedAt, long now) {
            return new Validity(Duration.ofNanos(now - arrivedAt), Duration.ofNanos(expiry - now));
        }

        Acquisition held(long now) {
            long until = now < expiry ? expiry : clearAt();
            Duration remaining = Duration.ofNanos(Math.max(0, until - now));
            return new Acquisition.Held(
                    holding(), remaining, request.terms().record(), now >= expiry);
        }
    }

    static final class Waiter {
        final LeaseRequest request;
        final List<Integer> attempts = new ArrayList<>();
        final List<Long> arrivals = new ArrayList<>();
        long deadline;

        Waiter(LeaseRequest request) {
            this.request = request;
        }

        void join(int attempt, LeaseRequest repeat, long now) {
            attempts.add(attempt);
            arrivals.add(now);
            deadline = Math.max(deadline, now + repeat.terms().waitAtMost().toNanos());
        }
    }

    record Kept(Scope scope, Holding holding, LeaseRecord record, long at, long until) {
        boolean contents(LeaseRequest request) {
            Optional<FencingToken> since = request.terms().unlessCompletedSince();
            return since.isPresent() && holding.token().value() >= since.get().value();
        }

        Acquisition completed(long now) {
            return new Acquisition.Completed(
                    record, holding.token(), Duration.ofNanos(until - now));
        }
    }

    record Past(LeaseId id, String how, long token, long at) {}

    /** What a lease left when it was completed. */
    record Left(LeaseRecord record, Duration keepFor) {}

    final List<Lease> leases = new ArrayList<>();
    final List<Waiter> waiters = new ArrayList<>(); // in the order of arrival
    final List<Kept> records = new ArrayList<>();
    final List<Past> past = new ArrayList<>();
    final Map<LeaseId, Left> left = new HashMap<>(); // by those that were completed

    /**
     * Whether a request at this place in the queue conflicts with a lease or with an earlier
     * waiter.
     */
    boolean mustWait(Claim claim, int place) {
        for (Lease lease : leases) {
            if (NaiveScopes.conflict(lease.claim(), claim)) {
                return true;
            }
        }
        for (Waiter ahead : waiters.subList(0, place)) {
            if (NaiveScopes.conflict(ahead.request.claim(), claim)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The leases that a request at this place waits for: directly, or else behind earlier waiters.
     */
    Set<Object> blockers(Claim claim, int place, long now) {
        Set<Object> found = new HashSet<>();
        leases.stream()
                .filter(lease -> NaiveScopes.conflict(lease.claim(), claim))
                .forEach(lease -> found.add(lease.held(now)));
        return found.isEmpty() ? blockersOfThoseAhead(claim, place, now) : found;
    }

    private Set<Object> blockersOfThoseAhead(Claim claim, int place, long now) {
        Set<Object> found = new HashSet<>();
        for (int i = 0; i < place; i++) {
            Claim ahead = waiters.get(i).request.claim();
            if (NaiveScopes.conflict(ahead, claim)) {
                found.addAll(blockers(ahead, i, now));
            }
        }
        return found;
    }

    long waitersFor(Scope scope) {
        return waiters.stream()
                .filter(waiter -> waiter.request.claim().scopes().contains(scope))
                .count();
    }

    Optional<Lease> leaseOf(LeaseId id) {
        for (Lease lease : leases) {
            if (lease.request.id().equals(id)) {
                return Optional.of(lease);
            }
        }
        return Optional.empty();
    }

    Optional<Waiter> waiterOf(LeaseId id) {
        for (Waiter waiter : waiters) {
            if (waiter.request.id().equals(id)) {
                return Optional.of(waiter);
            }
        }
        return Optional.empty();
    }

    Optional<Past> pastOf(LeaseId id) {
        for (Past over : past) {
            if (over.id.equals(id)) {
                return Optional.of(over);
            }
        }
        return Optional.empty();
    }

    Optional<Kept> keptFor(LeaseRequest request) {
        for (Scope scope : request.claim().scopes()) {
            for (Kept kept : records) {
                if (kept.scope.equals(scope) && kept.contents(request)) {
                    return Optional.of(kept);
                }
            }
        }
        return Optional.empty();
    }

    /** When the first waiter is answered if nobody does anything more. */
    long nextAnswerAt() {
        long next = Long.MAX_VALUE;
        for (int i = 0; i < waiters.size(); i++) {
            long free = freeAt(waiters.get(i).request.claim(), i);
            next = Math.min(next, Math.min(waiters.get(i).deadline, free));
        }
        return next;
    }

    private long freeAt(Claim claim, int place) {
        for (Waiter ahead : waiters.subList(0, place)) {
            if (NaiveScopes.conflict(ahead.request.claim(), claim)) {
                return Long.MAX_VALUE;
            }
        }
        long free = Long.MIN_VALUE;
        for (Lease lease : leases) {
            if (NaiveScopes.conflict(lease.claim(), claim)) {
                free = Math.max(free, lease.clearAt());
            }
        }
        return free;
    }

    /** All moments at which something changes by itself. */
    List<Long> turningPoints(Duration retryWindow) {
        List<Long> points = new ArrayList<>();
        leases.forEach(lease -> points.addAll(List.of(lease.expiry, lease.clearAt())));
        waiters.forEach(waiter -> points.add(waiter.deadline));
        records.forEach(kept -> points.add(kept.until));
        past.forEach(over -> points.add(over.at + retryWindow.toNanos()));
        return points;
    }
}
