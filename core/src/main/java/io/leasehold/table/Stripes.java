// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.model.Claim;
import io.leasehold.model.Scope;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Says which part of the table a scope, claim or operation belongs to. */
final class Stripes {

    /** Whatever their scopes. */
    final KnownIds ids;

    private final Stripe[] stripes;
    private final int mask;
    private final Stripe
            spanning; // home of the leases and waiters whose scopes lie in several stripes
    private final List<List<Stripe>> alone;
    private final List<Stripe> everything;

    Stripes(int count, RetryMemory.Shared remembered) {
        ids = new KnownIds(count, remembered);
        mask = count - 1;
        stripes = Stream.generate(Stripe::new).limit(count).toArray(Stripe[]::new);
        spanning = new Stripe();
        alone = IntStream.range(0, count).mapToObj(i -> List.of(stripes[i])).toList();
        everything = Stream.concat(Stream.of(stripes), Stream.of(spanning)).toList();
    }

    /** The one stripe that all scopes of the claim lie in, or {@link LeaseTable#ALL}. */
    int numberOf(Claim claim) {
        List<Scope> scopes = claim.scopes();
        int number = numberOf(scopes.get(0));
        for (int i = 1; i < scopes.size(); i++) {
            if (numberOf(scopes.get(i)) != number) {
                return LeaseTable.ALL;
            }
        }
        return number;
    }

    /** The stripe of the scope, and of everything that overlaps it. */
    int numberOf(Scope scope) {
        int hash;
        if (scope instanceof Scope.Name name) {
            hash = name.name().hashCode();
        } else if (scope instanceof Scope.ByteRange range) {
            hash = Long.hashCode(range.inode());
        } else if (scope instanceof Scope.Inode inode) {
            hash = Long.hashCode(inode.inode());
        } else {
            hash = 0; // a subtree may overlap any path
        }
        return (hash ^ hash >>> 16) & mask;
    }

    boolean isIsolated(int number) {
        return stripes[number].spanned == 0;
    }

    /** Where leases and waiters with this claim are timed and remembered. */
    Stripe home(Claim claim) {
        return home(numberOf(claim));
    }

    /** The same, by the number of the claim's stripe. */
    Stripe home(int number) {
        return number == LeaseTable.ALL ? spanning : stripes[number];
    }

    /** Where the scope itself lies. */
    ScopeIndex index(Scope scope) {
        return stripes[numberOf(scope)].index;
    }

    Stripe of(Scope scope) {
        return stripes[numberOf(scope)];
    }

    /** Whether no one waits for anything that overlaps the scopes. May say no when in doubt. */
    boolean areUnwaitedFor(List<Scope> scopes) {
        for (int i = 0; i < scopes.size(); i++) {
            Stripe stripe = of(scopes.get(i));
            if (stripe.spanned > 0 || !stripe.waiters.isEmpty()) {
                return false;
            }
        }
        return true;
    }

    /** What an operation in the given stripe may touch. */
    List<Stripe> touchedFrom(int number) {
        return number == LeaseTable.ALL || !isIsolated(number) ? everything : alone.get(number);
    }

    /** Notes that a lease or waiter that spans stripes came (+1) or went (-1). */
    void span(Claim claim, int change) {
        if (claim.scopes().size() > 1 && numberOf(claim) == LeaseTable.ALL) {
            for (Scope scope : claim.scopes()) {
                of(scope).spanned += change;
            }
        }
    }
}
