// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonReaderTest {

    private static final String DOCUMENT =
            " {\"a\" : [1, -2.5e3, true,false , null, \"\\u00e9\\n\\\"\"],\"b\":{\"c\":{}},\"d\":[]} ";

    @Test
    void whatIsWrittenIsReadAsTheSame() {
        Map<String, Object> value = Json.object(
                "text",
                "a \"quoted\" \\ é \u0001 \ud83d\ude00",
                "number",
                42L,
                "flag",
                true,
                "missing",
                Optional.empty(),
                "list",
                List.of("x", List.of(), Json.object("y", 1L)));
        assertThat(JsonReader.value(Json.write(value))).isEqualTo(value);
    }

    @Test
    void allKindsOfValuesAreRead() {
        JsonObject object = JsonReader.object(DOCUMENT);
        assertThat(object.fields().get("a"))
                .isEqualTo(List.of(1L, -2500.0, true, false, Optional.empty(), "é\n\""));
        assertThat(object.object("b").orElseThrow().object("c")).isPresent();
        assertThat(object.objects("d")).isEmpty();
    }

    @Test
    void everyBeginningOfADocumentIsRefused() {
        for (int end = 0; end < DOCUMENT.strip().length(); end++) {
            String cut = DOCUMENT.strip().substring(0, end);
            assertThatThrownBy(() -> JsonReader.object(cut)).isInstanceOf(JsonException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\":1,}",
                "[1,]",
                "{'a':1}",
                "{a:1}",
                "01",
                "1.",
                ".5",
                "+1",
                "-",
                "1e",
                "NaN",
                "truee",
                "\"\t\"",
                "\"\\x\"",
                "\"\\u12g4\"",
                "{} {}",
                "{\"a\":1,\"a\":2}",
                "// no\n1",
                "12345678901234567890",
                "\"",
                "\u00a01",
                "{\"a\" 1}",
                "[1 2]"
            })
    void whatIsNoJsonIsRefused(String text) {
        assertThatThrownBy(() -> JsonReader.value(text)).isInstanceOf(JsonException.class);
    }

    @Test
    void nestingIsBounded() {
        assertThat(JsonReader.value("[".repeat(64) + "]".repeat(64))).isNotNull();
        assertThatThrownBy(() -> JsonReader.value("[".repeat(100_000)))
                .isInstanceOf(JsonException.class);
    }

    @Test
    void noTextWhateverCausesAnotherException() {
        long seed = 7;
        Random random = new Random(seed);
        for (int i = 0; i < 200_000; i++) {
            StringBuilder text = new StringBuilder(DOCUMENT);
            for (int edits = random.nextInt(4); edits >= 0; edits--) {
                int at = random.nextInt(text.length());
                text.setCharAt(at, "{}[]\",:\\u0e-.tn \u0000\ud800".charAt(random.nextInt(18)));
            }
            try {
                JsonReader.object(text.toString());
            } catch (JsonException e) {
                assertThat(e.getMessage()).isNotEmpty();
            }
        }
    }

    @Test
    void durationsAreReadAndWrittenAsProtobufHasThem() {
        for (Duration duration : List.of(
                Duration.ZERO,
                Duration.ofMillis(250),
                Duration.ofSeconds(30),
                Duration.ofNanos(1),
                Duration.ofMillis(-1500),
                Duration.ofDays(400))) {
            assertThat(Durations.parse(Durations.write(duration))).isEqualTo(duration);
        }
        assertThat(Durations.write(Duration.ofMillis(250))).isEqualTo("0.25s");
        assertThat(Durations.write(Duration.ofSeconds(30))).isEqualTo("30s");
        assertThat(Durations.parse("0.250000000s")).isEqualTo(Duration.ofMillis(250));
        for (String wrong : List.of("", "1", "s", "1m", "xs", "0.0000000001s", "1e99999s")) {
            assertThatThrownBy(() -> Durations.parse(wrong)).isInstanceOf(JsonException.class);
        }
    }

    @Test
    void aNumberMayBeAText() {
        JsonObject object = JsonReader.object("{\"a\":\"9007199254740991\",\"b\":7,\"c\":\"x\"}");
        assertThat(object.number("a")).isEqualTo(9007199254740991L);
        assertThat(object.number("b")).isEqualTo(7);
        assertThat(object.number("missing")).isZero();
        assertThatThrownBy(() -> object.number("c")).isInstanceOf(JsonException.class);
        assertThatThrownBy(() -> object.flag("b")).isInstanceOf(JsonException.class);
    }
}
