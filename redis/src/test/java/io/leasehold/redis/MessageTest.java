// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages are read field by field, or not at all. */
final class MessageTest {

    @Test
    void theFieldsAreWhatTheLengthsSay() {
        assertThat(Message.fields(Wire.text("2:ab0:3:a:b5:grö\0")))
                .extracting(Wire::string)
                .containsExactly("ab", "", "a:b", "grö\0");
        assertThat(Message.fields(new byte[0])).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ":",
                "a",
                "5",
                "5:",
                "5:abcd",
                "2:ab3:ab",
                "-1:",
                "-1:abc",
                "x:abc",
                " 1:a",
                "1:ab",
                "2147483647:a",
                "2147483648:a",
                "99999999999999999999:a",
                "٣:abc"
            })
    void whatIsMalformedIsNoMessage(String message) {
        assertThatIllegalArgumentException().isThrownBy(() -> Message.fields(Wire.text(message)));
    }
}
