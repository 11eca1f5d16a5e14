// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.client.RemoteLeaseStore;
import io.leasehold.server.LeaseholdServer;
import io.leasehold.server.ServerOptions;
import io.leasehold.server.engine.StoreAddress;
import io.leasehold.testkit.TestLength;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Requests that no client of ours would make: 50,000 in every build, a million in the long form. */
@Isolated
@Timeout(600)
class FuzzedRequestsTest {

    private static final long SEED = 20_261_116;
    private static final int JSON = TestLength.of(5_000, 500_000);
    private static final int MESSAGES = TestLength.of(5_000, 400_000);
    private static final int FRAMES = TestLength.of(2_000, 100_000);
    private static final long HEAP = 256L << 20;

    private LeaseholdServer server;
    private OrdinaryClient client;

    @BeforeEach
    void start() {
        server = LeaseholdServer.start(
                ServerOptions.on(StoreAddress.parse("memory")).withPort(0));
        client = OrdinaryClient.of(
                RemoteLeaseStore.connect("leasehold://127.0.0.1:" + server.port()));
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    @Test
    void requestsOfWildJsonAreAnsweredOneByOne() {
        JsonFuzzer fuzzer = new JsonFuzzer(new SplittableRandom(SEED));

        JsonFuzzer.Tally tally = fuzzer.run(server.port(), JSON);

        assertThat(tally.answers()).isEqualTo(JSON);
        assertThat(tally.serverErrors()).isZero();
        assertThat(tally.accepted())
                .as("some of it must be valid, lest nothing deep is reached")
                .isPositive();
        serverIsWell();
    }

    @Test
    void wildCallsOnASessionAreAnsweredOneByOne() {
        SessionFuzzer.Tally tally =
                new SessionFuzzer(new SplittableRandom(SEED)).run(server.port(), MESSAGES);

        assertThat(tally.answers()).isEqualTo(MESSAGES);
        assertThat(tally.granted()).isPositive();
        serverIsWell();
    }

    @Test
    void framesThatAreNoneEndTheirConnectionAlone() {
        int connections = new FrameFuzzer(new SplittableRandom(SEED)).run(server.port(), FRAMES);

        assertThat(connections).isPositive();
        serverIsWell();
    }

    private void serverIsWell() {
        client.awaitTurn();
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        assertThat(runtime.totalMemory() - runtime.freeMemory()).isLessThan(HEAP);
    }
}
