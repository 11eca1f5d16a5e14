// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.Scope;
import io.leasehold.testkit.TokenMap.Pair;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TokenMapTest {

    private final TokenMap tokens = new TokenMap(10);

    @Test
    void tokensOfAnyValueWillDoIfTheyAreInOrder() {
        assertThat(tokens.learn(List.of(pair(1, 1_700_000, "a", 0)))).isEmpty();
        assertThat(tokens.learn(List.of(pair(2, 1_700_009, "a", 0)))).isEmpty();
        assertThat(tokens.same(new FencingToken(2), new FencingToken(1_700_009)))
                .isTrue();
        assertThat(tokens.same(new FencingToken(1), new FencingToken(1_700_009)))
                .isFalse();
    }

    @Test
    void aRepeatOfAGrantHasTheSameToken() {
        assertThat(tokens.learn(List.of(pair(1, 5, "a", 0), pair(1, 5, "a", 0))))
                .isEmpty();
        assertThat(tokens.learn(List.of(pair(1, 6, "a", 0)))).isPresent();
    }

    @Test
    void noTokenIsGrantedTwice() {
        assertThat(tokens.learn(List.of(pair(1, 5, "a", 0), pair(2, 5, "b", 0))))
                .isPresent();
    }

    @Test
    void aLaterStepHasHigherTokens() {
        tokens.learn(List.of(pair(1, 5, "a", 0)));
        assertThat(tokens.learn(List.of(pair(2, 4, "b", 0)))).isPresent();
    }

    @Test
    void aGrantThatWasAskedForEarlierMayBeToldLate() {
        tokens.learn(List.of(pair(2, 5, "a", 9)));
        assertThat(tokens.learn(List.of(late(pair(1, 4, "b", 0))))).isEmpty();
        assertThat(tokens.learn(List.of(late(pair(3, 6, "c", 30))))).isEmpty();
        assertThat(tokens.learn(List.of(late(pair(4, 3, "d", 30))))).isPresent();
    }

    private static Pair late(Pair pair) {
        return new Pair(pair.model(), pair.store(), pair.at(), true);
    }

    @Test
    void grantsOfOneMomentMayBeNumberedEitherWay() {
        assertThat(tokens.learn(List.of(pair(1, 6, "a", 0), pair(2, 5, "b", 9))))
                .isEmpty();
    }

    @Test
    void grantsOfDifferentMomentsMayNot() {
        assertThat(tokens.learn(List.of(pair(1, 6, "a", 0), pair(2, 5, "b", 11))))
                .isPresent();
    }

    @Test
    void grantsOfOneScopeMayNot() {
        assertThat(tokens.learn(List.of(pair(1, 6, "a", 0), pair(2, 5, "a", 0))))
                .isPresent();
    }

    private static Pair pair(long model, long store, String name, long at) {
        Holding holding = new Holding(
                Claim.exclusive(Scope.name(name)), new Holder("x"), new FencingToken(model));
        return new Pair(holding, new FencingToken(store), at, false);
    }
}
