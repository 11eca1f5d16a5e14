// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.NodeRecord;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The leases and records of a table and their tokens, kept consistent: what is entered at one place
 * is entered everywhere it belongs, and so with what is struck out. Who may hold what is not
 * decided here.
 */
final class LeaseBook {

    private final Stripes stripes;
    private final int maxLeases;
    private final AtomicLong lastToken;
    // set before the first is drawn
    private long divisor = 1;
    private long rest;
    private final AtomicLong occupied = new AtomicLong(); // scopes that are leased or have a record

    LeaseBook(Stripes stripes, int maxLeases, long lastToken) {
        this.stripes = stripes;
        this.maxLeases = maxLeases;
        this.lastToken = new AtomicLong(lastToken);
    }

    long lastToken() {
        return lastToken.get();
    }

    /** Enters a lease under the next token, or throws and does neither. */
    LiveLease grant(LeaseRequest request, long now) {
        long token = occupyAndDraw(request.claim().scopes().size());
        LiveLease lease = new LiveLease(request, token, now);
        enter(lease);
        return lease;
    }

    /**
     * Enters a lease under a token that was drawn elsewhere, or throws and does not. What its request
     * asked for is not known.
     */
    LiveLease enter(LeaseRequest request, long token, long now) {
        occupy(request.claim().scopes().size());
        skipTo(token);
        LiveLease lease = LiveLease.ofUnknownRequest(request, token, now);
        enter(lease);
        return lease;
    }

    private void enter(LiveLease lease) {
        Claim claim = lease.claim;
        stripes.ids.use(lease.id, lease);
        for (Scope scope : claim.scopes()) {
            stripes.index(scope).occupy(scope).add(lease);
        }
        stripes.home(claim).ends.add(lease);
        stripes.span(claim, 1);
    }

    /** Enters a lease as it stood, in place of what is known of it. Bounds don't matter to it. */
    void restore(TableEntry.Leased entry) {
        LiveLease lease = new LiveLease(entry);
        vacate(lease.claim, lease.id);
        enter(lease);
        occupied.addAndGet(lease.claim.scopes().size());
        skipTo(lease.token);
    }

    /** Enters a record as it stood, in place of any other at its scopes. */
    void restore(TableEntry.Kept entry) {
        for (Scope scope : entry.scopes()) {
            KeptRecord unused = keep(
                    scope, entry.holding(), entry.record(), entry.completedAt(), entry.until());
        }
        skipTo(entry.holding().token().value());
    }

    /** From now on draws only tokens that leave the rest when divided. */
    void drawEvery(long divisor, long rest) {
        this.divisor = divisor;
        this.rest = rest;
    }

    /** Sees to it that the next token is above the given one. */
    void skipTo(long token) {
        lastToken.accumulateAndGet(token, Math::max);
    }

    /** Strikes out the lease with this id at any of the claim's scopes, if there is one. */
    void vacate(Claim claim, LeaseId id) {
        LiveLease lease = find(claim, id);
        if (lease != null) {
            vacate(lease);
        }
    }

    /** Strikes out a lease. */
    void vacate(LiveLease lease) {
        for (Scope scope : lease.claim.scopes()) {
            ScopeIndex index = stripes.index(scope);
            ScopeNode node = index.existing(scope);
            node.remove(lease);
            index.removeIfEmpty(node);
        }
        stripes.home(lease.claim).ends.remove(lease);
        stripes.span(lease.claim, -1);
        stripes.ids.giveUp(lease.id, lease);
        occupied.addAndGet(-lease.claim.scopes().size());
    }

    /** Enters a record at a scope, in place of one that is there. */
    KeptRecord keep(Scope scope, Holding holding, LeaseRecord record, long now, long until) {
        erase(scope);
        Stripe stripe = stripes.of(scope);
        ScopeNode node = stripe.index.occupy(scope);
        KeptRecord kept = new KeptRecord(node, holding, record, now, until);
        node.kept = kept;
        stripe.ends.add(kept);
        occupied.incrementAndGet();
        return kept;
    }

    /** Enters a record of another node; null if there is one of the same or a higher token. */
    @Nullable
    KeptRecord keepNewest(NodeRecord entry, long now) {
        KeptRecord before = keptAt(entry.scope());
        if (before != null
                && !before.holding.token().isOlderThan(entry.holding().token())) {
            return null;
        }
        if (before == null) {
            occupy(1);
            occupied.decrementAndGet(); // which keeping it counts again
        }
        skipTo(entry.holding().token().value());
        return keep(
                entry.scope(),
                entry.holding(),
                entry.record(),
                now - entry.age().toNanos(),
                now + entry.keptFor().toNanos());
    }

    /** The record at exactly this scope. */
    @Nullable
    KeptRecord keptAt(Scope scope) {
        ScopeNode node = stripes.index(scope).at(scope);
        return node == null ? null : node.kept;
    }

    /** Strikes out the record at a scope, if there is one. */
    void erase(Scope scope) {
        ScopeNode node = stripes.index(scope).at(scope);
        if (node != null && node.kept != null) {
            drop(node.kept);
        }
    }

    /** Strikes out a record. */
    void drop(KeptRecord kept) {
        Stripe stripe = stripes.of(kept.node.scope);
        stripe.ends.remove(kept);
        kept.node.kept = null;
        stripe.index.removeIfEmpty(kept.node);
        occupied.decrementAndGet();
    }

    /** Makes room for a lease and draws its token, or does neither. */
    private long occupyAndDraw(int scopes) {
        occupy(scopes);
        try {
            return drawToken();
        } catch (LimitExceededException e) {
            occupied.addAndGet(-scopes);
            throw e;
        }
    }

    private void occupy(int scopes) {
        if (occupied.addAndGet(scopes) > maxLeases) {
            occupied.addAndGet(-scopes);
            throw new LimitExceededException(
                    "leases per store",
                    maxLeases,
                    "the store holds " + maxLeases + " leases and records, as many as it may");
        }
    }

    /** The next token; at the end of the range the namespace fails closed. */
    long drawToken() {
        long token = divisor == 1
                ? lastToken.incrementAndGet()
                : lastToken.updateAndGet(
                        last -> last + 1 + Math.floorMod(rest - last - 1, divisor));
        if (token > FencingToken.MAX_VALUE) {
            lastToken.set(FencingToken.MAX_VALUE);
            throw new LimitExceededException(
                    "tokens",
                    FencingToken.MAX_VALUE,
                    "the namespace has used up its fencing tokens: start a new one");
        }
        return token;
    }

    /**
     * The lease with this id at any of the claim's scopes; there is never more than one at a scope.
     */
    @Nullable
    LiveLease find(Claim claim, LeaseId id) {
        for (Scope scope : claim.scopes()) {
            ScopeNode node = stripes.index(scope).at(scope);
            LiveLease found = node == null ? null : node.find(id);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** The lease at exactly this scope that has the token; be it in its lock-delay. */
    @Nullable
    LiveLease find(Scope scope, FencingToken token) {
        ScopeNode node = stripes.index(scope).at(scope);
        if (node != null) {
            for (LiveLease lease : node.holders()) {
                if (lease.token == token.value()) {
                    return lease;
                }
            }
        }
        return null;
    }

    /** Whether a lease at exactly this scope has not run out. */
    boolean isHeld(Scope scope, long now) {
        ScopeNode node = stripes.index(scope).at(scope);
        return node != null && node.holderAt(now, Mode.EXCLUSIVE) != null;
    }

    /** The record at the first of the request's scopes that has one it is content with. */
    @Nullable
    KeptRecord keptFor(LeaseRequest request) {
        if (request.terms().unlessCompletedSince().isEmpty()) {
            return null;
        }
        for (Scope scope : request.claim().scopes()) {
            ScopeNode node = stripes.index(scope).at(scope);
            if (node != null && node.kept != null && node.kept.contents(request)) {
                return node.kept;
            }
        }
        return null;
    }
}
