// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.model.Claim;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
import io.leasehold.spi.LeaseRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who waits, for whom, and who is next.
 *
 * <p>A request must wait while it conflicts with a lease or with an earlier waiter. That one rule
 * makes the queue first come first served and keeps shared requests from starving exclusive ones. A
 * waiter is looked at again when something that overlaps it goes, and when the lease in its way
 * would end by itself.
 */
final class Queues {

    private final Stripes stripes;
    private final int maxPerScope;
    private final AtomicLong lastSequence = new AtomicLong();

    Queues(Stripes stripes, int maxPerScope) {
        this.stripes = stripes;
        this.maxPerScope = maxPerScope;
    }

    /** A lease, or the lock-delay of one that ran out, that excludes the claim. */
    @Nullable
    LiveLease holderInTheWay(Claim claim) {
        return search(
                claim,
                claim.mode() == Mode.EXCLUSIVE ? ScopeNode::anyHolder : ScopeNode::exclusiveHolder);
    }

    /** A lease that excludes the claim and has not run out. */
    @Nullable
    LiveLease successor(Claim claim, long now) {
        return search(claim, node -> node.holderAt(now, claim.mode()));
    }

    /** Someone who waits before the given place in the queue and whose claim excludes this one. */
    @Nullable
    Waiter waiterInTheWay(Claim claim, long sequence) {
        if (stripes.areUnwaitedFor(claim.scopes())) {
            return null;
        }
        boolean byAnyone = claim.mode() == Mode.EXCLUSIVE;
        return search(
                claim, node -> node.queue == null ? null : node.queue.ahead(sequence, byAnyone));
    }

    private <T> @Nullable T search(Claim claim, ScopeIndex.Question<T> question) {
        for (Scope scope : claim.scopes()) {
            T found = stripes.index(scope).search(scope, question);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /**
     * The lease that a claim at the given place in the queue waits for, directly or behind others.
     */
    LiveLease holderBefore(Claim claim, long sequence) {
        Claim behind = claim;
        long place = sequence;
        while (true) {
            LiveLease holder = holderInTheWay(behind);
            if (holder != null) {
                return holder;
            }
            Waiter ahead = waiterInTheWay(behind, place);
            if (ahead == null) {
                throw new AssertionError("nobody stands in the way of a waiter");
            }
            behind = ahead.request.claim();
            place = ahead.sequence;
        }
    }

    Waiter enqueue(LeaseRequest request, long now, Reply reply, @Nullable LiveLease holder) {
        Claim claim = request.claim();
        for (Scope scope : claim.scopes()) {
            ScopeNode node = stripes.index(scope).at(scope);
            if (maxPerScope == 0 || (node != null && node.waiters() >= maxPerScope)) {
                throw new LimitExceededException(
                        "waiters per scope",
                        maxPerScope,
                        "as many requests wait for '" + scope + "' as may: " + maxPerScope);
            }
        }
        Waiter waiter = new Waiter(request, lastSequence.incrementAndGet());
        waiter.join(request, now, reply);
        waiter.lookAgainAt(holder == null ? LeaseTable.NEVER : holder.clearAt());
        for (Scope scope : claim.scopes()) {
            stripes.index(scope).occupy(scope).enqueue(waiter);
        }
        Stripe home = stripes.home(claim);
        home.waiters.put(request.id(), waiter);
        home.wakeUps.add(waiter);
        stripes.span(claim, 1);
        return waiter;
    }

    void leave(Waiter waiter) {
        Claim claim = waiter.request.claim();
        for (Scope scope : claim.scopes()) {
            ScopeIndex index = stripes.index(scope);
            ScopeNode node = index.existing(scope);
            node.dequeue(waiter);
            index.removeIfEmpty(node);
        }
        Stripe home = stripes.home(claim);
        home.waiters.remove(waiter.request.id());
        stripes.ids.giveUp(waiter.request.id());
        home.wakeUps.remove(waiter);
        stripes.span(claim, -1);
    }

    void lookAgainAt(Waiter waiter, long time) {
        waiter.lookAgainAt(time);
        stripes.home(waiter.request.claim()).wakeUps.update(waiter);
    }

    /**
     * Answers everyone who waits at the record's scope and would rather have the record.
     *
     * @return all scopes that they waited for
     */
    List<Scope> answerWith(KeptRecord kept, long now) {
        List<Scope> freed = new ArrayList<>();
        List<Waiter> waiters =
                kept.node.queue == null ? List.of() : List.copyOf(kept.node.queue.waiters());
        for (Waiter waiter : waiters) {
            if (kept.contents(waiter.request)) {
                leave(waiter);
                freed.addAll(waiter.request.claim().scopes());
                waiter.settle(kept.answer(now));
            }
        }
        return freed;
    }

    /**
     * Passes every waiter that overlaps the freed scopes and has nobody in its way to the action,
     * which must take it off the queue, in the order of arrival.
     */
    void forEachGrantable(List<Scope> freed, Consumer<Waiter> grant) {
        if (stripes.areUnwaitedFor(freed)) {
            return;
        }
        Cursors cursors = new Cursors();
        addCursors(cursors, freed, 0);
        while (!cursors.isEmpty()) {
            Cursor cursor = cursors.first();
            Waiter waiter = cursor.next;
            if (waiter.isQueued()) { // else it was met, and granted, at another of its scopes
                Claim claim = waiter.request.claim();
                LiveLease holder = holderInTheWay(claim);
                if (holder == null && waiterInTheWay(claim, waiter.sequence) == null) {
                    grant.accept(waiter);
                    // those behind now wait for a lease
                    addCursors(cursors, claim.scopes(), waiter.sequence);
                } else {
                    lookAgainAt(waiter, holder == null ? LeaseTable.NEVER : holder.clearAt());
                    if (waiter.isExclusive() || claim.scopes().size() == 1) {
                        continue; // what holds it up, or it itself, holds up all behind it here
                    }
                }
            }
            cursors.add(cursor.node, waiter.sequence);
        }
    }

    private void addCursors(Cursors cursors, List<Scope> scopes, long after) {
        for (Scope scope : scopes) {
            stripes.index(scope).search(scope, node -> {
                cursors.add(node, after);
                return null;
            });
        }
    }

    /** A place in the queue of one node. */
    private record Cursor(ScopeNode node, Waiter next) {}

    /**
     * Places in several queues, by who came first; one for each node, lest a queue be walked twice.
     */
    private static final class Cursors {

        private final PriorityQueue<Cursor> cursors =
                new PriorityQueue<>(Comparator.comparingLong(cursor -> cursor.next.sequence));
        private final Set<ScopeNode> nodes = new HashSet<>();

        boolean isEmpty() {
            return cursors.isEmpty();
        }

        Cursor first() {
            Cursor first = cursors.remove();
            nodes.remove(first.node);
            return first;
        }

        /** Adds the first waiter of the node behind the given place. */
        void add(ScopeNode node, long after) {
            Waiter next = node.queue == null ? null : node.queue.after(after);
            if (next != null && nodes.add(node)) {
                cursors.add(new Cursor(node, next));
            }
        }
    }
}
