// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.server.LogForTests;
import io.leasehold.server.api.CallId;
import io.leasehold.testkit.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The trace of sign-ins that failed. */
final class FailedSignInsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    private final VirtualTime time = VirtualTime.create();

    private List<String> lines() throws IOException {
        return Files.readAllLines(directory.resolve("audit.log"));
    }

    private Audit audit() {
        return Audit.toFile(directory.resolve("audit.log"), time, Runnable::run);
    }

    @Test
    void theFirstIsWrittenAtOnceAndTheOthersAsOneLineASecond() throws IOException {
        FailedSignIns failures = new FailedSignIns("sign-in", audit(), time);
        failures.add("192.0.2.1", "no identity", CallId.NONE);
        assertThat(lines())
                .singleElement()
                .asString()
                .contains("\"what\":\"sign-in\"", "\"subject\":\"192.0.2.1\"")
                .contains("\"comment\":\"no identity\"", "\"outcome\":\"UNAUTHENTICATED\"");

        for (int i = 0; i < 10_000; i++) {
            failures.add("192.0.2.2", "the token is not known here", CallId.NONE);
        }
        assertThat(lines()).hasSize(1);
        time.advance(SECOND);
        assertThat(lines()).hasSize(2);
        assertThat(lines().get(1)).contains("192.0.2.2", "(the last of 10000)");
        assertThat(failures.count()).hasValue(10_001);
    }

    @Test
    void afterAQuietSecondThereIsNothingToDoAndTheNextIsWrittenAtOnce() throws IOException {
        FailedSignIns failures = new FailedSignIns("sign-in", audit(), time);
        failures.add("192.0.2.1", "no identity", CallId.NONE);
        time.advance(SECOND);
        assertThat(time.pendingTimers()).isZero();
        assertThat(lines()).hasSize(1);
        failures.add("192.0.2.1", "no identity", CallId.NONE);
        assertThat(lines()).hasSize(2);
    }

    @Test
    void oneThatComesAfterTheEndOfTheServerIsInTheLog() {
        Audit audit = Audit.toFile(directory.resolve("audit.log"), time, task -> {
            throw new RejectedExecutionException();
        });
        try (LogForTests log = LogForTests.open()) {
            new FailedSignIns("sign-in", audit, time).add("192.0.2.9", "no identity", CallId.NONE);
            assertThat(log.text()).contains("not in the audit log", "\"subject\":\"192.0.2.9\"");
        }
    }
}
