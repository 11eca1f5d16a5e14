// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.table.TableOptions;
import io.leasehold.testkit.PrimitivesContract;
import io.leasehold.testkit.StoreUnderTest;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Single flight, idempotency and election on a quorum of five servers. */
@Tag("real-clock")
@Execution(ExecutionMode.CONCURRENT)
final class FiveRedisPrimitivesTest extends PrimitivesContract {

    private static FiveRedis servers;

    @BeforeAll
    static void start() {
        servers = new FiveRedis();
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @Override
    protected StoreUnderTest open(TableOptions options) {
        return servers.open(options);
    }

    @Override
    protected Duration ttl() {
        return Duration.ofSeconds(10);
    }
}
