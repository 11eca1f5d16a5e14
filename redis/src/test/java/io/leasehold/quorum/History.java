// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.guard.MemoryGuard;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.model.StaleTokenException;
import io.leasehold.spi.Time;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What happened, as an all-seeing observer writes it down, and what was wrong with it. */
final class History {

    /** Somebody who takes itself for the holder, as long as its own clock says so. */
    record Belief(LeaseId id, Claim claim, FencingToken token, BooleanSupplier valid) {}

    /** A resource that knows who wrote last. */
    private static final class Written {
        private long token;
        private @Nullable LeaseId id;
    }

    private static final int TOLD = 5;

    private final Time time;
    private final Map<Long, LeaseId> owners = new HashMap<>();
    private final List<Belief> beliefs = new ArrayList<>();
    private final Map<Scope, MemoryGuard<Written>> guards = new HashMap<>();
    private final Map<String, Integer> counts = new TreeMap<>();
    private final List<String> violations = new ArrayList<>();
    private long highestReturned;
    private long operations;

    History(Time time) {
        this.time = time;
    }

    void begin(String what) {
        operations++;
        note(what);
    }

    /** What the token of whatever is asked for from now on must be above. */
    long floor() {
        return highestReturned;
    }

    /** A grant or a rotation was returned whose operation began when the floor was highest. */
    void token(LeaseId id, FencingToken token, long floor) {
        if (token.value() <= floor) {
            violate("order", "token " + token + " was asked for after " + floor + " was returned");
        }
        LeaseId owner = owners.putIfAbsent(token.value(), id);
        if (owner != null && !owner.equals(id)) {
            violate("order", "token " + token + " was granted twice");
        }
        highestReturned = Math.max(highestReturned, token.value());
    }

    /** Somebody takes itself for the holder from now on. */
    void believe(Belief belief) {
        beliefs.removeIf(other -> !other.valid.getAsBoolean());
        for (Belief other : beliefs) {
            if (!other.id.equals(belief.id) && other.claim.conflictsWith(belief.claim)) {
                violate(
                        "exclusion",
                        belief.claim + " was granted under token " + belief.token + " while "
                                + other.claim + " was held under " + other.token);
            }
        }
        beliefs.removeIf(other -> other.id.equals(belief.id));
        beliefs.add(belief);
    }

    /** Somebody writes to what the scope stands for, through its guard. */
    void write(Scope scope, LeaseId id, FencingToken token) {
        MemoryGuard<Written> guard =
                guards.computeIfAbsent(scope, name -> MemoryGuard.around(name, new Written()));
        try {
            guard.write(token, written -> {
                if (token.value() < written.token
                        || (token.value() == written.token && !id.equals(written.id))) {
                    violate("fencing", "token " + token + " was accepted after " + written.token);
                }
                written.token = token.value();
                written.id = id;
            });
            note("write accepted");
        } catch (StaleTokenException e) {
            note("write rejected");
        }
    }

    void disbelieve(LeaseId id) {
        beliefs.removeIf(other -> other.id.equals(id));
    }

    void note(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    private void violate(String kind, String what) {
        note("violation of " + kind);
        if (violations.size() < TOLD) {
            violations.add(kind + " at " + time.nanos() / 1_000_000 + " ms: " + what);
        }
    }

    List<String> violations() {
        return violations;
    }

    int count(String what) {
        return counts.getOrDefault(what, 0);
    }

    Map<String, Integer> counts() {
        return counts;
    }

    long operations() {
        return operations;
    }
}
