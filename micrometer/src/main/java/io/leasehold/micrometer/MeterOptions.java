// SPDX-License-Identifier: Apache-2.0
package io.leasehold.micrometer;

import io.leasehold.model.Scope;

import java.util.function.Function;

/**
 * How scopes become labels.
 *
 * @param family names what a scope is one of, such as {@code ledger} for {@code ledger/42}
 * @param maxFamilies how many families have series of their own, 1 to 10,000; those that come later
 *     share the label {@value #OTHER}
 */
public record MeterOptions(Function<? super Scope, String> family, int maxFamilies) {

    /** The label of families beyond the limit. */
    public static final String OTHER = "other";

    private static final int MAX_LIMIT = 10_000;

    public MeterOptions {
        if (maxFamilies < 1 || maxFamilies > MAX_LIMIT) {
            throw new IllegalArgumentException(
                    "maxFamilies " + maxFamilies + " is outside 1 to " + MAX_LIMIT);
        }
    }

    /** Up to the first slash, for at most 100 families. */
    public static MeterOptions defaults() {
        return new MeterOptions(MeterOptions::upToFirstSlash, 100);
    }

    /** Names families otherwise: by few names, and never by what a stranger chooses. */
    public MeterOptions withFamily(Function<? super Scope, String> other) {
        return new MeterOptions(other, maxFamilies);
    }

    public MeterOptions withMaxFamilies(int limit) {
        return new MeterOptions(family, limit);
    }

    private static String upToFirstSlash(Scope scope) {
        if (scope instanceof Scope.Name name) {
            return upToSlash(name.name(), 0);
        } else if (scope instanceof Scope.Path path) {
            return upToSlash(path.path(), 1);
        } else if (scope instanceof Scope.Subtree subtree) {
            return upToSlash(subtree.path(), 1);
        }
        return "inode";
    }

    private static String upToSlash(String text, int from) {
        int slash = text.indexOf('/', from);
        return slash < 0 ? text : text.substring(0, slash);
    }
}
