// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class WorkerTest {

    private final Worker worker = new Worker();

    @AfterEach
    void leaveNoInterruptBehind() {
        boolean unused = Thread.interrupted();
    }

    /** Everything here runs on one thread, which a lock that it has kept does not stop. */
    @AfterEach
    void noThreadHasKeptTheLock() {
        CompletableFuture.runAsync(worker::interrupt)
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
    }

    @Test
    void anInterruptReachesTheWorkAndNothingAfterIt() {
        worker.begin();
        worker.interrupt();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();

        worker.end();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        worker.interrupt();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void anInterruptThatCameBeforeTheWorkBeganIsNotMissed() {
        worker.interrupt();
        worker.begin();

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        worker.end();
    }

    @Test
    void anInterruptOfSomebodyElseIsLeftAlone() {
        worker.begin();
        Thread.currentThread().interrupt();
        worker.end();

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }
}
