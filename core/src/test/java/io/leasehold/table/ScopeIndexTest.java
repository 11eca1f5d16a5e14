// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Scope;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is at no scope any more is found by neither of the two ways. */
final class ScopeIndexTest {

    private static final List<Scope> SCOPES = List.of(
            Scope.name("a"),
            Scope.path("/a"),
            Scope.subtree("/a"),
            Scope.inode(1),
            Scope.range(1, 0, 10));

    @Test
    void aNodeThatWasRemovedIsFoundNoMore() {
        ScopeIndex index = new ScopeIndex();
        for (Scope scope : SCOPES) {
            ScopeNode node = index.occupy(scope);
            assertThat(index.at(scope)).isSameAs(node);
            assertThat(index.<ScopeNode>search(scope, found -> found)).isSameAs(node);
            index.removeIfEmpty(node);
            assertThat(index.at(scope)).as("%s", scope).isNull();
            assertThat(index.<ScopeNode>search(scope, found -> found))
                    .as("%s", scope)
                    .isNull();
        }
        assertThat(index.all()).isEmpty();
    }
}
