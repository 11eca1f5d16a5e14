// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.table.TableOptions;
import io.leasehold.testkit.PrimitivesContract;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.StoreUnderTest;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Single flight, idempotency and election by the server's own clock. */
@Execution(ExecutionMode.CONCURRENT)
final class PrimitivesTest extends PrimitivesContract {

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
        return Duration.ofSeconds(10);
    }
}
