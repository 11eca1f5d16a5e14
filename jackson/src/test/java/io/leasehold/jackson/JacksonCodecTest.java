// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jackson;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import io.leasehold.Codec;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JacksonCodecTest {

    private static final Codec<Report> CODEC = JacksonCodec.of(Report.class);

    record Report(String title, int pages, List<String> tags) {}

    record Box(@Nullable Object content) {}

    @Test
    void aValueComesBackAsItWas() {
        Report report = new Report("J\u00fcne \u20ac \ud83d\udd12 \"<>\\", 12, List.of("a", ""));

        assertThat(CODEC.decode(CODEC.encode(report))).isEqualTo(report);
        assertThat(text(CODEC.encode(new Report("t", 1, List.of()))))
                .isEqualTo("{\"pages\":1,\"tags\":[],\"title\":\"t\"}");
    }

    @Test
    void aGenericValueComesBackAsItWas() {
        Codec<Map<String, List<Report>>> codec = JacksonCodec.of(new TypeReference<>() {});
        Map<String, List<Report>> reports = Map.of("june", List.of(new Report("t", 1, List.of())));

        assertThat(codec.decode(codec.encode(reports))).isEqualTo(reports);
    }

    @Test
    void equalValuesHaveEqualBytesWhateverTheOrderTheyWereFilledIn() {
        Codec<Map<String, Integer>> codec = JacksonCodec.of(new TypeReference<>() {});
        Map<String, Integer> up = new LinkedHashMap<>();
        Map<String, Integer> down = new LinkedHashMap<>();
        for (int i = 0; i < 100; i++) {
            up.put("k" + i, i);
            down.put("k" + (99 - i), 99 - i);
        }

        assertThat(codec.encode(up)).isEqualTo(codec.encode(down));
        assertThat(codec.encode(new HashMap<>(up))).isEqualTo(codec.encode(up));
    }

    @Test
    void anOlderVersionReadsWhatANewerOneWrote() {
        byte[] newer = bytes("{\"title\":\"t\",\"pages\":1,\"tags\":[],\"added\":{\"x\":1}}");

        assertThat(CODEC.decode(newer)).isEqualTo(new Report("t", 1, List.of()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "[]",
                "\"secret\"",
                "7",
                "{\"title\":\"secret\",\"pages\":\"many\"}",
                "{\"title\":\"secret\",\"pages\":null}",
                "{\"pages\":1,\"title\":\"secret\",\"title\":\"secret\"}",
                "{\"pages\":1,\"title\":\"secret\"} {}",
                "{\"pages\":1,\"title\":\"secret\"} secret",
                "{title:'secret'}"
            })
    void whatIsNoJsonOfTheTypeIsRefusedWithoutBeingQuoted(String json) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CODEC.decode(bytes(json)))
                .withMessageContaining("Report")
                .satisfies(e -> assertThat(everything(e)).doesNotContain("secret", "many"));
    }

    @Test
    void nullIsNoValue() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CODEC.decode(bytes("null")))
                .withMessageContaining("the record is null")
                .withMessageContaining("Report");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JacksonCodec.of(Written.class).encode(new Written()))
                .withMessageContaining("would be written as null");
    }

    /** A value that Jackson writes as null. */
    static final class Written {
        @JsonValue
        @Nullable
        String text() {
            return null;
        }
    }

    @Test
    void aValueThatCannotBeWrittenIsRefusedWithoutBeingQuoted() {
        Map<String, Object> endless = new HashMap<>();
        endless.put("secret", endless);
        Codec<Map<String, Object>> codec = JacksonCodec.of(new TypeReference<>() {});

        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.encode(endless))
                .withMessageContaining("can't be written as JSON")
                .satisfies(e -> assertThat(everything(e)).doesNotContain("secret"));
    }

    @Test
    void tooLongAndTooDeepIsRefused() {
        Codec<Box> codec = JacksonCodec.of(Box.class);

        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> codec.decode(bytes("{\"content\":\"" + "x".repeat(70_000) + "\"}")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.decode(
                        bytes("{\"content\":" + "[".repeat(200) + "]".repeat(200) + "}")));
    }

    @Test
    void theBytesDoNotChooseAClass() {
        Codec<Box> codec = JacksonCodec.of(Box.class);

        Object content = codec.decode(
                        bytes("{\"content\":{\"@class\":\"java.io.File\"," + "\"path\":\"/\"}}"))
                .content();

        assertThat(content).isInstanceOf(Map.class);
        assertThat(text(codec.encode(new Box(new Report("t", 1, List.of())))))
                .doesNotContain("class", "Report");
    }

    @Test
    void aMapperOfTheUsersIsUsedAsItIs() {
        ObjectMapper mapper = new ObjectMapper()
                .setPropertyNamingStrategy(PropertyNamingStrategies.UPPER_CAMEL_CASE);
        Codec<Report> codec = JacksonCodec.of(mapper, Report.class);
        Codec<Report> same = JacksonCodec.of(mapper, mapper.constructType(Report.class));

        assertThat(text(codec.encode(new Report("t", 1, List.of())))).contains("\"Title\":\"t\"");
        assertThat(same.decode(codec.encode(new Report("t", 1, List.of()))).title())
                .isEqualTo("t");
        assertThatIllegalArgumentException()
                .as("anything behind the value is refused by any mapper")
                .isThrownBy(() -> codec.decode(bytes("{\"Title\":\"t\",\"Pages\":1} {}")));
    }

    @Test
    void aTypeThatNamesItsSubtypesKeepsTheNamesInsideAList() {
        Codec<List<Shape>> codec = JacksonCodec.of(new TypeReference<>() {});
        List<Shape> shapes = List.of(new Circle(1), new Square(2));

        assertThat(codec.decode(codec.encode(shapes))).isEqualTo(shapes);
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
    @JsonSubTypes({@JsonSubTypes.Type(Circle.class), @JsonSubTypes.Type(Square.class)})
    sealed interface Shape {}

    record Circle(int radius) implements Shape {}

    record Square(int side) implements Shape {}

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, UTF_8);
    }

    /** All messages down the causes. */
    private static String everything(Throwable thrown) {
        StringBuilder all = new StringBuilder();
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            all.append(t).append('\n');
        }
        return all.toString();
    }
}
