// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class MarkKeyTest {

    @Test
    void aMarkIsInTheSlotOfItsKey() {
        Map<String, String> marks = Map.of(
                "orders:42", "{orders:42}:fence",
                "{user7}:cart", "{user7}:cart:fence",
                "a{user7}", "a{user7}:fence",
                "a{b", "{a{b}:fence",
                "grün", "{grün}:fence");
        marks.forEach((key, mark) -> {
            assertThat(MarkKey.beside(key).name()).isEqualTo(mark);
            MarkKey.beside(key).check(key);
        });
    }

    @Test
    void aKeyWithABraceAndNoTagHasNoMarkBesideIt() {
        for (String key : List.of("a}b", "{}a", "{}{a}", "}{", "a}b{c")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> MarkKey.beside(key))
                    .withMessageContaining(key);
        }
        assertThatIllegalArgumentException().isThrownBy(() -> MarkKey.beside(""));
    }
}
