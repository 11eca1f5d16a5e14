// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

final class DigestTest {

    @Test
    void equalFieldsHaveEqualDigests() {
        assertThat(Digest.of("a", "b")).isEqualTo(Digest.of("a", "b"));
        assertThat(Digest.of("a", "b")).hasSameHashCodeAs(Digest.of("a", "b"));
    }

    /** The bytes are a promise: outcomes are stored under them by other releases too. */
    @Test
    void theDigestOfKnownFieldsIsTheSameForEver() {
        assertThat(Digest.builder()
                        .text("alice")
                        .number(42)
                        .absent()
                        .bytes(new byte[] {1})
                        .build())
                .hasToString("8f081647699351a9ecdcc14e18286f74d10030ba950bcf78fec290fb9b74ef6a");
    }

    @Test
    void noTwoListsOfFieldsAreAlike() {
        List<Digest> digests = List.of(
                Digest.of("ab", "c"),
                Digest.of("a", "bc"),
                Digest.of("abc"),
                Digest.of("abc", ""),
                Digest.of("", "abc"),
                Digest.of(),
                Digest.of(""),
                Digest.builder().absent().build(),
                Digest.builder().absent().absent().build(),
                Digest.builder().bytes("abc".getBytes(UTF_8)).build(),
                Digest.builder().number(0).build(),
                Digest.builder().number(1).build(),
                Digest.of("1"));
        assertThat(digests).doesNotHaveDuplicates();
    }

    @Test
    void aDigestIsReadBackFromItsText() {
        Digest digest = Digest.of("x");
        assertThat(Digest.parse(digest.toString())).isEqualTo(digest);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Digest.parse("abcd"))
                .withMessage("a digest of 2 bytes; SHA-256 has 32");
        assertThatIllegalArgumentException().isThrownBy(() -> Digest.parse("no hex"));
    }

    @Test
    void textWithAnUnpairedSurrogateIsRefusedInsteadOfSharingTheDigestOfAnother() {
        for (String text : List.of("pay \ud800", "pay \udc00", "\ud800pay", "\udc00\ud800")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Digest.of("alice", text))
                    .withMessageContaining("an unpaired surrogate at index")
                    .withMessageContaining("bytes(…)");
        }
        assertThat(Digest.of("pay \ud83d\ude00")).isNotEqualTo(Digest.of("pay ?"));
    }

    @Test
    void valuesWithAnUnpairedSurrogateAreRefusedInsteadOfStoredAsAnother() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Codec.strings().encode("paid \ud800"))
                .withMessage("the value has an unpaired surrogate at index 5");
        assertThat(Codec.strings().decode(Codec.strings().encode("paid \ud83d\ude00")))
                .isEqualTo("paid \ud83d\ude00");
    }
}
