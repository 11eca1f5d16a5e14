// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.quorum.QuorumLeaseStore;
import io.leasehold.quorum.QuorumOptions;
import io.leasehold.spi.Limits;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.StoreUnderTest;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Five independent servers, and quorums of them. */
final class FiveRedis implements AutoCloseable {

    static final int SIZE = 5;
    private static final AtomicInteger NAMESPACES = new AtomicInteger();

    private final List<RedisServer> servers = new ArrayList<>();

    FiveRedis(String... settings) {
        for (int i = 0; i < SIZE; i++) {
            servers.add(RedisServer.start(settings));
        }
    }

    RedisServer server(int index) {
        return servers.get(index);
    }

    /** A name for a quorum and its namespace that nobody has used. */
    static String name() {
        return "quorum-" + NAMESPACES.incrementAndGet();
    }

    QuorumLeaseStore connect(QuorumOptions options, TableOptions bounds) {
        RedisQuorumNode[] nodes = servers.stream()
                .map(server -> RedisQuorumNode.at(RedisOptions.at(server.uri())
                        .withNamespace(options.name())
                        .withBounds(bounds)
                        .withPatience(options.patience())))
                .toArray(RedisQuorumNode[]::new);
        return QuorumLeaseStore.over(options, nodes);
    }

    QuorumLeaseStore connect(QuorumOptions options) {
        return connect(options, TableOptions.defaults());
    }

    /** A new quorum for a test of its own. */
    StoreUnderTest open(TableOptions bounds) {
        QuorumOptions options = QuorumOptions.defaults()
                .withName(name())
                .withLongestTtl(Limits.MAX_TTL)
                .withPatience(Leases.PATIENCE)
                .asNew();
        return RealRedis.underTest(connect(options, bounds));
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
    }
}
