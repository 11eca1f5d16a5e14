// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.model.Scope;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the nodes at and around a scope: by equality through a map, by overlap through an interval
 * tree.
 */
final class ScopeIndex {

    /** Asked of node after node until one gives an answer. */
    interface Question<T> {
        @Nullable
        T about(ScopeNode node);
    }

    private final Map<Scope, ScopeNode> nodes = new HashMap<>();
    private final IntervalTree extended = new IntervalTree();

    @Nullable
    ScopeNode at(Scope scope) {
        return nodes.get(scope);
    }

    /** The node of a scope that is known to have one. */
    ScopeNode existing(Scope scope) {
        ScopeNode node = nodes.get(scope);
        if (node == null) {
            throw new AssertionError("nothing at " + scope);
        }
        return node;
    }

    ScopeNode occupy(Scope scope) {
        ScopeNode node = new ScopeNode(scope);
        ScopeNode there = nodes.putIfAbsent(scope, node);
        if (there != null) {
            return there;
        }
        if (!standsAlone(scope)) {
            extended.add(scope.keys(), node);
        }
        return node;
    }

    void removeIfEmpty(ScopeNode node) {
        if (node.isEmpty()) {
            nodes.remove(node.scope);
            if (!standsAlone(node.scope)) {
                extended.remove(node.scope.keys());
            }
        }
    }

    /** The first answer that the question gets for a node whose scope overlaps the given one. */
    <T> @Nullable T search(Scope scope, Question<T> question) {
        if (standsAlone(scope)) {
            ScopeNode node = nodes.get(scope);
            return node == null ? null : question.about(node);
        }
        return extended.search(scope.keys(), question);
    }

    /** Passes on every node whose scope overlaps the given one. */
    void forEachOverlapping(Scope scope, Consumer<ScopeNode> action) {
        Object unused = this.<Object>search(scope, node -> {
            action.accept(node);
            return null; // which goes on with the next one
        });
    }

    Collection<ScopeNode> all() {
        return nodes.values();
    }

    /** Names overlap nothing but themselves, so the map is index enough. */
    private static boolean standsAlone(Scope scope) {
        return scope instanceof Scope.Name;
    }
}
