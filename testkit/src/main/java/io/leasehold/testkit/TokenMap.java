// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holding;
import io.leasehold.model.Mode;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which token of the store stands for which token of the table, learned from grants. It must be one to one, and in
 * order: only grants of the same moment that have nothing to do with each other may be numbered either way.
 */
final class TokenMap {

    /**
     * A grant on both sides.
     *
     * @param model the table's
     * @param store the store's token
     * @param at when the table granted it
     * @param late whether it had been asked for before the step before
     */
    record Pair(Holding model, FencingToken store, long at, boolean late) {}

    private final long toleranceNanos;
    private final Map<Long, Long> storeByModel = new HashMap<>();
    private final Map<Long, Holding> modelByStore = new HashMap<>();
    private final List<Pair> recent = new ArrayList<>();
    // of those that are not recent
    private long highest;

    TokenMap(long toleranceNanos) {
        this.toleranceNanos = toleranceNanos;
    }

    /** Takes in the grants of one step; says what is wrong with them, if anything is. */
    Optional<String> learn(List<Pair> pairs) {
        List<Pair> fresh = new ArrayList<>();
        for (Pair pair : pairs) {
            Long known = storeByModel.get(pair.model.token().value());
            if (known == null) {
                if (modelByStore.containsKey(pair.store.value())) {
                    return Optional.of("token " + pair.store + " was granted twice");
                }
                storeByModel.put(pair.model.token().value(), pair.store.value());
                modelByStore.put(pair.store.value(), pair.model);
                fresh.add(pair);
            } else if (known != pair.store.value()) {
                return Optional.of("one grant has the tokens " + known + " and " + pair.store);
            }
        }
        return disorder(fresh);
    }

    private Optional<String> disorder(List<Pair> fresh) {
        long before =
                recent.stream().mapToLong(pair -> pair.store.value()).reduce(highest, Math::max);
        for (Pair pair : fresh) {
            if (!pair.late && pair.store.value() <= before) {
                return Optional.of("token " + pair.store + " was granted after token " + before);
            }
        }
        // the answer to an earlier grant may have come later
        List<Pair> pairs = new ArrayList<>(recent);
        pairs.addAll(fresh);
        pairs.sort(Comparator.comparing(pair -> pair.model.token()));
        for (int i = 0; i < pairs.size(); i++) {
            Pair later = pairs.get(i);
            if (later.store.value() <= highest) {
                return Optional.of("token " + later.store + " was granted after token " + highest);
            }
            for (Pair earlier : pairs.subList(0, i)) {
                if (isOrdered(earlier, later) && !earlier.store.isOlderThan(later.store)) {
                    return Optional.of(
                            "token " + later.store + " was granted after token " + earlier.store);
                }
            }
        }
        settle(pairs);
        return Optional.empty();
    }

    /** Whatever comes from now on must be above those that are longer ago than the tolerance. */
    private void settle(List<Pair> pairs) {
        long latest = pairs.stream().mapToLong(Pair::at).max().orElse(0);
        recent.clear();
        for (Pair pair : pairs) {
            if (latest - pair.at < toleranceNanos) {
                recent.add(pair);
            } else {
                highest = Math.max(highest, pair.store.value());
            }
        }
    }

    private boolean isOrdered(Pair earlier, Pair later) {
        // where time is exact, those who share a scope are numbered in their turn too
        Mode mode = toleranceNanos == 0 ? Mode.EXCLUSIVE : earlier.model.claim().mode();
        Claim claim = new Claim(earlier.model.claim().scopes(), mode);
        return later.at - earlier.at > toleranceNanos || claim.conflictsWith(later.model.claim());
    }

    /** Whether the store's token is the one that stands for the table's. */
    boolean same(FencingToken model, FencingToken store) {
        Long known = storeByModel.get(model.value());
        return known != null && known == store.value();
    }

    /** Whether the two name the same grant. */
    boolean same(Holding model, Holding store) {
        return model.claim().equals(store.claim())
                && model.holder().equals(store.holder())
                && same(model.token(), store.token());
    }

    /** What the table calls the store's grant, if the store ever made it. */
    Optional<Holding> modelOf(Holding store) {
        return Optional.ofNullable(modelByStore.get(store.token().value()))
                .filter(known -> same(known, store));
    }

    /** How many grants there were. */
    int size() {
        return storeByModel.size();
    }

    /** The store's highest token so far. */
    long highest() {
        return highest;
    }
}
