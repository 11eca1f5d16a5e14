// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.WorkFailedException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What single flight and idempotency write into a record is read back, and nothing else is. */
final class ParcelTest {

    private static final Digest DIGEST = Digest.of("payload");
    private static final byte[] EMPTY = {};

    @Test
    void aValueIsReadBackEvenIfItHasNoBytes() {
        for (String value : new String[] {"", "x", "a\nb"}) {
            byte[] bytes = Codec.strings().encode(value);
            LeaseRecord plain = Parcel.ofValue(Optional.empty(), bytes);
            LeaseRecord with = Parcel.ofValue(Optional.of(DIGEST), bytes);
            assertThat(plain.kind()).isEqualTo(LeaseRecord.Kind.VALUE);
            assertThat(plain.size()).isEqualTo(1 + bytes.length);
            assertThat(with.size()).isEqualTo(1 + Digest.BYTES + bytes.length);
            assertThat(Parcel.open(plain, "n").value(Codec.strings())).isEqualTo(value);
            assertThat(Parcel.openWithDigest(with, "n").value(Codec.strings())).isEqualTo(value);
        }
    }

    @Test
    void onlyTheSamePayloadIsAnswered() {
        Parcel parcel = Parcel.openWithDigest(Parcel.running(Optional.of(DIGEST)), "n");
        assertThat(parcel.answers(DIGEST)).isTrue();
        assertThat(parcel.answers(Digest.of("other"))).isFalse();
        assertThat(Parcel.open(Parcel.running(Optional.empty()), "n").answers(DIGEST))
                .isFalse();
    }

    @Test
    void aRecordThatSomethingElseLeftIsRefused() {
        LeaseRecord plain = Parcel.ofValue(Optional.empty(), new byte[100]);
        LeaseRecord with = Parcel.ofValue(Optional.of(DIGEST), EMPTY);
        assertThatThrownBy(() -> Parcel.openWithDigest(plain, "reports/june"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'reports/june'");
        assertThatThrownBy(() -> Parcel.open(with, "reports/june"))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Parcel.open(LeaseRecord.of(EMPTY), "n"))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Parcel.openWithDigest(LeaseRecord.of("I too short"), "n"))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anErrorIsReadBackWithItsTypeAndTheFirst1000CharactersOfItsMessage() {
        assertThat(error("a\nb").errorType()).isEqualTo(IllegalStateException.class.getName());
        assertThat(error("a\nb").errorMessage()).isEqualTo("a\nb");
        assertThat(error("").errorMessage()).isEmpty();
        assertThat(error("x".repeat(1000)).errorMessage()).hasSize(1000);
        assertThat(error("x".repeat(1001)).errorMessage()).hasSize(1000);
    }

    private static WorkFailedException error(String message) {
        LeaseRecord record = Parcel.ofError(Optional.empty(), new IllegalStateException(message));
        assertThat(record.kind()).isEqualTo(LeaseRecord.Kind.FAILURE);
        WorkFailedException read = Parcel.open(record, "n").error("n", FencingToken.FIRST);
        assertThat(read.token()).isEqualTo(FencingToken.FIRST);
        return read;
    }
}
