// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RespReaderTest {

    private static final String NESTED =
            "*4\r\n:-42\r\n$5\r\na\r\nb\0\r\n*2\r\n+OK\r\n$-1\r\n*0\r\n";

    /** Gives out a few bytes at a time, and times out before each time. */
    private static final class Stuttering extends InputStream {
        private final ByteArrayInputStream bytes;
        private final int atOnce;
        private boolean late;

        Stuttering(String text, int atOnce) {
            this.bytes = new ByteArrayInputStream(text.getBytes(UTF_8));
            this.atOnce = atOnce;
        }

        @Override
        public int read() {
            throw new AssertionError("read one by one");
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            late = !late;
            if (late) {
                throw new SocketTimeoutException();
            }
            return bytes.read(into, from, Math.min(atOnce, length));
        }
    }

    private static RespReader of(String text) {
        return new RespReader(new ByteArrayInputStream(text.getBytes(UTF_8)));
    }

    private static Object patiently(RespReader reader) throws IOException {
        while (true) {
            try {
                return Objects.requireNonNull(reader.next());
            } catch (SocketTimeoutException e) {
                // what has arrived is kept
            }
        }
    }

    private static void assertNested(Object reply) {
        List<?> list = (List<?>) reply;
        assertThat(list).hasSize(4);
        assertThat(list.get(0)).isEqualTo(-42L);
        assertThat(list.get(1)).isEqualTo("a\r\nb\0".getBytes(UTF_8));
        assertThat((List<?>) list.get(2)).hasSize(2).containsNull();
        assertThat((List<?>) list.get(3)).isEmpty();
    }

    @Test
    void allKindsOfRepliesAreRead() throws IOException {
        assertNested(Objects.requireNonNull(of(NESTED).next()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 20})
    void whereverAReplyIsCutItGoesOnThere(int atOnce) throws IOException {
        RespReader reader = new RespReader(new Stuttering(NESTED + ":7\r\n" + NESTED, atOnce));
        assertNested(patiently(reader));
        assertThat(patiently(reader)).isEqualTo(7L);
        assertNested(patiently(reader));
    }

    @Test
    void aReplyMayBeLargerThanTheBuffer() throws IOException {
        String large = "x".repeat(100_000);
        RespReader reader = of(":1\r\n$100000\r\n" + large + "\r\n:2\r\n");
        assertThat(reader.next()).isEqualTo(1L);
        assertThat(reader.next()).isEqualTo(large.getBytes(UTF_8));
        assertThat(reader.next()).isEqualTo(2L);
    }

    @Test
    void anErrorIsAReplyOfItsOwn() throws IOException {
        RespReader reader = of("-ERR no\r\n-NOSCRIPT No matching script.\r\n");
        assertThat(reader.next())
                .isExactlyInstanceOf(RedisCommandExecutionException.class)
                .hasFieldOrPropertyWithValue("message", "ERR no");
        assertThat(reader.next()).isInstanceOf(RedisNoScriptException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.1 400 Bad Request\r\n", "*1\r\n?\r\n", ":12a\r\n", "$x\r\n"})
    void whatIsNoReplyIsAnError(String text) {
        assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> of(text).next());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":1", "$3\r\nab", "*2\r\n:1\r\n"})
    void theEndInTheMiddleOfAReplyIsAnError(String text) {
        assertThatExceptionOfType(EOFException.class).isThrownBy(() -> of(text).next());
    }
}
