// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import java.util.concurrent.CompletionStage;

/**
 * An acquire that may be queued.
 *
 * @param stage where its answer will come
 */
record Pending(CompletionStage<Acquisition> stage) {

    Acquisition answer() {
        return Answers.of(stage);
    }

    Acquisition.Granted granted() {
        Acquisition answer = answer();
        assertThat(answer).isInstanceOf(Acquisition.Granted.class);
        return (Acquisition.Granted) answer;
    }

    Grant grant() {
        return granted().grant();
    }

    void assertQueued() {
        assertThat(stage.toCompletableFuture())
                .as("a request that should queue")
                .isNotDone();
    }
}
