// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ScopeOverlapTest {

    /**
     * One row for each pair of kinds and each way in which they may lie: do they overlap, does one
     * cover the other?
     */
    @ParameterizedTest
    @CsvSource({
        "name:a, name:a, true, true, true",
        "name:a, name:b, false, false, false",
        "name:a, name:A, false, false, false",
        "name:/a, path:/a, false, false, false",
        "name:/a, subtree:/, false, false, false",
        "name:1, inode:1, false, false, false",
        "name:1, range:1:0-5, false, false, false",
        "path:/a, path:/a, true, true, true",
        "path:/a, path:/a/b, false, false, false",
        "path:/, path:/a, false, false, false",
        "subtree:/, path:/, true, true, false",
        "subtree:/, path:/a/b, true, true, false",
        "subtree:/a, path:/a, true, true, false",
        "subtree:/a, path:/a/b, true, true, false",
        "subtree:/a, path:/ab, false, false, false",
        "subtree:/a, path:/a.b, false, false, false",
        "subtree:/a, path:/a b, false, false, false",
        "subtree:/a/b, path:/a, false, false, false",
        "subtree:/a, subtree:/a, true, true, true",
        "subtree:/, subtree:/a/b, true, true, false",
        "subtree:/a, subtree:/a/b, true, true, false",
        "subtree:/a, subtree:/b, false, false, false",
        "subtree:/a, subtree:/ab, false, false, false",
        "subtree:/, inode:1, false, false, false",
        "subtree:/, range:1:0-5, false, false, false",
        "path:/1, inode:1, false, false, false",
        "path:/1, range:1:0-5, false, false, false",
        "inode:1, inode:1, true, true, true",
        "inode:1, inode:2, false, false, false",
        "inode:1, range:1:0-1, true, true, false",
        "inode:1, range:1:0-9223372036854775807, true, true, false",
        "inode:1, range:2:0-1, false, false, false",
        "inode:1, range:18446744073709551615:0-1, false, false, false",
        "range:1:0-5, range:1:0-5, true, true, true",
        "range:1:0-5, range:2:0-5, false, false, false",
        "range:1:0-5, range:1:4-9, true, false, false",
        "range:1:0-5, range:1:5-9, false, false, false",
        "range:1:0-9, range:1:3-4, true, true, false",
        "range:1:9-10, range:1:10-11, false, false, false",
        "range:1:0-4294967296, range:1:4294967295-4294967297, true, false, false"
    })
    void theTableOfOverlapsAndCovers(
            String one, String other, boolean overlap, boolean covers, boolean covered) {
        Scope a = Scope.parse(one);
        Scope b = Scope.parse(other);
        assertThat(a.overlaps(b)).isEqualTo(overlap);
        assertThat(b.overlaps(a)).isEqualTo(overlap);
        assertThat(a.covers(b)).isEqualTo(covers);
        assertThat(b.covers(a)).isEqualTo(covered);
        assertThat(NaiveScopes.overlap(a, b)).isEqualTo(overlap);
        assertThat(NaiveScopes.covers(a, b)).isEqualTo(covers);
        assertThat(NaiveScopes.covers(b, a)).isEqualTo(covered);
    }

    @Test
    void randomScopesOverlapAndCoverAsTheyNaivelyDo() {
        Random random = new Random(1);
        for (int i = 0; i < 200_000; i++) {
            Scope a = NaiveScopes.random(random);
            Scope b = NaiveScopes.random(random);
            boolean right = a.overlaps(b) == NaiveScopes.overlap(a, b)
                    && b.overlaps(a) == NaiveScopes.overlap(a, b)
                    && a.covers(b) == NaiveScopes.covers(a, b);
            assertThat(right).as("seed 1, pair %d: %s and %s", i, a, b).isTrue();
        }
    }

    @Test
    void theKeySpaceIsTheOnlyTestThereIs() {
        Random random = new Random(2);
        for (int i = 0; i < 50_000; i++) {
            Scope a = NaiveScopes.random(random);
            Scope b = NaiveScopes.random(random);
            assertThat(a.keys().intersects(b.keys()))
                    .as("seed 2, pair %d: %s and %s", i, a, b)
                    .isEqualTo(a.overlaps(b));
        }
    }

    @Test
    void inodesAreUnsigned() {
        Scope highest = Scope.inode(-1);

        assertThat(highest).hasToString("inode:18446744073709551615");
        assertThat(highest.covers(Scope.range(-1, 5, 6))).isTrue();
        assertThat(highest.overlaps(Scope.inode(1))).isFalse();
        assertThat(highest.overlaps(Scope.inode(Long.MAX_VALUE))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "-1, 5, 'starts at -1, below 0'",
        "-9223372036854775808, 5, below 0",
        "5, 5, is empty: the end must be above the start",
        "5, 4, is empty: the end must be above the start",
        "0, 0, is empty: the end must be above the start",
        "9223372036854775807, -9223372036854775808, is empty: the end must be above the start",
        "9223372036854775807, 9223372036854775807, is empty: the end must be above the start"
    })
    void badBoundsOfARangeAreRefused(long start, long end, String reason) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Scope.range(1, start, end))
                .withMessageContaining(reason);
    }
}
