// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.table.TableOptions;
import io.leasehold.testkit.LeaseStoreContract;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.StoreUnderTest;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The contract by the server's own clock. */
@Tag("real-clock")
@Execution(ExecutionMode.CONCURRENT)
final class RedisLeaseStoreContractTest extends LeaseStoreContract {

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
        return redis.open(options);
    }

    @Override
    protected Duration ttl() {
        return Duration.ofSeconds(8);
    }

    @Override
    protected Duration tolerance() {
        return Duration.ofSeconds(3);
    }

    @Override
    protected boolean countsTokens() {
        return false;
    }
}
