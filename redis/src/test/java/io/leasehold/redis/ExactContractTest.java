// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.table.TableOptions;
import io.leasehold.testkit.LeaseStoreContract;
import io.leasehold.testkit.RedisBinary;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.StoreUnderTest;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The contract by a clock of the test's own: everything to the microsecond, on every version of the
 * server that there is.
 */
@ParameterizedClass
@MethodSource("io.leasehold.redis.RealRedis#programs")
final class ExactContractTest extends LeaseStoreContract {

    private static final Map<RedisBinary, RealRedis> SERVERS = new ConcurrentHashMap<>();

    private final RealRedis redis;

    ExactContractTest(RedisBinary program) {
        redis = SERVERS.computeIfAbsent(
                program, absent -> new RealRedis(RedisServer.start(absent)));
    }

    @AfterAll
    static void stop() {
        SERVERS.values().forEach(RealRedis::close);
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
