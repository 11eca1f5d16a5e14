// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.quorum.QuorumLeaseStore;
import io.leasehold.testkit.RedisServer;
import org.junit.jupiter.api.Test;

final class QuorumStoresTest {

    @Test
    void nodesThatMayHaveForgottenAreKeptOut() {
        try (RedisServer one = RedisServer.start();
                RedisServer two = RedisServer.start();
                RedisServer three = RedisServer.start();
                QuorumLeaseStore store =
                        new QuorumStores().open(one.uri(), two.uri(), three.uri())) {
            assertThat(store.guarantees().engine()).isEqualTo("quorum");
            assertThat(store.guarantees().caveats()).isNotEmpty();
        }
    }
}
