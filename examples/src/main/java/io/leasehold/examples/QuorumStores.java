// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import io.leasehold.quorum.QuorumLeaseStore;
import io.leasehold.quorum.QuorumOptions;
import io.leasehold.redis.RedisQuorumNode;

/** The page about the quorum engine. */
final class QuorumStores {

    QuorumLeaseStore open(String one, String two, String three) {
        QuorumLeaseStore store = QuorumLeaseStore.over(
                QuorumOptions.defaults().withName("orders"), // and .asNew() at the very first start
                RedisQuorumNode.at(one), // "redis://one:6379"
                RedisQuorumNode.at(two),
                RedisQuorumNode.at(three));
        return store;
    }
}
