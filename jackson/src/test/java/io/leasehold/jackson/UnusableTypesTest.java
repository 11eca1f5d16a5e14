// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A type that can't be stored is refused before there is a value of it. */
final class UnusableTypesTest {

    /** Without properties. */
    static final class Handle {}

    record InARecord(String id, Handle handle) {}

    record InARecordInARecord(InARecord paid) {}

    record InAList(List<Handle> handles) {}

    record InAMap(Map<String, List<Handle>> byName) {}

    record InAnOptional(Optional<Handle> handle) {}

    static final class InAnArray {
        public Handle @Nullable [] handles;
    }

    record Generic<T>(T content) {}

    /** Contains itself. */
    record Cycle(@Nullable Cycle next, List<Cycle> others, Handle handle) {}

    static Stream<Arguments> unwritable() {
        return Stream.of(
                Arguments.of(InARecord.class, "handle"),
                Arguments.of(InARecordInARecord.class, "paid.handle"),
                Arguments.of(InAList.class, "handles[]"),
                Arguments.of(InAMap.class, "byName[][]"),
                Arguments.of(InAnOptional.class, "handle[]"),
                Arguments.of(InAnArray.class, "handles[]"),
                Arguments.of(Cycle.class, "handle"),
                Arguments.of(new TypeReference<Generic<Handle>>() {}.getType(), "content"),
                Arguments.of(new TypeReference<List<InARecord>>() {}.getType(), "[].handle"));
    }

    @ParameterizedTest
    @MethodSource("unwritable")
    void aPropertyThatCannotBeWrittenIsNamedWhenTheCodecIsMade(Type type, String property) {
        ObjectMapper mapper = withOptionals();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> JacksonCodec.of(mapper, mapper.constructType(type)))
                .withMessageContaining("can't be written as JSON")
                .withMessageContaining("its property '" + property + "' is a ")
                .withMessageContaining("Handle");
    }

    @Test
    void aTypeWithoutPropertiesIsRefusedWhenTheCodecIsMade() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JacksonCodec.of(Handle.class))
                .withMessageContaining("Handle can't be written as JSON");
    }

    record Stamped(Instant at) {}

    @Test
    void aMapperWithoutTheModuleForATypeIsRefusedWhenTheCodecIsMade() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JacksonCodec.of(new ObjectMapper(), Stamped.class))
                .withMessageContaining("its property 'at' is a java.time.Instant")
                .withMessageContaining("add the module");
    }

    /** Jackson finds its property, and no way to make one. */
    static final class NoCreator {
        private final String id;

        NoCreator(String id, int unused) {
            this.id = id;
        }

        public String getId() {
            return id;
        }
    }

    record CannotBeRead(List<NoCreator> made) {}

    @Test
    void aPropertyThatCannotBeReadIsNamedWhenTheCodecIsMade() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JacksonCodec.of(CannotBeRead.class))
                .withMessageContaining("can't be read from JSON: its property 'made[]' is a ")
                .withMessageContaining("NoCreator");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JacksonCodec.of(NoCreator.class))
                .withMessageContaining("NoCreator can't be read from JSON");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JacksonCodec.of(new TypeReference<Map<Generic<?>, String>>() {}))
                .as("a key that is no text")
                .withMessageContaining("can't be read from JSON");
    }

    interface Anything {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(@JsonSubTypes.Type(Thing.class))
    interface Named {}

    record Thing(int number) implements Named {}

    /** Like Handle, but named subtypes may have properties. */
    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(@JsonSubTypes.Type(Special.class))
    static class Base {}

    static final class Special extends Base {
        public int number;
    }

    record DependsOnTheValue(
            Object any,
            Anything some,
            Named named,
            Base base,
            List<?> list,
            List<Base> bases,
            Map<String, Object> map,
            Optional<Object> optional,
            Number number,
            JsonNode node,
            Comparable<String> comparable) {}

    @JsonSerialize(using = ToStringSerializer.class)
    @JsonDeserialize(using = Reads.class)
    static final class OwnSerializer {}

    static final class Reads extends JsonDeserializer<Object> {
        @Override
        public Object deserialize(
                com.fasterxml.jackson.core.JsonParser parser,
                com.fasterxml.jackson.databind.DeserializationContext context) {
            return new OwnSerializer();
        }
    }

    record Word(String word) {
        @JsonCreator
        Word {}

        @JsonValue
        String text() {
            return word;
        }
    }

    enum Size {
        SMALL,
        LARGE
    }

    static final class LeftOut {
        public int number;

        @JsonIgnore
        public Handle getHandle() {
            return new Handle();
        }
    }

    record HasItsOwn(
            OwnSerializer own,
            @JsonSerialize(using = ToStringSerializer.class) Handle handle,

            @JsonSerialize(contentUsing = ToStringSerializer.class)
            List<Handle> handles,

            @JsonSerialize(contentUsing = ToStringSerializer.class)
            Optional<Handle> optional,

            Word word,
            Size size,
            Set<Size> sizes,
            Arrays arrays,
            LeftOut leftOut) {}

    static final class Arrays {
        public byte @Nullable [] bytes;
        public int @Nullable [] @Nullable [] numbers;
    }

    /** Every level contains a larger one. */
    static class Larger<T> {
        public @Nullable Larger<List<T>> getNext() {
            return null;
        }

        public @Nullable T getContent() {
            return null;
        }
    }

    static Stream<Class<?>> usable() {
        return Stream.of(
                DependsOnTheValue.class, HasItsOwn.class, Larger.class, Object.class, Named.class);
    }

    @ParameterizedTest
    @MethodSource("usable")
    void whatOnlyAValueCanTellAndWhatHasASerializerOfItsOwnIsTaken(Class<?> type) {
        assertThatNoException().isThrownBy(() -> JacksonCodec.of(type));
    }

    @Test
    void aMapperThatWritesClassesWithoutPropertiesIsBelieved() {
        ObjectMapper mapper = new ObjectMapper().disable(SerializationFeature.FAIL_ON_EMPTY_BEANS);

        JacksonCodec<InARecord> codec = JacksonCodec.of(mapper, InARecord.class);

        assertThat(codec.decode(codec.encode(new InARecord("a", new Handle()))).id())
                .isEqualTo("a");
    }

    private static ObjectMapper withOptionals() {
        return new ObjectMapper()
                .registerModule(new com.fasterxml.jackson.datatype.jdk8.Jdk8Module());
    }
}
