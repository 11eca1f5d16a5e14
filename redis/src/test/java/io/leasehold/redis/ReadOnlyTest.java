// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.StoreUnavailableException;
import io.leasehold.testkit.VirtualTime;
import io.lettuce.core.RedisReadOnlyException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A server that may not be written to is left for another, however it says so. */
final class ReadOnlyTest {

    private final AtomicInteger looked = new AtomicInteger();

    @Test
    void whenTheCallIsRefused() {
        assertLookedFor(CompletableFuture.failedFuture(
                new RedisReadOnlyException("READONLY You can't write against a read only")));
    }

    @Test
    void whenAnOperationIsRefusedAsRedis7Says() {
        assertLookedFor(answer("READONLY You can't write against a read only replica."));
    }

    @Test
    void whenAnOperationIsRefusedAsRedis6Says() {
        assertLookedFor(answer("@user_script: 7: -READONLY You can't write against a read only"));
    }

    @Test
    void butNotForAnotherError() {
        refusal(answer("OOM command not allowed"));
        assertThat(looked).hasValue(0);
    }

    private static CompletionStage<List<Object>> answer(String error) {
        return CompletableFuture.completedFuture(
                List.of(List.of(Wire.text("!"), Wire.text(error))));
    }

    private void assertLookedFor(CompletionStage<List<Object>> answer) {
        assertThat(refusal(answer)).startsWith("READONLY: ");
        assertThat(looked).hasValue(1);
    }

    private String refusal(CompletionStage<List<Object>> answer) {
        AtomicInteger closed = new AtomicInteger();
        Link link = new NoLink() {
            @Override
            public CompletionStage<List<Object>> run(
                    Script script, byte[] key, byte[][] arguments) {
                return answer;
            }

            @Override
            public CompletionStage<Void> subscribe(String channel) {
                return CompletableFuture.allOf();
            }

            @Override
            public CompletionStage<String> info(String section) {
                return CompletableFuture.completedFuture("");
            }

            @Override
            public CompletionStage<Map<String, String>> settings(String pattern) {
                return CompletableFuture.completedFuture(Map.of());
            }

            @Override
            public void lookForPrimary() {
                looked.incrementAndGet();
            }

            @Override
            public void close() {
                closed.incrementAndGet();
            }
        };
        String[] message = new String[1];
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> new RedisLeaseStore(
                        RedisOptions.at("redis://none"), VirtualTime.create(), listener -> link))
                .satisfies(e -> message[0] = String.valueOf(e.getMessage()));
        assertThat(closed).hasValue(1);
        return message[0];
    }
}
