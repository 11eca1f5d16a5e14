// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static io.leasehold.server.Requests.acquire;
import static io.leasehold.server.Requests.grant;
import static io.leasehold.server.Requests.release;
import static io.leasehold.server.Requests.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.Grant;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.testkit.RedisServer;
import org.junit.jupiter.api.Test;

/** Servers that keep nothing themselves: what one of them granted, another knows. */
final class RedisEnginesTest {

    @Test
    void twoServersOnOneRedisAreOne() {
        try (RedisServer redis = RedisServer.start()) {
            sharesLeases(redis.uri());
        }
    }

    @Test
    void twoServersOnAQuorumAreOneAlsoWithoutOneOfItsNodes() {
        try (RedisServer first = RedisServer.start();
                RedisServer second = RedisServer.start();
                RedisServer third = RedisServer.start()) {
            String nodes = first.uri() + "," + second.uri() + "," + third.uri();
            sharesLeases("new-quorum:" + nodes);
            third.kill();
            sharesLeases("quorum:" + nodes);
        }
    }

    private static void sharesLeases(String store) {
        try (TestServer one = TestServer.start(TestServer.options(store));
                TestServer other = TestServer.start(TestServer.options(store))) {
            assertThat(one.calls().info(InfoRequest.getDefaultInstance()).getEngine())
                    .isEqualTo(store.contains("quorum:") ? "quorum" : "redis");
            // a quorum that is new to a server may need a moment before it grants
            AcquireRequest.Builder patient = acquire("a").setWait(seconds(20));
            Grant first = grant(granted(one.calls().acquire(patient.build())));
            assertThat(other.calls().acquire(acquire("a").build()).hasHeld()).isTrue();
            assertThat(other.calls().list(ListRequest.getDefaultInstance()).getLeasesCount())
                    .isEqualTo(1);
            assertThat(HostedGuardsTest.admit(one, "printer", first.getToken()).hasAdmitted())
                    .isTrue();

            assertThat(one.calls().release(release(first)).hasEnded()).isTrue();
            AcquireRequest.Builder next = acquire("a").setWait(seconds(20));
            Grant second = grant(granted(other.calls().acquire(next.build())));
            assertThat(second.getToken()).isGreaterThan(first.getToken());
            assertThat(HostedGuardsTest.admit(other, "printer", second.getToken())
                            .hasAdmitted())
                    .isTrue();
            assertThat(HostedGuardsTest.admit(one, "printer", first.getToken()).hasStale())
                    .isTrue();
            assertThat(other.calls().release(release(second)).hasEnded()).isTrue();
        }
    }

    private static AcquireReply granted(AcquireReply reply) {
        assertThat(reply.hasGranted()).as("%s", reply).isTrue();
        return reply;
    }
}
