// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.leasehold.Codec.Nothing;
import io.leasehold.memory.MemoryLeaseStore;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class CodecTest {

    @Test
    void nothingTakesNoBytesAndComesBack() {
        Codec<Nothing> codec = Codec.nothing();

        byte[] bytes = codec.encode(Nothing.NOTHING);

        assertThat(bytes).isEmpty();
        assertThat(codec.decode(bytes)).isEqualTo(Nothing.NOTHING);
    }

    @Test
    void aRecordWithAValueIsNotTakenForNothing() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Codec.nothing().decode(new byte[] {1, 2, 3}))
                .withMessageContaining("3 bytes");
    }

    @Test
    void workWithoutAResultIsDoneOnceAndKnownAsDone() {
        AtomicInteger sent = new AtomicInteger();
        try (MemoryLeaseStore store = MemoryLeaseStore.create();
                Leasehold leasehold = Leasehold.on(store)) {
            Idempotency<Nothing> mails =
                    leasehold.idempotency("mail", Codec.nothing(), Duration.ofDays(1));
            for (int i = 0; i < 2; i++) {
                Outcome<Nothing> outcome = mails.once("order-42", Digest.of("hello"), token -> {
                    sent.incrementAndGet();
                    return Nothing.NOTHING;
                });
                assertThat(outcome.replayed()).isEqualTo(i > 0);
                assertThat(outcome.value()).isEqualTo(Nothing.NOTHING);
            }
        }
        assertThat(sent).hasValue(1);
    }
}
