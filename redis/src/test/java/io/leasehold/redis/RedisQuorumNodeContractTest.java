// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.QuorumNode;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.QuorumNodeContract;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.StoreUnderTest;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The contract of a node, on a real server. With a listener the script takes the general way for
 * all operations, without one the short way for most.
 */
@ParameterizedClass
@ValueSource(booleans = {false, true})
final class RedisQuorumNodeContractTest extends QuorumNodeContract {

    private static RealRedis redis;

    private final boolean listening;

    RedisQuorumNodeContractTest(boolean listening) {
        this.listening = listening;
    }

    @BeforeAll
    static void start() {
        redis = new RealRedis(RedisServer.start());
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Override
    protected StoreUnderTest open(TableOptions options) {
        QuorumNode node = RedisQuorumNode.at(
                redis.options().withBounds(options).withPatience(Leases.PATIENCE));
        if (listening) {
            LeaseEvents.Subscription unused = node.subscribe(event -> {});
            // the store hears of the listener with the next call
            Ask.answer(node.standing());
        }
        return RealRedis.underTest(node);
    }

    @Override
    protected Duration tolerance() {
        return Duration.ofMinutes(5);
    }
}
