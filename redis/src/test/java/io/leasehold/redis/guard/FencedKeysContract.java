// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import io.leasehold.guard.Guard;
import io.leasehold.testkit.GuardContract;
import io.leasehold.testkit.RedisBinary;
import io.leasehold.testkit.RedisServer;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;

/** The guard contract on keys of a real server, which is killed where another process takes over. */
abstract class FencedKeysContract extends GuardContract<KeyWrites> {

    private static final String KEY = "{ledger/42}:note";

    private final RedisServer server;
    private RedisGuard redis;

    FencedKeysContract(RedisBinary binary) {
        server = RedisServer.start(binary, "appendonly yes", "appendfsync always");
        redis = RedisGuard.connect(server.uri());
    }

    /** Each is three round trips and two forces; the race is where the many are. */
    @Override
    protected int writes() {
        return 10_000;
    }

    @Override
    protected Guard<KeyWrites> open() {
        return redis.keys("ledger/42");
    }

    @Override
    protected Guard<KeyWrites> reopen(Guard<KeyWrites> guard) {
        server.kill();
        server.restart();
        redis.close();
        redis = RedisGuard.connect(server.uri());
        return open();
    }

    @Override
    protected void put(KeyWrites keys, String text) {
        keys.set(KEY, text);
    }

    @Override
    protected String read(Guard<KeyWrites> guard) {
        return Objects.requireNonNullElse(server.command("GET", KEY), "").toString();
    }

    @AfterEach
    void close() {
        redis.close();
        server.close();
    }
}
