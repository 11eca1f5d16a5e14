// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.model.Claim;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Time;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** Clients that acquire, renew and release as fast as they are answered. Used once. */
final class Load {

    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration WAIT = Duration.ofSeconds(10);
    private static final long MANY_FAILURES = 100;

    private final LeaseStore store;
    private final int clients;
    private final int locks;
    private final Time time = Time.system();
    private final SecureRandom random = new SecureRandom();
    private final String family = "bench/" + Long.toHexString(random.nextLong());
    private final Latencies acquires = new Latencies("acquire");
    private final Latencies renewals = new Latencies("renew");
    private final Latencies releases = new Latencies("release");
    private final AtomicLong failures = new AtomicLong();
    private volatile String firstFailure = "";
    private volatile double seconds;

    Load(LeaseStore store, int clients, int locks) {
        this.store = store;
        this.clients = clients;
        this.locks = locks;
    }

    /** Runs for so long, telling from time to time how long it has run and how many calls. */
    void run(Duration length, BiConsumer<Duration, Long> progress) throws InterruptedException {
        long start = time.nanos();
        long end = start + length.toNanos();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            Scope scope = Scope.name(family + "/" + i % locks);
            Thread thread = new Thread(() -> work(scope, end), "leasehold-bench-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                thread.join(250);
                progress.accept(
                        Duration.ofNanos(time.nanos() - start),
                        acquires.count() + renewals.count() + releases.count());
            }
        }
        seconds = (time.nanos() - start) / 1e9;
    }

    private void work(Scope scope, long end) {
        while (time.nanos() - end < 0 && failures.get() < MANY_FAILURES) {
            try {
                once(scope);
            } catch (LeaseholdException e) {
                if (failures.getAndIncrement() == 0) {
                    firstFailure = String.valueOf(e.getMessage());
                }
            }
        }
    }

    private void once(Scope scope) {
        LeaseRequest request = LeaseRequest.of(
                        new LeaseId(random.nextLong(), random.nextLong()),
                        Claim.exclusive(scope),
                        ThisCommand.holder(),
                        TTL)
                .waitingAtMost(WAIT);
        if (timed(acquires, () -> store.acquire(request)) instanceof Acquisition.Granted granted) {
            Grant grant = granted.grant();
            timed(renewals, () -> store.renew(RenewalRequest.of(grant, TTL)));
            timed(releases, () -> store.release(grant));
        }
    }

    private <T> T timed(Latencies latencies, Supplier<CompletionStage<T>> call) {
        long sent = time.nanos();
        T answer = Answers.await(call.get());
        latencies.add(time.nanos() - sent);
        return answer;
    }

    double seconds() {
        return seconds;
    }

    long failures() {
        return failures.get();
    }

    String firstFailure() {
        return firstFailure;
    }

    List<Latencies.Summary> summaries() {
        return List.of(acquires.summary(), renewals.summary(), releases.summary());
    }
}
