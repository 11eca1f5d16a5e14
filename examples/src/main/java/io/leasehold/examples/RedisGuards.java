// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.model.FencingToken;
import io.leasehold.model.StaleTokenException;
import io.leasehold.redis.guard.FencedKey;
import io.leasehold.redis.guard.FencedKeys;
import io.leasehold.redis.guard.RedisGuard;
import io.leasehold.redis.guard.ScriptRunner;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The snippets of docs/guards/redis.md. */
final class RedisGuards {

    private static final String TAKE = """
            local left = tonumber(redis.call('GET', KEYS[1]) or '0') - tonumber(ARGV[1])
            if left < 0 then
              return -1
            end
            redis.call('SET', KEYS[1], string.format('%d', left))
            redis.call('RPUSH', KEYS[2], ARGV[2])
            return left
            """;

    private final RedisGuard redis;

    RedisGuards(RedisGuard redis) {
        this.redis = redis;
    }

    String pay(Leasehold leasehold, StatefulRedisConnection<String, String> connection) {
        FencedKey order = RedisGuard.on(connection).key("orders:42");
        try (Lease lease = leasehold.lock("orders:42").acquire(Duration.ofSeconds(5))) {
            order.seal(lease.token()); // before the first read: earlier holders are shut out
            String state = connection.sync().get("orders:42");
            order.set(lease.token(), state == null ? "new" : state + ", paid");
        }
        return connection.sync().get("orders:42");
    }

    String payLate(FencingToken token) {
        try {
            redis.key("orders:42").set(token, "paid");
            return "written";
        } catch (StaleTokenException e) {
            return "token " + e.token() + " came after token " + e.mark(); // nothing was written
        }
    }

    void several(FencingToken token) {
        FencedKeys ledger = redis.keys("ledger/42");
        ledger.write(
                token,
                writes -> writes.increment("{ledger/42}:balance", -30)
                        .hset("{ledger/42}:last", Map.of("to", "ada", "amount", "30"))
                        .delete("{ledger/42}:draft"));
    }

    long take(FencingToken token, int amount, String by) {
        FencedKeys stock = redis.keys("stock");
        List<String> keys = List.of("{stock}:books", "{stock}:takers");
        return stock.run(token, TAKE, keys, List.of(Integer.toString(amount), by))
                .number();
    }

    RedisGuard onAnotherClient(RedisCommands<byte[], byte[]> client) {
        ScriptRunner runner = (script, keys, arguments) -> {
            byte[][] names = keys.toArray(new byte[0][]);
            byte[][] values = arguments.toArray(new byte[0][]);
            try {
                return client.evalsha(script.sha1(), ScriptOutputType.MULTI, names, values);
            } catch (RedisNoScriptException e) {
                return client.eval(script.source(), ScriptOutputType.MULTI, names, values);
            }
        };
        return RedisGuard.with(runner);
    }
}
