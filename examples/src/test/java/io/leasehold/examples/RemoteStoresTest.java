// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.client.RemoteLeaseStore;
import io.leasehold.client.RemoteOptions;
import io.leasehold.model.FencingToken;
import io.leasehold.server.LeaseholdServer;
import io.leasehold.server.ServerOptions;
import io.leasehold.server.engine.StoreAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class RemoteStoresTest {

    @Test
    void theQuickStartAndTheGuideTakeTheirLocksFromAServer() {
        ServerOptions options = ServerOptions.on(StoreAddress.parse("memory")).withPort(0);
        try (LeaseholdServer server = LeaseholdServer.start(options)) {
            String uri = "leasehold://127.0.0.1:" + server.port();
            // the first connection of a process loads classes, for seconds on a busy machine
            RemoteLeaseStore.connect(RemoteOptions.at(uri).withPatience(Duration.ofMinutes(1)))
                    .close();

            assertThat(new RemoteStores().quickStart(uri, "rent")).containsExactly("rent");
            assertThat(new RemoteStores().run(uri)).isEqualTo(new FencingToken(2));
        }
    }

    @Test
    void theCarefulOptionsTakeTheirCertificatesFromFiles() {
        assertThatThrownBy(() -> new RemoteStores().careful("leaseholds://127.0.0.1:1", "secret"))
                .hasMessageContaining(".pem")
                .hasMessageNotContaining("secret");
    }
}
