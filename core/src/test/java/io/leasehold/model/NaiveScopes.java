// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

import java.util.List;
import java.util.random.RandomGenerator;

/**
 * What overlap and cover mean, kind by kind, without the key space that the code decides them by.
 */
public final class NaiveScopes {

    private static final List<String> SEGMENTS =
            List.of("a", "a.b", "ab", "é", "a b", "-", "\uD83D\uDD12", "~");

    private NaiveScopes() {}

    public static boolean overlap(Scope one, Scope other) {
        return covers(one, other) || covers(other, one) || rangesMeet(one, other);
    }

    public static boolean covers(Scope whole, Scope part) {
        if (whole instanceof Scope.Subtree subtree) {
            return isAtOrBelow(subtree.path(), part);
        }
        if (whole instanceof Scope.Inode inode) {
            return (part instanceof Scope.Inode same && same.inode() == inode.inode())
                    || (part instanceof Scope.ByteRange bytes && bytes.inode() == inode.inode());
        }
        if (whole instanceof Scope.ByteRange outer && part instanceof Scope.ByteRange inner) {
            return outer.inode() == inner.inode()
                    && outer.start() <= inner.start()
                    && inner.end() <= outer.end();
        }
        return whole.equals(part);
    }

    public static boolean conflict(Claim one, Claim other) {
        if (one.mode() == Mode.SHARED && other.mode() == Mode.SHARED) {
            return false;
        }
        for (Scope mine : one.scopes()) {
            for (Scope theirs : other.scopes()) {
                if (overlap(mine, theirs)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** A scope of any kind, from so few values that two of them often overlap. */
    static Scope random(RandomGenerator random) {
        long inode = random.nextInt(3) - 1L;
        long start = random.nextInt(4) * 3L;
        return switch (random.nextInt(5)) {
            case 0 -> Scope.name(SEGMENTS.get(random.nextInt(SEGMENTS.size())));
            case 1 -> Scope.path(randomPath(random));
            case 2 -> Scope.subtree(randomPath(random));
            case 3 -> Scope.inode(inode);
            default ->
                Scope.range(
                        inode,
                        start,
                        random.nextInt(6) == 0 ? Long.MAX_VALUE : start + 1 + random.nextInt(6));
        };
    }

    private static String randomPath(RandomGenerator random) {
        StringBuilder path = new StringBuilder("/");
        for (int depth = random.nextInt(4); depth > 0; depth--) {
            path.append(SEGMENTS.get(random.nextInt(SEGMENTS.size()))).append('/');
        }
        return path.toString();
    }

    private static boolean rangesMeet(Scope one, Scope other) {
        return one instanceof Scope.ByteRange a
                && other instanceof Scope.ByteRange b
                && a.inode() == b.inode()
                && a.start() < b.end()
                && b.start() < a.end();
    }

    private static boolean isAtOrBelow(String top, Scope scope) {
        String path = scope instanceof Scope.Path one
                ? one.path()
                : scope instanceof Scope.Subtree other ? other.path() : "";
        return path.equals(top)
                || (path.startsWith(top) && (top.equals("/") || path.charAt(top.length()) == '/'));
    }
}
