// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.NaiveScopes;
import io.leasehold.model.Scope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class IntervalTreeTest {

    @Test
    void randomTreesFindExactlyWhatOverlaps() {
        for (long seed = 1; seed <= 60; seed++) {
            compareWithAList(seed);
        }
    }

    private static void compareWithAList(long seed) {
        Random random = new Random(seed);
        IntervalTree tree = new IntervalTree();
        Map<Scope, ScopeNode> all = new HashMap<>();
        for (int step = 0; step < 400; step++) {
            Scope scope = randomScope(random);
            ScopeNode existing = all.get(scope);
            if (existing == null) {
                ScopeNode node = new ScopeNode(scope);
                all.put(scope, node);
                tree.add(scope.keys(), node);
            } else if (random.nextBoolean()) {
                all.remove(scope);
                tree.remove(scope.keys());
            }
            Scope wanted = randomScope(random);
            List<ScopeNode> right = all.values().stream()
                    .filter(node -> NaiveScopes.overlap(node.scope, wanted))
                    .toList();
            assertThat(found(tree, wanted))
                    .as("seed %d, step %d, %s", seed, step, wanted)
                    .containsExactlyInAnyOrderElementsOf(right);
        }
    }

    private static List<ScopeNode> found(IntervalTree tree, Scope scope) {
        List<ScopeNode> found = new ArrayList<>();
        Object end = tree.search(scope.keys(), node -> {
            found.add(node);
            return null;
        });
        assertThat(end).isNull();
        return found;
    }

    private static Scope randomScope(Random random) {
        long start = random.nextInt(60);
        String path = "/" + random.nextInt(4) + "/" + random.nextInt(4);
        return switch (random.nextInt(8)) {
            case 0 -> Scope.inode(random.nextInt(3));
            case 1 -> Scope.path(path + "/" + random.nextInt(3));
            case 2 -> Scope.subtree(path);
            case 3 -> Scope.subtree("/" + random.nextInt(5));
            default -> Scope.range(random.nextInt(3), start, start + 1 + random.nextInt(20));
        };
    }

    @Test
    void theSearchGoesInKeyOrderAndEndsAtTheFirstAnswer() {
        IntervalTree tree = new IntervalTree();
        for (int i = 99; i >= 0; i--) {
            Scope scope = Scope.range(1, i, i + 5);
            tree.add(scope.keys(), new ScopeNode(scope));
        }
        List<Scope> seen = new ArrayList<>();

        Scope answer = tree.search(Scope.inode(1).keys(), node -> {
            seen.add(node.scope);
            return seen.size() == 3 ? node.scope : null;
        });

        assertThat(answer).isEqualTo(Scope.range(1, 2, 7));
        assertThat(seen).hasSize(3);
    }

    @Test
    void tenThousandRangesInOrderAreSearchedWithoutDeepRecursion() {
        IntervalTree tree = new IntervalTree();
        for (int i = 0; i < 10_000; i++) {
            Scope scope = Scope.range(1, i, i + 1);
            tree.add(scope.keys(), new ScopeNode(scope));
        }

        assertThat(found(tree, Scope.range(1, 5_000, 5_003))).hasSize(3);
        assertThat(found(tree, Scope.inode(1))).hasSize(10_000);
        assertThat(found(tree, Scope.inode(2))).isEmpty();
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void rangesThatComeAndGoInAnyOrderAreSearchedWithoutDeepRecursion() {
        int half = 20_000;
        IntervalTree tree = new IntervalTree();
        for (int i = 0; i < half && !Thread.currentThread().isInterrupted(); i++) {
            add(tree, i);
            add(tree, 2 * half - i); // from the ends to the middle
        }
        for (int i = 0; i < half - 10 && !Thread.currentThread().isInterrupted(); i++) {
            tree.remove(Scope.range(1, half + 1 + i, half + 2 + i).keys());
            add(tree, 3 * half + i);
            tree.remove(Scope.range(1, half - 1 - i, half - i).keys());
        }
        assertThat(found(tree, Scope.range(1, 0, 2 * half + 1))).hasSize(20);
        assertThat(found(tree, Scope.inode(1))).hasSize(half + 10);
    }

    private static void add(IntervalTree tree, int start) {
        Scope scope = Scope.range(1, start, start + 1);
        tree.add(scope.keys(), new ScopeNode(scope));
    }

    @Test
    void removalOfWhatIsNotThereIsAnError() {
        IntervalTree tree = new IntervalTree();

        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> tree.remove(Scope.inode(1).keys()));
    }
}
