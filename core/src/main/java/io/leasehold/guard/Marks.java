// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard;

import io.leasehold.model.FencingToken;
import io.leasehold.model.KeyRange;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.Scope;
import io.leasehold.model.ScopeMismatchException;
import io.leasehold.model.StaleTokenException;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The highest token that each part of one resource has seen: disjoint ranges of the key space that
 * all scopes live in, each with its mark. Neighbours with one mark are one range, so a resource
 * that is always written as a whole has a single one. For authors of guards. Not thread-safe.
 */
public final class Marks {

    /** The most ranges with marks of their own in one resource. */
    public static final int MAX_RANGES = 65_536;

    private final Scope resource;
    private final String name;
    private final NavigableMap<String, Marked> ranges = new TreeMap<>(); // by their first key

    /** What is marked from some key on: up to which key, with which token. */
    private record Marked(String to, FencingToken token) {

        /** Whether it is one range with what is marked with the token from some later key on. */
        boolean joins(String from, FencingToken with) {
            return to.compareTo(from) >= 0 && token.equals(with);
        }
    }

    /**
     * A range that has a mark of its own.
     *
     * @param keys where it lies in the key space
     * @param token the highest that it has seen
     */
    public record Range(KeyRange keys, FencingToken token) {}

    /** No part has seen a token; the name appears in refusals. */
    public Marks(Scope resource, String name) {
        this.resource = resource;
        this.name = name;
    }

    /**
     * Checks that the target has seen nothing newer.
     *
     * @throws StaleTokenException if it has
     * @throws ScopeMismatchException if it is no part of the resource
     * @throws LimitExceededException if there are {@link #MAX_RANGES} ranges and the target would
     *     add one; those that are known go on
     */
    public void check(Admission admission) {
        Optional<FencingToken> mark = of(admission.target());
        if (mark.isPresent() && admission.token().isOlderThan(mark.get())) {
            throw new StaleTokenException(name, admission.token(), mark.get());
        }
        if (ranges.size() + 2 > MAX_RANGES && sizeAfter(admission) > MAX_RANGES) {
            throw new LimitExceededException(
                    "marked ranges",
                    MAX_RANGES,
                    name + " has " + ranges.size() + " parts with marks of their own, and this"
                            + " would be another: seal the whole of it once with a newer token,"
                            + " which makes them one, and choose parts of which there are fewer");
        }
    }

    /** How many ranges there are once the mark of the target is raised. */
    int sizeAfter(Admission admission) {
        String from = admission.target().keys().from();
        String to = admission.target().keys().to();
        FencingToken token = admission.token();
        NavigableMap<String, Marked> inside = ranges.subMap(from, true, to, false);
        int size = ranges.size() - inside.size() + 1;
        Map.Entry<String, Marked> before = ranges.lowerEntry(from);
        if (before != null && before.getValue().joins(from, token)) {
            size--;
        }
        Map.Entry<String, Marked> last = ranges.lowerEntry(to);
        if (last != null && last.getValue().to().compareTo(to) > 0) {
            return last.getValue().token().equals(token) ? size : size + 1; // what is beyond
        }
        Marked after = ranges.get(to);
        return after != null && after.token().equals(token) ? size - 1 : size;
    }

    /** Raises the mark of exactly the target. Its token must have been {@link #check checked}. */
    public void raise(Admission admission) {
        raise(admission.target().keys(), admission.token());
    }

    /** Raises the mark of exactly these keys, which have seen nothing newer: as {@link #ranges}. */
    public void raise(KeyRange target, FencingToken token) {
        String from = target.from();
        String to = target.to();
        Map.Entry<String, Marked> before = ranges.lowerEntry(from);
        if (before != null && before.getValue().to().compareTo(from) >= 0) {
            Marked left = before.getValue();
            if (left.to().compareTo(to) > 0) {
                ranges.put(to, left); // it reaches beyond the target, on both sides
            }
            if (left.token().equals(token)) {
                from = before.getKey();
            } else {
                ranges.put(before.getKey(), new Marked(from, left.token()));
            }
        }
        Map.Entry<String, Marked> inside = ranges.ceilingEntry(from);
        while (inside != null && inside.getKey().compareTo(to) < 0) {
            ranges.remove(inside.getKey());
            if (inside.getValue().to().compareTo(to) > 0) {
                ranges.put(to, inside.getValue());
            }
            inside = ranges.ceilingEntry(from);
        }
        Marked after = ranges.get(to);
        if (after != null && after.token().equals(token)) {
            ranges.remove(to);
            to = after.to();
        }
        ranges.put(from, new Marked(to, token));
    }

    /**
     * The highest token that any of the part has seen.
     *
     * @throws ScopeMismatchException if it is no part of the resource
     */
    public Optional<FencingToken> of(Scope part) {
        if (!resource.covers(part)) {
            throw ScopeMismatchException.notGuarded(resource, part);
        }
        return of(part.keys());
    }

    /** The highest token that any of these keys has seen. */
    public Optional<FencingToken> of(KeyRange keys) {
        Map.Entry<String, Marked> before = ranges.lowerEntry(keys.from());
        FencingToken highest = before != null && before.getValue().to().compareTo(keys.from()) > 0
                ? before.getValue().token()
                : null;
        for (Marked marked : ranges.subMap(keys.from(), keys.to()).values()) {
            highest = newer(highest, marked.token());
        }
        return Optional.ofNullable(highest);
    }

    /** All that is marked, in the order of the keys: what a guard keeps, and raises again. */
    public List<Range> ranges() {
        return ranges.entrySet().stream()
                .map(range -> new Range(
                        new KeyRange(range.getKey(), range.getValue().to()),
                        range.getValue().token()))
                .toList();
    }

    private static FencingToken newer(@Nullable FencingToken one, FencingToken other) {
        return one == null || one.isOlderThan(other) ? other : one;
    }
}
