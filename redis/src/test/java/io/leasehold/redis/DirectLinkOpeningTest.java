// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.VirtualTime;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class DirectLinkOpeningTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Goes through the client library, which gives no answers that matter here. */
    private static final class Library extends NoLink {
        @Override
        public CompletionStage<List<Object>> run(Script script, byte[] key, byte[][] arguments) {
            return CompletableFuture.completedFuture(List.of());
        }
    }

    @Test
    void anOpeningThatEndsInAnErrorIsTriedAgainALittleLater() {
        AtomicBoolean deep = new AtomicBoolean(true);
        AtomicBoolean called = new AtomicBoolean();
        VirtualTime time = VirtualTime.create();
        try (StubServer stub = new StubServer(words -> {
                    if (words.get(0).equals("CLIENT")) {
                        return deep.get() ? DirectLineTest.DEEP : "+OK\r\n";
                    }
                    called.set(true);
                    return "*0\r\n";
                });
                Link link = DirectLink.over(
                        new Library(),
                        RedisURI.create(stub.uri() + "?clientName=test"),
                        PATIENCE,
                        time)) {
            call(link);
            RealTime.until("the opening has failed", () -> time.pendingTimers() == 1);
            deep.set(false);
            time.advance(Duration.ofSeconds(1));
            RealTime.until("a line is there", () -> {
                call(link);
                return called.get();
            });
        }
        assertThat(time.pendingTimers()).isZero();
    }

    private static void call(Link link) {
        CompletionStage<List<Object>> unused =
                link.run(Script.of("return {}"), new byte[] {'k'}, new byte[2][1]);
    }
}
