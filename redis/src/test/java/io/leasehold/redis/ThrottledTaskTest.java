// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;

final class ThrottledTaskTest {

    private static final Duration PAUSE = Duration.ofMillis(500);

    private final VirtualTime time = VirtualTime.create();
    private int noThreads; // so many times
    private int runs;
    private Runnable body = () -> {};

    /** Starts run the task at once. */
    private final ThreadFactory threads = work -> new Thread() {
        @Override
        public synchronized void start() {
            if (noThreads-- > 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            work.run();
        }
    };

    private final ThrottledTask task = new ThrottledTask(threads, time, PAUSE, () -> {
        runs++;
        body.run();
    });

    @Test
    void itRunsAgainOnlyAfterAPause() {
        task.start();
        task.start();
        time.advance(PAUSE.minusNanos(1));
        task.start();
        assertThat(runs).isEqualTo(1);

        time.advance(Duration.ofNanos(1));
        task.start();

        assertThat(runs).isEqualTo(2);
    }

    @Test
    void itDoesNotRunTwiceAtOnce() {
        body = task::start;

        task.runHere();

        assertThat(runs).isEqualTo(1);
    }

    @Test
    void afterAPauseItIsTriedAgainThoughNoThreadCouldBeHad() {
        noThreads = 1;
        task.start();
        task.start();
        assertThat(runs).isZero();

        time.advance(PAUSE);
        task.start();

        assertThat(runs).isEqualTo(1);
    }

    @Test
    void afterAPauseItIsTriedAgainThoughItEndedWithAnError() {
        body = () -> {
            throw new LinkageError();
        };
        assertThatExceptionOfType(LinkageError.class).isThrownBy(task::runHere);

        time.advance(PAUSE);
        body = () -> {};
        task.start();

        assertThat(runs).isEqualTo(2);
    }

    @Test
    void itsThreadIsADaemonWithAName() {
        Thread thread = ThrottledTask.daemons("name").newThread(() -> {});

        assertThat(thread.isDaemon()).isTrue();
        assertThat(thread.getName()).isEqualTo("name");
    }
}
