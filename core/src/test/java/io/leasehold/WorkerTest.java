// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class WorkerTest {

    private final Worker worker = new Worker();

    @AfterEach
    void leaveNoInterruptBehind() {
        boolean unused = Thread.interrupted();
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
