// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jackson;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.leasehold.Codec;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a codec writes, it reads; what it could not read, it does not write. */
final class WrittenIsReadableTest {

    private static final int MAX_BYTES = 65_536;

    private static final Codec<List<Object>> LISTS = JacksonCodec.of(new TypeReference<>() {});

    @Test
    void aHundredLevelsComeBackAndTheNextOneIsRefusedWhenWritten() {
        assertThat(LISTS.decode(LISTS.encode(levels(100)))).isEqualTo(levels(100));
        for (int levels : List.of(101, 110)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> LISTS.encode(levels(levels)))
                    .withMessageContaining("can't be written as JSON")
                    .withMessageContaining("nesting depth (101) exceeds the maximum allowed (100");
        }
    }

    @Test
    void aNumberMayHaveAsManyDigitsAsThereIsRoomFor() {
        for (int digits : List.of(1_000, 1_001, MAX_BYTES)) {
            aNumberComesBack(BigInteger.class, new BigInteger("7".repeat(digits)));
        }
        aNumberComesBack(BigDecimal.class, new BigDecimal("1." + "7".repeat(1_001)));
        aNumberComesBack(BigDecimal.class, new BigDecimal("1e100000"));
    }

    private static <T> void aNumberComesBack(Class<T> type, T number) {
        Codec<T> codec = JacksonCodec.of(type);

        assertThat(codec.decode(codec.encode(number))).isEqualTo(number);
    }

    @Test
    void aNameMayBeAsLongAsThereIsRoomFor() {
        Codec<Map<String, Integer>> codec = JacksonCodec.of(new TypeReference<>() {});
        Map<String, Integer> longName = Map.of("n".repeat(60_000), 1);

        assertThat(codec.decode(codec.encode(longName))).isEqualTo(longName);
    }

    @Test
    void aValueThatJustFitsComesBackAndALongerOneIsRefusedWhenWritten() {
        Codec<String> codec = JacksonCodec.of(String.class);
        String fits = "x".repeat(MAX_BYTES - 2);

        assertThat(codec.decode(codec.encode(fits))).isEqualTo(fits);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.encode(fits + "y"))
                .withMessageContaining("takes 65537 bytes as JSON")
                .withMessageContaining("room for 65536");
        assertThatIllegalArgumentException()
                .as("with a mapper that has no such limit")
                .isThrownBy(
                        () -> JacksonCodec.of(new ObjectMapper(), String.class).encode(fits + "y"))
                .withMessageContaining("takes 65537 bytes as JSON");
    }

    @Test
    void whatTheUsersMapperWritesButDoesNotReadIsRefusedWhenWritten() {
        Codec<BigInteger> codec = JacksonCodec.of(new ObjectMapper(), BigInteger.class);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.encode(new BigInteger("7".repeat(1_001))))
                .withMessageContaining("can't be read again from the 1001 bytes")
                .withMessageContaining("Number value length (1001)")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("777"));
    }

    @Test
    void keysThatBecomeOneNameAreRefusedWhenWritten() {
        Codec<Map<Object, Integer>> codec =
                JacksonCodec.of(new TypeReference<Map<Object, Integer>>() {});
        Map<Object, Integer> alike = Map.of(new Key("a"), 1, new Key("b"), 2);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.encode(alike))
                .withMessageContaining("can't be written as JSON");
    }

    record Key(String part) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            return part.compareTo(other.part);
        }

        @Override
        public String toString() {
            return "key";
        }
    }

    @Test
    void aValueOfASubtypeThatNothingTellsAtReadingIsRefusedWhenWritten() {
        Codec<Outer> codec = JacksonCodec.of(Outer.class);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.encode(new Outer(new Coin(5))))
                .withMessageContaining("can't be read again");
    }

    interface Money {}

    record Coin(int cents) implements Money {}

    record Outer(Money money) {}

    record Booking(
            Instant at,
            LocalDate day,
            ZonedDateTime start,
            OffsetDateTime end,
            Duration length,
            Optional<String> note,
            Optional<String> none) {}

    @Test
    void datesTimesAndOptionalsComeBackAsTheyWereFromReadableText() {
        Codec<Booking> codec = JacksonCodec.of(Booking.class);
        Booking booking = new Booking(
                Instant.parse("2026-06-01T10:15:30.123456789Z"),
                LocalDate.parse("2026-06-01"),
                ZonedDateTime.parse("2026-06-01T12:15:30+02:00[Europe/Berlin]"),
                OffsetDateTime.parse("2026-06-01T12:15:30+05:30"),
                Duration.ofMinutes(90),
                Optional.of("window"),
                Optional.empty());

        byte[] bytes = codec.encode(booking);

        assertThat(codec.decode(bytes)).isEqualTo(booking);
        assertThat(new String(bytes, UTF_8))
                .isEqualTo("{\"at\":\"2026-06-01T10:15:30.123456789Z\",\"day\":\"2026-06-01\","
                        + "\"end\":\"2026-06-01T12:15:30+05:30\",\"length\":\"PT1H30M\","
                        + "\"none\":null,\"note\":\"window\","
                        + "\"start\":\"2026-06-01T12:15:30+02:00[Europe/Berlin]\"}");
    }

    /** Lists in lists; the innermost is empty. */
    private static List<Object> levels(int levels) {
        List<Object> list = List.of();
        for (int i = 1; i < levels; i++) {
            list = List.of(list);
        }
        return list;
    }
}
