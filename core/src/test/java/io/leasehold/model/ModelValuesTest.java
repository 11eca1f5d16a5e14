// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ModelValuesTest {

    private static final Scope A = Scope.name("a");
    private static final Scope B = Scope.name("b");

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 1L << 52, (1L << 53) - 1})
    void tokensAreReadBackAsWritten(long value) {
        FencingToken token = new FencingToken(value);
        assertThat(FencingToken.parse(token.toString())).isEqualTo(token);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, 1L << 53, Long.MAX_VALUE, Long.MIN_VALUE})
    void tokensOutsideTheRangeAreRefused(long value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FencingToken(value))
                .withMessageContaining(
                        "fencing token " + value + " is outside 1 to 9007199254740991");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "1.0", "0x1", " 1", "9223372036854775808", "1e3", "+1", "01"})
    void textThatIsNoTokenIsRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FencingToken.parse(text))
                .withMessage("fencing token '" + text + "' is not a number");
    }

    @Test
    void tokensAreOrderedAndATokenIsNotOlderThanItself() {
        FencingToken older = new FencingToken(9);
        FencingToken newer = new FencingToken(10);

        assertThat(older).isLessThan(newer).isEqualByComparingTo(new FencingToken(9));
        assertThat(older.isOlderThan(newer)).isTrue();
        assertThat(newer.isOlderThan(older)).isFalse();
        assertThat(older.isOlderThan(older)).isFalse();
    }

    @Test
    void aLeaseIdIsReadBackFromWhatItReveals() {
        Random random = new Random(3);
        for (int i = 0; i < 1_000; i++) {
            LeaseId id = new LeaseId(random.nextLong(), random.nextLong());
            assertThat(LeaseId.parse(id.reveal())).as("seed 3, id %d", i).isEqualTo(id);
        }
        assertThat(new LeaseId(0, -1).reveal()).isEqualTo("0000000000000000ffffffffffffffff");
        assertThat(LeaseId.parse("0123456789ABCDEFfedcba9876543210").reveal())
                .isEqualTo("0123456789abcdeffedcba9876543210");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "secret",
                "0123456789abcdef0123456789abcde",
                "0123456789abcdef0123456789abcdef0",
                "0123456789abcdef0123456789abcdeg",
                "-123456789abcdef0123456789abcdef"
            })
    void aMalformedLeaseIdIsRefusedAndNotRepeated(String secret) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LeaseId.parse(secret))
                .withMessageContaining("hex digits")
                .satisfies(refusal -> assertThat(
                                String.valueOf(refusal.getMessage()).contains(secret))
                        .isEqualTo(secret.isEmpty()));
    }

    @Test
    void leaseIdsAreEqualInAllBitsOnly() {
        LeaseId id = new LeaseId(5, 9);

        assertThat(id).isEqualTo(new LeaseId(5, 9)).hasSameHashCodeAs(new LeaseId(5, 9));
        for (int bit = 0; bit < 64; bit++) {
            assertThat(id)
                    .isNotEqualTo(new LeaseId(5 ^ 1L << bit, 9))
                    .isNotEqualTo(new LeaseId(5, 9 ^ 1L << bit));
        }
        assertThat(id).isNotEqualTo(new LeaseId(9, 5));
    }

    @Test
    void aClaimHasAtLeastOneScopeAtMost64AndNoneTwice() {
        List<Scope> scopes = new ArrayList<>();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Claim(scopes, Mode.SHARED))
                .withMessage("a claim needs at least one scope");
        for (int i = 0; i < Claim.MAX_SCOPES; i++) {
            scopes.add(Scope.inode(i));
        }
        Claim full = new Claim(scopes, Mode.SHARED);
        scopes.add(A);
        assertThat(full.scopes()).hasSize(64);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Claim(scopes, Mode.SHARED))
                .withMessage("a claim of 65 scopes; at most 64 are allowed");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Claim.exclusive(Scope.path("/a"), B, Scope.path("/a/")))
                .withMessage("a claim names a scope twice: path:/a + name:b + path:/a");
    }

    @Test
    void claimsConflictWhenTheyOverlapAndOneIsExclusive() {
        Claim shared = Claim.shared(A, B);

        assertThat(shared.conflictsWith(Claim.shared(B))).isFalse();
        assertThat(shared.conflictsWith(Claim.exclusive(B))).isTrue();
        assertThat(Claim.exclusive(B).conflictsWith(shared)).isTrue();
        assertThat(Claim.exclusive(B).conflictsWith(Claim.exclusive(B))).isTrue();
        assertThat(Claim.exclusive(A).conflictsWith(Claim.exclusive(B))).isFalse();
        assertThat(shared.covers(B)).isTrue();
        assertThat(shared.covers(Scope.name("c"))).isFalse();
        assertThat(shared).hasToString("name:a + name:b (shared)");
        assertThat(Claim.exclusive(A)).hasToString("name:a");
    }

    @Test
    void randomClaimsConflictAsTheyNaivelyDo() {
        Random random = new Random(4);
        for (int i = 0; i < 20_000; i++) {
            Claim one = randomClaim(random);
            Claim other = randomClaim(random);
            assertThat(one.conflictsWith(other))
                    .as("seed 4, pair %d: %s and %s", i, one, other)
                    .isEqualTo(NaiveScopes.conflict(one, other));
        }
    }

    private static Claim randomClaim(Random random) {
        Scope first = NaiveScopes.random(random);
        Scope second = NaiveScopes.random(random);
        List<Scope> scopes = first.equals(second) ? List.of(first) : List.of(first, second);
        return new Claim(scopes, random.nextBoolean() ? Mode.SHARED : Mode.EXCLUSIVE);
    }

    @Test
    void aRecordHas64KibibytesAtMostAndIsACopy() {
        byte[] bytes = new byte[LeaseRecord.MAX_BYTES];
        LeaseRecord full = LeaseRecord.of(bytes);
        bytes[0] = 1;
        full.bytes()[1] = 1;

        assertThat(full.bytes()).containsOnly(0);
        assertThat(full.size()).isEqualTo(65_536);
        assertThatExceptionOfType(LimitExceededException.class)
                .isThrownBy(() -> LeaseRecord.of("é".repeat(32_768) + "x"))
                .withMessage("a record of 65537 bytes; at most 65536")
                .satisfies(refusal -> assertThat(refusal.maximum()).isEqualTo(65_536));
        assertThat(LeaseRecord.of("Straße").text()).isEqualTo("Straße");
        assertThat(LeaseRecord.of("secret"))
                .hasToString("LeaseRecord[VALUE, 6 bytes]")
                .isEqualTo(LeaseRecord.of("secret"));
    }

    @Test
    void aHolderIsALabelOf256BytesAtMost() {
        assertThat(new Holder("é".repeat(128))).hasToString("é".repeat(128));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Holder("é".repeat(128) + "x"))
                .withMessageContaining("has 257 bytes; at most 256 are allowed");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Holder(""))
                .withMessage("holder is empty");
    }
}
