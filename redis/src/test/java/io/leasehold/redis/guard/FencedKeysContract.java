// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.guard.Guard;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.testkit.GuardContract;
import io.leasehold.testkit.RedisBinary;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.TestLength;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;

/** The guard contract on keys of a real server, which is killed before each reopening. */
abstract class FencedKeysContract extends GuardContract<KeyWrites> {

    private static final String KEY = "{ledger/42}:note";

    private final RedisServer server;
    private final List<RedisGuard> opened = new ArrayList<>();

    FencedKeysContract(RedisBinary binary) {
        server = RedisServer.start(binary, "appendonly yes", "appendfsync always");
    }

    /** Each is three round trips and two forces; the race is where the many are. */
    @Override
    protected int writes() {
        return TestLength.of(500, 5_000);
    }

    @Override
    protected Guard<KeyWrites> open() {
        opened.add(RedisGuard.connect(server.uri()));
        return opened.get(opened.size() - 1).keys("ledger/42");
    }

    @Override
    protected Guard<KeyWrites> reopen(Guard<KeyWrites> guard) {
        server.kill();
        server.restart();
        awaitConnected(guard);
        return open();
    }

    private static void awaitConnected(Guard<KeyWrites> guard) {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                assertThat(guard.mark()).isPresent();
                return;
            } catch (StoreUnavailableException e) {
                Thread.onSpinWait();
            }
        }
        throw new AssertionError("interrupted");
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
        opened.forEach(RedisGuard::close);
        server.close();
    }
}
