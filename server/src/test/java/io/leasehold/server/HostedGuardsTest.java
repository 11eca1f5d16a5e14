// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import io.leasehold.model.StoreId;
import io.leasehold.protocol.v1.AdmitReply;
import io.leasehold.protocol.v1.AdmitRequest;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.testkit.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Guards of resources that keep no mark of their own. */
final class HostedGuardsTest {

    static AdmitReply admit(TestServer server, String resource, long token) {
        return server.calls().admit(request(resource, token));
    }

    private static AdmitRequest request(String resource, long token) {
        return AdmitRequest.newBuilder().setResource(resource).setToken(token).build();
    }

    @Test
    void resourcesHaveMarksOfTheirOwn() {
        try (TestServer server = TestServer.onMemory()) {
            assertThat(admit(server, "a", 5).hasAdmitted()).isTrue();
            assertThat(admit(server, "b", 4).hasAdmitted()).isTrue();
            assertThat(admit(server, "a", 4).getMark()).isEqualTo(5);
            assertThat(server.calls()
                            .admit(request("a", 4).toBuilder()
                                    .setNamespace("else")
                                    .build())
                            .hasAdmitted())
                    .isTrue();
        }
    }

    @Test
    void marksAreSeenInNoListing() {
        try (TestServer server = TestServer.onMemory()) {
            assertThat(admit(server, "a", 5).hasAdmitted()).isTrue();
            assertThat(server.calls().list(ListRequest.getDefaultInstance()).getLeasesCount())
                    .isZero();
        }
    }

    @Test
    void theIdOfTheStoreOfMarksChangesWhenItsDirectoryIsReplaced(@TempDir Path directory)
            throws IOException {
        Path data = directory.resolve("data");
        AdmitReply before = admitAfterStart(data);
        AdmitReply restarted = admitAfterStart(data);
        assertThat(StoreId.parse(restarted.getStoreId())).hasToString(before.getStoreId());

        Files.move(data.resolve("default~guards"), directory.resolve("taken away"));
        AdmitReply replaced = admitAfterStart(data);
        assertThat(StoreId.parse(replaced.getStoreId()).toString())
                .isNotEqualTo(before.getStoreId());
    }

    private static AdmitReply admitAfterStart(Path data) {
        try (TestServer server = TestServer.start(TestServer.options("journal:" + data))) {
            return admit(server, "a", 5);
        }
    }

    @Test
    void aMarkOnlyRisesWhoeverRaisesItAtTheSameTime() throws Exception {
        long seed = 20_261_116;
        Random random = new Random(seed);
        try (TestServer server = TestServer.onMemory()) {
            List<ListenableFuture<AdmitReply>> replies = new ArrayList<>();
            List<Long> tokens = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                long token = 1L + random.nextInt(100);
                tokens.add(token);
                replies.add(server.later().admit(request("shared", token)));
            }
            long highest = 0;
            for (int i = 0; i < replies.size(); i++) {
                AdmitReply reply = replies.get(i).get();
                boolean admitted = reply.hasAdmitted();
                assertThat(
                                admitted
                                        ? reply.getMark() == tokens.get(i)
                                        : reply.getMark() > tokens.get(i))
                        .as("reply %s, seed %s", i, seed)
                        .isTrue();
                highest = Math.max(highest, tokens.get(i));
            }
            assertThat(admit(server, "shared", 1).getMark()).isEqualTo(highest);
        }
    }

    @Test
    void aMarkThatIsUsedIsKeptForLongerThanItsRetention() {
        VirtualTime time = VirtualTime.create();
        TestServer server = TestServer.start(TestServer.options("memory").withTime(time));
        assertThat(admit(server, "r", 5).hasAdmitted()).isTrue();
        for (int i = 0; i < 4; i++) {
            time.advance(Duration.ofDays(250));
            assertThat(admit(server, "r", 5).hasAdmitted()).isTrue();
        }
        assertThat(admit(server, "r", 4).getMark()).isEqualTo(5);
        server.closeIn(time);
    }
}
