// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class DirectLineTest {

    private static final byte[][] NOTHING = {};

    /** A list in a list in a list…, too deep for the stack of any thread. */
    static final String DEEP = "*1\r\n".repeat(1_000_000);

    private static byte[][] command(String name) {
        return new byte[][] {name.getBytes(US_ASCII)};
    }

    @Test
    void aReplyThatCanNotBeReadBreaksTheLineAndLeavesNoCallWithoutAnAnswer() throws IOException {
        try (StubServer stub = new StubServer(words -> DEEP);
                DirectLine line =
                        DirectLine.to(RedisURI.create(stub.uri()), Duration.ofMinutes(1), false)) {
            CompletableFuture<?> first = line.call(command("FIRST"), NOTHING);
            assertThat(Objects.requireNonNull(first)
                            .<@Nullable Throwable>handle((reply, error) -> error)
                            .join())
                    .isInstanceOf(IOException.class)
                    .hasRootCauseInstanceOf(StackOverflowError.class);
            assertThat(line.isBroken()).isTrue();
            assertThat(line.call(command("SECOND"), NOTHING)).isNull();
        }
    }
}
