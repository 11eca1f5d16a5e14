// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.RequestRefusedException;
import io.leasehold.protocol.v1.Failure;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** What callers are told of a failure of the store. */
final class FailuresTest {

    @Test
    void aRequestThatBreaksARuleOfTheStoreIsInvalidAndSaysWhy() {
        Failure told = Failures.ofChanging(
                        CallId.NONE,
                        new CompletionException(new RequestRefusedException(
                                RequestRefusedException.Why.INVALID, "the scope is reserved")))
                .failure();
        assertThat(told.getKind()).isEqualTo(Failure.Kind.INVALID);
        assertThat(told.getMessage()).isEqualTo("the scope is reserved");
    }
}
