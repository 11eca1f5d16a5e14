// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class MailboxTest {

    private final Mailbox mailbox = new Mailbox();
    private final List<String> seen = new ArrayList<>();

    @Test
    void aMessageThatThrowsAnErrorDoesNotKeepBackWhatIsBehindItOrComesLater() {
        assertThatExceptionOfType(NoClassDefFoundError.class)
                .isThrownBy(() -> mailbox.post(() -> {
                    mailbox.post(() -> seen.add("behind it"));
                    throw new NoClassDefFoundError("com/example/Gone");
                }));
        assertThat(seen).containsExactly("behind it");

        mailbox.post(() -> seen.add("later"));

        assertThat(seen).containsExactly("behind it", "later");
    }

    @Test
    void whatLaterMessagesThrowIsSuppressedByTheFirst() {
        IllegalStateException second = new IllegalStateException("second");
        NoClassDefFoundError third = new NoClassDefFoundError("com/example/Gone");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> mailbox.post(() -> {
                    mailbox.post(() -> {
                        throw second;
                    });
                    mailbox.post(() -> {
                        throw third;
                    });
                    throw new IllegalArgumentException("first");
                }))
                .satisfies(
                        first -> assertThat(first.getSuppressed()).containsExactly(second, third));
    }
}
