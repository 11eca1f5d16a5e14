// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ScopeTextTest {

    private static final String LOCK = "\uD83D\uDD12"; // four bytes of UTF-8

    @ParameterizedTest
    @ValueSource(
            strings = {
                "name:ledger/42",
                "name::",
                "name: ",
                "name:name:x",
                "name:range:1:0-5",
                "name:../..",
                "name:{ns}:*?[a]\\",
                "name:'; DROP TABLE lease; --",
                "name:<script>",
                "name:%00",
                "name:Straße \uD83D\uDD12",
                "path:/",
                "path:/a:b/c",
                "path:/...",
                "subtree:/",
                "subtree:/var/data",
                "inode:0",
                "inode:18446744073709551615",
                "range:18446744073709551615:0-9223372036854775807",
                "range:4711:0-4096"
            })
    void canonicalTextIsReadBackAsWritten(String text) {
        assertThat(Scope.parse(text).toString()).isEqualTo(text);
    }

    @Test
    void everyScopeIsReadBackFromItsText() {
        for (long seed = 0; seed < 2_000; seed++) {
            Random random = new Random(seed);
            Scope scope = random.nextBoolean()
                    ? NaiveScopes.random(random)
                    : Scope.name(hostileName(random));
            assertThat(Scope.parse(scope.toString())).as("seed %d", seed).isEqualTo(scope);
        }
    }

    private static String hostileName(Random random) {
        return random.ints(0, 0x11_0000)
                .filter(c -> !Character.isISOControl(c) && c != 0x2028 && c != 0x2029)
                .filter(c -> c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE)
                .limit(1 + random.nextInt(100))
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                | starts with none of name:",
                "ledger            | starts with none of name:",
                "Name:x            | starts with none of name:",
                "file:/x           | starts with none of name:",
                "name:             | name is empty",
                "path:             | path is empty",
                "path:a/b          | is not absolute: start it with '/'",
                "subtree:/a/../b   | has a '..' segment: resolve it before leasing",
                "inode:            | is not an unsigned number",
                "inode:-1          | is not an unsigned number",
                "inode:18446744073709551616 | is not an unsigned number",
                "inode:1.5         | is not an unsigned number",
                "range:5           | is not of the form inode:start-end",
                "range:5:7         | is not of the form inode:start-end",
                "range:5:-7        | a bound that is not a number below 2^63",
                "range:5:7-        | a bound that is not a number below 2^63",
                "range:5:0-9223372036854775808 | a bound that is not a number below 2^63",
                "range:5:00-9 | a bound that is not a number below 2^63",
                "inode:+5 | is not an unsigned number",
                "inode:٥ | is not an unsigned number",
                "range:x:0-5       | inode 'x' is not an unsigned number",
                "range:5:7-7       | is empty: the end must be above the start",
                "range:5:9-7       | is empty: the end must be above the start"
            })
    void textThatIsNoScopeIsRefusedWithTheReason(String text, String reason) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Scope.parse(text))
                .withMessageContaining(reason);
    }

    @ParameterizedTest
    @CsvSource({
        "/, /",
        "//, /",
        "/., /",
        "/./, /",
        "/a, /a",
        "/a/, /a",
        "//a///b//, /a/b",
        "/a/./b/., /a/b",
        "/a/.b/c., /a/.b/c.",
        "/..., /...",
        "/a b, /a b",
        "/A, /A"
    })
    void aPathHasOneSpelling(String written, String normal) {
        assertThat(Scope.path(written)).hasToString("path:" + normal).isEqualTo(Scope.path(normal));
        assertThat(Scope.subtree(written))
                .hasToString("subtree:" + normal)
                .isEqualTo(Scope.subtree(normal));
    }

    @ParameterizedTest
    @ValueSource(strings = {"..", "/..", "/a/..", "/../a", "/a/../../b"})
    void aPathThatOnlyAFileSystemCanResolveIsRefused(String path) {
        assertThatIllegalArgumentException().isThrownBy(() -> Scope.path(path));
        assertThatIllegalArgumentException().isThrownBy(() -> Scope.subtree(path));
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "é", "€", LOCK})
    void aNameMayHave512BytesOfUtf8AndNoMore(String character) {
        int width = character.getBytes(java.nio.charset.StandardCharsets.UTF_8).length;
        String full = character.repeat(512 / width) + "x".repeat(512 % width);

        assertThat(Scope.name(full)).isEqualTo(Scope.parse("name:" + full));
        assertThat(Scope.name(full.substring(character.length()))).isNotNull();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Scope.name(full + "x"))
                .withMessageContaining("has 513 bytes; at most 512 are allowed");
    }

    @Test
    void aPathMayHave512BytesOfUtf8AndNoMore() {
        String full = "/" + "é".repeat(255) + "x";

        assertThat(Scope.path(full)).hasToString("path:" + full);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Scope.subtree(full + "x"))
                .withMessageContaining("has 513 bytes");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"\0", "a\nb", "a\r", "\t", "\u007f", "\u0085", "\u009f", "\u2028", "a\u2029"
            })
    void controlCharactersAndLineSeparatorsAreRefusedAndNotRepeated(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Scope.name(text))
                .withMessageContaining("has a control character at index")
                .satisfies(refusal -> assertThat(refusal.getMessage())
                        .doesNotContainPattern("[\\p{Cc}\u2028\u2029]"));
        assertThatIllegalArgumentException().isThrownBy(() -> Scope.path("/" + text));
        assertThatIllegalArgumentException().isThrownBy(() -> new Holder(text));
    }

    @Test
    void aSurrogateWithoutItsPairIsRefused() {
        String high = LOCK.substring(0, 1);
        String low = LOCK.substring(1);
        for (String text :
                new String[] {high, low, low + high, "a" + high, high + "a", high + LOCK, LOCK + low
                }) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Scope.name(text))
                    .withMessageContaining("unpaired surrogate at index");
        }
    }

    @Test
    void aRefusalRepeatsNoMoreThanTheBeginningOfForeignText() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Scope.parse("x".repeat(100_000)))
                .satisfies(refusal -> assertThat(refusal.getMessage()).hasSizeLessThan(200));
    }
}
