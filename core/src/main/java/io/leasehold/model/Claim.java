// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

import java.util.HashSet;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a request asks for and a lease holds: one or more scopes, all in one mode, granted all or
 * none.
 *
 * @param scopes 1 to 64 distinct scopes, in the caller's order
 * @param mode exclusive or shared
 */
public record Claim(List<Scope> scopes, Mode mode) {

    /** The most scopes that one lease may hold. */
    public static final int MAX_SCOPES = 64;

    public Claim {
        scopes = List.copyOf(scopes);
        if (scopes.isEmpty()) {
            throw new IllegalArgumentException("a claim needs at least one scope");
        }
        if (scopes.size() > MAX_SCOPES) {
            throw new IllegalArgumentException("a claim of " + scopes.size() + " scopes; at most "
                    + MAX_SCOPES + " are allowed");
        }
        if (scopes.size() > 1 && new HashSet<>(scopes).size() < scopes.size()) {
            throw new IllegalArgumentException("a claim names a scope twice: " + join(scopes));
        }
    }

    public static Claim exclusive(Scope... scopes) {
        return new Claim(List.of(scopes), Mode.EXCLUSIVE);
    }

    public static Claim shared(Scope... scopes) {
        return new Claim(List.of(scopes), Mode.SHARED);
    }

    /**
     * Whether the two can't be held at the same time: some scopes overlap and a mode is exclusive.
     */
    public boolean conflictsWith(Claim other) {
        return mode.excludes(other.mode)
                && scopes.stream().anyMatch(mine -> other.scopes.stream().anyMatch(mine::overlaps));
    }

    /** Whether a lease on this claim is a lease on all of the given scope. */
    public boolean covers(Scope scope) {
        return scopes.stream().anyMatch(mine -> mine.covers(scope));
    }

    /** Whether they are the same: mostly so, and then the same object. */
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || (other instanceof Claim that && mode == that.mode && scopes.equals(that.scopes));
    }

    @Override
    public int hashCode() {
        return 31 * scopes.hashCode() + mode.hashCode();
    }

    /** The scopes for a message to people: a lone name without its kind, anything else in full. */
    public String label() {
        return scopes.size() == 1 && scopes.get(0) instanceof Scope.Name name
                ? name.name()
                : toString();
    }

    @Override
    public String toString() {
        return mode == Mode.EXCLUSIVE ? join(scopes) : join(scopes) + " (shared)";
    }

    private static String join(List<Scope> scopes) {
        return scopes.stream().map(Scope::toString).collect(Collectors.joining(" + "));
    }
}
