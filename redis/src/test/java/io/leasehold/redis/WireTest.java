// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written for the script is read back the same. */
final class WireTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "name:ledger/42",
                "name:x",
                "name:Żółć 漢字 😀",
                "name:with:colon and $ % ~ ! {braces}",
                "path:/",
                "path:/var/data",
                "path:/größe/漢",
                "subtree:/",
                "subtree:/var",
                "inode:0",
                "inode:18446744073709551615",
                "range:4711:0-1",
                "range:4711:0-4096",
                "range:0:9223372036854775806-9223372036854775807",
                "range:18446744073709551615:1-9223372036854775807"
            })
    void everyKindOfScopeComesBack(String text) {
        Scope scope = Scope.parse(text);
        assertThat(Wire.readScope(new String(Wire.scope(scope), UTF_8))).isEqualTo(scope);
        for (Mode mode : Mode.values()) {
            Claim claim = new Claim(List.of(scope), mode);
            assertThat(Wire.readClaim(new String(Wire.claim(claim), UTF_8))).isEqualTo(claim);
        }
    }

    @Test
    void theLongestNameComesBack() {
        Scope scope = Scope.name("漢".repeat(170) + "ab");
        assertThat(Wire.readScope(new String(Wire.scope(scope), UTF_8))).isEqualTo(scope);
    }

    @Test
    void aClaimOfAsManyScopesAsMayBeComesBackInItsOrder() {
        List<Scope> scopes = new ArrayList<>();
        for (int i = 0; i < Claim.MAX_SCOPES; i++) {
            scopes.add(
                    switch (i % 5) {
                        case 0 -> Scope.name("name " + i);
                        case 1 -> Scope.path("/path/" + i);
                        case 2 -> Scope.subtree("/tree/" + i);
                        case 3 -> Scope.inode(i);
                        default -> Scope.range(i, i, 10L * i);
                    });
        }
        Collections.reverse(scopes);
        Claim claim = new Claim(scopes, Mode.SHARED);
        assertThat(Wire.readClaim(new String(Wire.claim(claim), UTF_8))).isEqualTo(claim);
    }

    @Test
    void noScopeIsWrittenLikeAnother() {
        assertThat(List.of(
                        Wire.string(Wire.scope(Scope.name("/a"))),
                        Wire.string(Wire.scope(Scope.path("/a"))),
                        Wire.string(Wire.scope(Scope.subtree("/a"))),
                        Wire.string(Wire.scope(Scope.inode(1))),
                        Wire.string(Wire.scope(Scope.range(1, 0, 1))),
                        Wire.string(Wire.scope(Scope.range(1, 0, 2))),
                        Wire.string(Wire.scope(Scope.range(1, 1, 2)))))
                .doesNotHaveDuplicates();
    }

    @Test
    void aScopeOfAnUnknownKindIsNone() {
        assertThatIllegalArgumentException().isThrownBy(() -> Wire.readScope("zwhat"));
    }

    @ParameterizedTest
    @EnumSource(LeaseRecord.Kind.class)
    void everyKindOfRecordComesBackWithAllItsBytes(LeaseRecord.Kind kind) {
        byte[] bytes = new byte[LeaseRecord.MAX_BYTES];
        new SplittableRandom(42).nextBytes(bytes);
        for (byte[] content : List.of(new byte[0], new byte[] {0, -1, 13, 10}, bytes)) {
            LeaseRecord record = LeaseRecord.of(kind, content);
            assertThat(Wire.readRecord(Wire.record(record))).isEqualTo(record);
            assertThat(Wire.optionalRecord(Wire.optional(Optional.of(record)))).contains(record);
        }
    }

    @Test
    void noRecordIsAnotherThingThanAnEmptyOne() {
        assertThat(Wire.optionalRecord(Wire.optional(Optional.empty()))).isEmpty();
        assertThat(Wire.optional(Optional.of(LeaseRecord.of("")))).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1, 1",
        "999, 1",
        "1000, 1",
        "1001, 2",
        "100000000, 100000",
        "100000001, 100001",
        "86400000000000, 86400000000",
        "34560000000000000, 34560000000000"
    })
    void lengthsAreRoundedUpToMicroseconds(long nanos, long micros) {
        assertThat(Wire.string(Wire.length(Duration.ofNanos(nanos))))
                .isEqualTo(Long.toString(micros));
        assertThat(Wire.micros((Object) micros))
                .isGreaterThanOrEqualTo(Duration.ofNanos(nanos))
                .isLessThan(Duration.ofNanos(nanos + 1000));
    }

    @Test
    void numbersAndTokensAreReadFromBothFormsOfAnswer() {
        assertThat(Wire.number((Object) 7L)).isEqualTo(7);
        assertThat(Wire.number((Object) Wire.text("9007199254740991")))
                .isEqualTo(9_007_199_254_740_991L);
        assertThat(Wire.token(Wire.number(FencingToken.MAX_VALUE)).value())
                .isEqualTo(FencingToken.MAX_VALUE);
    }

    @Test
    void aHoldingAndAnIdComeBack() {
        Claim claim = Claim.shared(Scope.name("a"), Scope.path("/b"));
        Holding holding = Wire.holding(
                List.of(0L, Wire.claim(claim), Wire.text("hölder"), Wire.text("12")), 1);
        assertThat(holding.claim()).isEqualTo(claim);
        assertThat(holding.holder().label()).isEqualTo("hölder");
        assertThat(holding.token()).isEqualTo(new FencingToken(12));
        LeaseId id = new LeaseId(-1, 1);
        assertThat(LeaseId.parse(Wire.string(Wire.id(id)))).isEqualTo(id);
    }
}
