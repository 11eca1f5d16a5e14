// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.table.TableOptions;
import io.leasehold.testkit.LeaseStoreContract;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.StoreUnderTest;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract by a clock of the test's own: everything to the microsecond. */
final class ExactContractTest extends LeaseStoreContract {

    private static RealRedis redis;

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
        return new VirtualRedis(redis.server(), redis.options().withBounds(options));
    }

    @Override
    protected boolean countsTokens() {
        return false;
    }
}
