// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockOptions;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.Scope;
import io.leasehold.model.StaleTokenException;
import io.leasehold.testkit.RealTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Clients that lock and unlock a few names from several threads until told to stop, and write
 * through a guard for each name while they hold it, and sometimes once more when they no longer do.
 */
final class Fleet implements AutoCloseable {

    private static final Duration WAIT = Duration.ofMillis(500);

    /** What the clients lock and write: the tokens they wrote with. */
    private record Target(String name, List<Long> written, MemoryGuard<List<Long>> guard) {

        static Target of(String name) {
            List<Long> written = new ArrayList<>();
            return new Target(name, written, MemoryGuard.around(name, written));
        }
    }

    private final History history = new History();
    private final List<Target> targets =
            List.of(Target.of("one"), Target.of("two"), Target.of("three"));
    private final List<Leasehold> clients = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger refusedWrites = new AtomicInteger();
    private final LockOptions lockOptions;
    private volatile boolean stopped;

    private Fleet(Duration ttl) {
        this.lockOptions = LockOptions.defaults().withTtl(ttl);
    }

    /** So many clients with two threads each. */
    static Fleet of(int clients, RedisOptions options, Duration ttl, long seed) {
        System.out.println("fleet of seed " + seed);
        Fleet fleet = new Fleet(ttl);
        for (int i = 0; i < clients; i++) {
            Leasehold client = Leasehold.on(RedisLeaseStore.connect(options));
            fleet.clients.add(client);
            for (int j = 0; j < 2; j++) {
                Random random = new Random(seed + 100 * i + j);
                fleet.threads.add(new Thread(() -> fleet.work(client, random), "fleet-" + i + j));
            }
        }
        fleet.threads.forEach(Thread::start);
        return fleet;
    }

    History history() {
        return history;
    }

    /** Returns when there were more grants; so the store works. */
    void awaitProgress(int grants) {
        int goal = history.size() + grants;
        RealTime.until(goal + " grants", () -> history.size() >= goal);
    }

    private void work(Leasehold client, Random random) {
        while (!stopped) {
            Target target = targets.get(random.nextInt(targets.size()));
            long askedAt = History.now();
            try (Lease lease = client.lock(lockOptions, Scope.name(target.name)).acquire(WAIT)) {
                FencingToken token = lease.token();
                history.granted(askedAt, token);
                write(target, token);
                if (random.nextInt(4) == 0) {
                    lease.close();
                    write(target, token);
                }
            } catch (LeaseholdException e) {
                // the fault that the test is about, or somebody else had it
            }
            // others want to work on this machine, too
            RealTime.pass(Duration.ofMillis(1 + random.nextInt(10)));
        }
    }

    private void write(Target target, FencingToken token) {
        try {
            target.guard.write(token, tokens -> tokens.add(token.value()));
        } catch (StaleTokenException e) {
            refusedWrites.incrementAndGet();
        }
    }

    /** Ends the load and looks at what it did. */
    void stopAndCheck() {
        stop();
        history.assertTokensIncrease();
        targets.forEach(target -> assertThat(target.written).as(target.name).isSorted());
        System.out.println(history.size() + " grants, " + refusedWrites.get() + " writes refused");
    }

    private void stop() {
        stopped = true;
        try {
            for (Thread thread : threads) {
                thread.join(Leases.PATIENCE.toMillis());
                assertThat(thread.isAlive()).isFalse();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        stop();
        clients.forEach(Leasehold::close);
    }
}
