// SPDX-License-Identifier: Apache-2.0
package io.leasehold.memory;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
import io.leasehold.spi.Grant;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Cells that claims stand for: eight names and eight bytes of one inode. Whoever holds a lease
 * enters its cells, and finds out if someone is there who must not be. Thread-safe.
 */
final class Exclusion {

    static final int NAMES = 8;
    static final int BYTES = 8;

    private final AtomicLongArray inside =
            new AtomicLongArray(NAMES + BYTES); // the writer's token, or -readers
    private final AtomicLongArray newestWriter = new AtomicLongArray(NAMES + BYTES);
    private final AtomicLongArray newest = new AtomicLongArray(NAMES + BYTES);
    private final AtomicIntegerArray drawn;
    private final AtomicInteger entries = new AtomicInteger();

    Exclusion(int maxTokens) {
        drawn = new AtomicIntegerArray(maxTokens + 1);
    }

    void enter(Grant grant) {
        long token = grant.token().value();
        check(drawn.incrementAndGet((int) token) == 1, "drawn twice", grant);
        entries.incrementAndGet();
        boolean writer = isWriter(grant);
        forEachCell(grant, cell -> {
            if (writer) {
                check(inside.compareAndSet(cell, 0, token), "not alone", grant);
                check(newest.get(cell) < token, "not above all earlier tokens", grant);
                newestWriter.set(cell, token);
            } else {
                check(inside.decrementAndGet(cell) < 0, "beside a writer", grant);
                check(newestWriter.get(cell) < token, "not above all earlier writers", grant);
            }
            newest.accumulateAndGet(cell, token, Math::max);
        });
    }

    void leave(Grant grant) {
        long token = grant.token().value();
        boolean writer = isWriter(grant);
        forEachCell(grant, cell -> {
            if (writer) {
                check(inside.compareAndSet(cell, token, 0), "no longer alone", grant);
            } else {
                check(inside.incrementAndGet(cell) <= 0, "a writer came in beside", grant);
            }
        });
    }

    int entries() {
        return entries.get();
    }

    private static boolean isWriter(Grant grant) {
        return grant.holding().claim().mode() == Mode.EXCLUSIVE;
    }

    private interface Cell {
        void visit(int cell);
    }

    /** Visits each cell once, even where scopes of the claim overlap. */
    private static void forEachCell(Grant grant, Cell action) {
        Claim claim = grant.holding().claim();
        for (int i = 0; i < NAMES; i++) {
            if (claim.covers(Scope.name("n" + i))) {
                action.visit(i);
            }
        }
        for (int i = 0; i < BYTES; i++) {
            if (claim.covers(Scope.range(1, i, i + 1L))) {
                action.visit(NAMES + i);
            }
        }
    }

    private static void check(boolean right, String wrong, Grant grant) {
        if (!right) {
            FencingToken token = grant.token();
            throw new AssertionError("token " + token + " is " + wrong + ": " + grant);
        }
    }
}
