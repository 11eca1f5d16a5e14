// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;

/**
 * How a value becomes the bytes of a record, and the bytes a value again, in this process or in
 * another that may run another version. Thread-safe. What either method throws reaches the caller
 * of the primitive; neither touches the store.
 *
 * @param <T> the type of the values, never null
 */
public interface Codec<T> {

    /** The value's bytes; together with a few of our own they must fit into 64 KiB. */
    byte[] encode(T value);

    /** The value that was encoded to these bytes. */
    T decode(byte[] bytes);

    /** Text as UTF-8. Refuses a text with an unpaired surrogate, which UTF-8 can't express. */
    static Codec<String> strings() {
        return new Codec<>() {
            @Override
            public byte[] encode(String value) {
                int unpaired = Digest.unpairedSurrogate(value);
                if (unpaired >= 0) {
                    throw new IllegalArgumentException(
                            "the value has an unpaired surrogate at index " + unpaired);
                }
                return value.getBytes(UTF_8);
            }

            @Override
            public String decode(byte[] bytes) {
                try {
                    return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
                } catch (CharacterCodingException e) {
                    throw new IllegalArgumentException("the record is not UTF-8", e);
                }
            }
        };
    }

    /** Bytes as they are. */
    static Codec<byte[]> bytes() {
        return new Codec<>() {
            @Override
            public byte[] encode(byte[] value) {
                return value.clone();
            }

            @Override
            public byte[] decode(byte[] bytes) {
                return bytes.clone();
            }
        };
    }

    /** For work that has an effect and no result: what is stored is that it was done. */
    static Codec<Nothing> nothing() {
        return new Codec<>() {
            @Override
            public byte[] encode(Nothing value) {
                return new byte[0];
            }

            @Override
            public Nothing decode(byte[] bytes) {
                if (bytes.length > 0) {
                    throw new IllegalArgumentException("the record has a value of " + bytes.length
                            + " bytes; it was stored by work that has a result");
                }
                return Nothing.NOTHING;
            }
        };
    }

    /** The result of work that has none; unlike {@code Void} it is never null. */
    enum Nothing {
        /** The only one. */
        NOTHING
    }
}
