// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.Answer;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.Grant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What callers are told when there are more calls for one lease id than a server keeps waiting. */
final class DisplacedRepeatsTest {

    private static final int CALLS = 20;
    private static final int WAITING = 15;

    private final LogForTests log = LogForTests.open();
    private final TestServer server = TestServer.onMemory();

    @AfterEach
    void stop() {
        server.close();
        log.close();
    }

    private static Answer answer(CompletableFuture<Answer> call) {
        return call.orTimeout(60, TimeUnit.SECONDS).join();
    }

    @Test
    void theOldestCallIsToldThatARepeatTookItsPlaceAndTheLogSaysNothing() {
        TestSession session = server.session();
        Grant holder = Requests.grant(
                session.call(Requests.call(Requests.acquire("lock"))).getAcquired());
        AcquireRequest.Builder request = Requests.acquire("lock").setWait(Requests.seconds(300));
        List<CompletableFuture<Answer>> calls = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            calls.addAll(session.send(Requests.call(request)));
        }

        for (CompletableFuture<Answer> displaced : calls.subList(0, CALLS - WAITING)) {
            Failure told = answer(displaced).getFailure();
            assertThat(told.getKind()).isEqualTo(Failure.Kind.OUTCOME_UNKNOWN);
            assertThat(told.getMessage()).isEqualTo("a repeat of the request took its place");
        }
        session.call(Requests.call(Requests.release(holder)));
        for (CompletableFuture<Answer> latest : calls.subList(CALLS - WAITING, CALLS)) {
            assertThat(answer(latest).getAcquired().hasGranted()).isTrue();
        }
        assertThat(log.text()).doesNotContain("took its place");
    }
}
