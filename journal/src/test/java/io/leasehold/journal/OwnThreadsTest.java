// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.spi.Time;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OwnThreadsTest {

    private static final Path DIRECTORY = Path.of("journal");

    @Test
    void closingReturnsThoughTheHousekeeperTakesItsNextTaskMeanwhile() {
        for (int i = 0; i < 2_000; i++) {
            OwnThreads threads = new OwnThreads(DIRECTORY, Time.system());
            for (int task = 0; task < 3; task++) {
                threads.housekeeper().execute(() -> {});
            }
            threads.close();
        }
    }
}
