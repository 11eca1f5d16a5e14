// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Time;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.RedisBinary;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.StoreUnderTest;
import io.leasehold.testkit.TestLength;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A server that the tests of a class share; each store has a namespace of its own there. */
final class RealRedis implements AutoCloseable {

    private static final AtomicInteger NAMESPACES = new AtomicInteger();

    private final RedisServer server;

    RealRedis(RedisServer server) {
        this.server = server;
    }

    /** The programs to run: one, and in the long form an older one and the installed one too. */
    static Stream<RedisBinary> programs() {
        return Stream.concat(
                        Stream.of(RedisBinary.bundled(), RedisBinary.older()),
                        RedisBinary.installed().stream())
                .limit(TestLength.of(1, 3));
    }

    RedisServer server() {
        return server;
    }

    /** Options for a namespace that nobody has used. */
    RedisOptions options() {
        return RedisOptions.at(server.uri()).withNamespace("test-" + NAMESPACES.incrementAndGet());
    }

    StoreUnderTest open(TableOptions bounds) {
        return underTest(RedisLeaseStore.connect(options().withBounds(bounds)));
    }

    static StoreUnderTest underTest(LeaseStore store) {
        return new StoreUnderTest() {
            @Override
            public LeaseStore store() {
                return store;
            }

            @Override
            public void pass(Duration span) {
                CompletableFuture<Boolean> over = new CompletableFuture<>();
                Time.system().schedule(span, () -> over.complete(true));
                over.join();
            }

            @Override
            public long nanos() {
                return Time.system().nanos();
            }

            @Override
            public void settle() {
                // calls arrive in the order in which they are sent
                store.list(new LeaseQuery(Optional.empty(), Optional.empty(), 1))
                        .toCompletableFuture()
                        .join();
            }

            @Override
            public void close() {
                store.close();
            }
        };
    }

    @Override
    public void close() {
        server.close();
    }
}
