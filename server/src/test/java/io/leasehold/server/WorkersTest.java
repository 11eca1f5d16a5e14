// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.testkit.RealTime;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class WorkersTest {

    @Test
    void linesOfTheAuditLogThatWaitAtTheEndAreWritten() {
        Workers workers = new Workers();
        ExecutorService files = (ExecutorService) workers.files();
        AtomicInteger written = new AtomicInteger();
        files.execute(() -> {
            RealTime.until("the end has begun", files::isShutdown);
            RealTime.pass(Duration.ofMillis(300)); // a slow disk
            written.incrementAndGet();
        });
        files.execute(written::incrementAndGet);

        workers.close();

        assertThat(written).hasValue(2);
    }
}
