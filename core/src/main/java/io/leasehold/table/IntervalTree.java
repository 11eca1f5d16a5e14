// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.model.KeyRange;

import org.jspecify.annotations.Nullable;

/**
 * Key ranges with a node each, searchable by overlap in logarithmic time plus the number of ranges
 * found.
 *
 * <p>A treap: a search tree by (from, to) that is a heap by a pseudo-random priority, which keeps
 * it balanced. Each vertex knows the highest end below it, so a search leaves out every subtree
 * that ends before it starts. The priorities come from a fixed sequence, so equal histories build
 * equal trees.
 */
final class IntervalTree {

    private static final class Vertex {
        final KeyRange range;
        final ScopeNode node;
        final long priority;

        @Nullable
        Vertex left;

        @Nullable
        Vertex right;

        String highestEnd;

        Vertex(KeyRange range, ScopeNode node, long priority) {
            this.range = range;
            this.node = node;
            this.priority = priority;
            this.highestEnd = range.to();
        }

        void refresh() {
            highestEnd = later(later(range.to(), left), right);
        }

        private static String later(String end, @Nullable Vertex child) {
            return child == null || child.highestEnd.compareTo(end) <= 0 ? end : child.highestEnd;
        }
    }

    private @Nullable Vertex root;
    private long random = 0x9E3779B97F4A7C15L;

    /** Adds a range that is not in the tree. */
    void add(KeyRange range, ScopeNode node) {
        root = insert(root, new Vertex(range, node, nextPriority()));
    }

    /** Removes a range that is in the tree. */
    void remove(KeyRange range) {
        root = delete(root, range);
    }

    /**
     * The first answer, in key order, that the question gets for a range that intersects the given
     * one.
     */
    <T> @Nullable T search(KeyRange range, ScopeIndex.Question<T> question) {
        return search(root, range, question);
    }

    private static <T> @Nullable T search(
            @Nullable Vertex vertex, KeyRange range, ScopeIndex.Question<T> question) {
        if (vertex == null || vertex.highestEnd.compareTo(range.from()) <= 0) {
            return null;
        }
        T found = search(vertex.left, range, question);
        if (found != null) {
            return found;
        }
        if (vertex.range.from().compareTo(range.to()) >= 0) {
            return null;
        }
        if (vertex.range.intersects(range)) {
            found = question.about(vertex.node);
            if (found != null) {
                return found;
            }
        }
        return search(vertex.right, range, question);
    }

    private static Vertex insert(@Nullable Vertex vertex, Vertex added) {
        if (vertex == null) {
            return added;
        }
        if (compare(added.range, vertex.range) < 0) {
            Vertex child = insert(vertex.left, added);
            vertex.left = child;
            return child.priority < vertex.priority
                    ? rotateRight(vertex, child)
                    : refreshed(vertex);
        }
        Vertex child = insert(vertex.right, added);
        vertex.right = child;
        return child.priority < vertex.priority ? rotateLeft(vertex, child) : refreshed(vertex);
    }

    private static @Nullable Vertex delete(@Nullable Vertex vertex, KeyRange range) {
        if (vertex == null) {
            throw new AssertionError("the range is not in the tree");
        }
        int order = compare(range, vertex.range);
        if (order == 0) {
            return merge(vertex.left, vertex.right);
        }
        if (order < 0) {
            vertex.left = delete(vertex.left, range);
        } else {
            vertex.right = delete(vertex.right, range);
        }
        return refreshed(vertex);
    }

    /** Joins two trees of which the first lies before the second. */
    private static @Nullable Vertex merge(@Nullable Vertex before, @Nullable Vertex after) {
        if (before == null || after == null) {
            return before == null ? after : before;
        }
        if (before.priority < after.priority) {
            before.right = merge(before.right, after);
            return refreshed(before);
        }
        after.left = merge(before, after.left);
        return refreshed(after);
    }

    private static Vertex rotateRight(Vertex vertex, Vertex left) {
        vertex.left = left.right;
        left.right = refreshed(vertex);
        return refreshed(left);
    }

    private static Vertex rotateLeft(Vertex vertex, Vertex right) {
        vertex.right = right.left;
        right.left = refreshed(vertex);
        return refreshed(right);
    }

    private static Vertex refreshed(Vertex vertex) {
        vertex.refresh();
        return vertex;
    }

    private static int compare(KeyRange a, KeyRange b) {
        int byStart = a.from().compareTo(b.from());
        return byStart != 0 ? byStart : a.to().compareTo(b.to());
    }

    /** The xorshift sequence: fixed, and good enough for balance. */
    private long nextPriority() {
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        return random;
    }
}
