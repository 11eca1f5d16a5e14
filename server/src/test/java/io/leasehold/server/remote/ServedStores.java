// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.remote;

import io.leasehold.client.RemoteLeaseStore;
import io.leasehold.client.RemoteOptions;
import io.leasehold.server.LeaseholdServer;
import io.leasehold.server.ServersForTests;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Time;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.StoreUnderTest;
import io.leasehold.testkit.VirtualTime;

import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server with a namespace for each test, whose store lives in virtual time. The server itself and
 * the clients' connections go by the machine's.
 */
final class ServedStores implements AutoCloseable {

    /** Longer than anything takes on a busy machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(50);

    /** Opens the store behind a namespace. */
    interface Opener {
        LeaseStore open(String namespace, TableOptions options, VirtualTime time);
    }

    private record Plan(TableOptions options, VirtualTime time) {}

    private final Map<String, Plan> plans = new ConcurrentHashMap<>();
    private final AtomicInteger last = new AtomicInteger();
    private final LeaseholdServer server;

    ServedStores(Opener opener) {
        this.server = ServersForTests.start(namespace -> {
            Plan plan = plans.getOrDefault(
                    namespace, new Plan(TableOptions.defaults(), VirtualTime.create()));
            return opener.open(namespace, plan.options, plan.time);
        });
    }

    /** A store in a namespace of its own. */
    StoreUnderTest open(TableOptions options) {
        String namespace = "test-" + last.incrementAndGet();
        VirtualTime time = VirtualTime.create();
        plans.put(namespace, new Plan(options, time));
        RemoteOptions remote = RemoteOptions.at("leasehold://127.0.0.1:" + server.port())
                .withNamespace(namespace)
                .within(new StoreClock(time), new SplittableRandom(18))
                .withPatience(PATIENCE);
        return new Remote(time, RemoteLeaseStore.connect(remote));
    }

    @Override
    public void close() {
        server.close();
    }

    /** The clock of the store, with timers that watch over a real connection. */
    private record StoreClock(VirtualTime virtual) implements Time {

        @Override
        public long nanos() {
            return virtual.nanos();
        }

        @Override
        public long wallMillis() {
            return virtual.wallMillis();
        }

        @Override
        public Timer schedule(Duration delay, Runnable task) {
            return Time.system().schedule(delay, task);
        }
    }

    /** Time passes only when the server has everything: an answer on its way is not late. */
    private record Remote(VirtualTime virtual, RemoteLeaseStore store) implements StoreUnderTest {

        @Override
        public void pass(Duration span) {
            settle();
            virtual.advance(span);
            settle();
        }

        @Override
        public Time time() {
            return virtual;
        }

        @Override
        public long nanos() {
            return virtual.nanos();
        }

        /**
         * The first listing may travel with what was sent before, and be answered before it; the
         * second is not.
         */
        @Override
        public void settle() {
            for (int i = 0; i < 2; i++) {
                var unused = store.list(LeaseQuery.all()).toCompletableFuture().join();
            }
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
