// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Time;
import io.leasehold.testkit.RedisServer;

import java.io.PrintStream;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** How many leases a second can be kept alive, and what it costs to keep many. */
final class RedisRenewals {

    private static final String WATCHDOG = "Redisson's watchdog";
    private static final String SCRIPTS = "scripts of 100 by hand";
    private static final String OURS = "Leasehold's engine";
    private static final double GOAL = 2; // times the watchdog
    private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(5);
    private static final int THREADS = 64;

    private RedisRenewals() {}

    static List<Row> run(
            RedisServer server,
            Function<URI, LeaseStore> engine,
            Effort effort,
            PrintStream progress) {
        Medians medians = new Medians();
        URI uri = URI.create(server.uri());
        int leases = effort.sizes().renewed();
        for (int round = 1; round <= effort.rounds(); round++) {
            progress.printf("  renewing, round %d of %d%n", round, effort.rounds());
            medians.add(WATCHDOG, watchdog(server, effort));
            medians.add(SCRIPTS, RenewalScripts.perSecond(uri, leases));
            medians.add(OURS, perSecond(engine.apply(uri), leases));
        }
        List<Row> rows = new ArrayList<>(rows(leases, medians));
        rows.addAll(RenewalLoad.measure(
                Suite.REDIS, engine.apply(uri), meters(server), effort, progress));
        return rows;
    }

    private static double watchdog(RedisServer server, Effort effort) {
        Duration interval = effort.renewal().compareTo(LONGEST_INTERVAL) < 0
                ? effort.renewal()
                : LONGEST_INTERVAL;
        return RedissonWatchdog.perSecond(
                URI.create(server.uri()),
                new ServerLoad(server),
                effort.sizes().renewed(),
                interval);
    }

    /** All leases once, by one call. Closes the store. */
    private static double perSecond(LeaseStore store, int leases) {
        try (store) {
            RenewalRequest[] requests = new RenewalRequest[leases];
            Crowd.run(THREADS, leases, (from, to) -> {
                // other ids than in the round before, which are remembered
                Requests own =
                        Requests.of(ThreadLocalRandom.current().nextLong(), Requests.LONG_TTL);
                for (int i = from; i < to; i++) {
                    Grant grant = Answers.granted(store.acquire(own.next(Requests.named(i))));
                    requests[i] = RenewalRequest.of(grant, Requests.LONG_TTL);
                }
            });
            long start = Time.system().nanos();
            List<Renewal> answers = store.renewAll(Arrays.asList(requests))
                    .toCompletableFuture()
                    .join();
            double seconds = (Time.system().nanos() - start) / 1e9;
            long renewed =
                    answers.stream().filter(Renewal.Renewed.class::isInstance).count();
            if (renewed != leases) {
                throw new IllegalStateException("only " + renewed + " were renewed");
            }
            release(store, requests);
            return leases / seconds;
        }
    }

    private static void release(LeaseStore store, RenewalRequest[] requests) {
        Crowd.run(THREADS, requests.length, (from, to) -> {
            for (int i = from; i < to; i++) {
                Ending unused = Answers.ended(store.release(requests[i].grant()));
            }
        });
    }

    private static List<Row> rows(int leases, Medians medians) {
        Quantity watchdog = Quantity.perSecond(medians.of(WATCHDOG));
        List<Row> rows = new ArrayList<>();
        rows.add(row(WATCHDOG, leases, medians));
        rows.add(row(SCRIPTS, leases, medians).beside(WATCHDOG, watchdog));
        rows.add(row(OURS, leases, medians).beside(WATCHDOG, watchdog).atLeast(GOAL));
        return rows;
    }

    private static Row row(String name, int leases, Medians medians) {
        String what = name + ", renewing " + leases + " leases";
        return Row.of(Suite.REDIS, what, Quantity.perSecond(medians.of(name)));
    }

    private static Map<String, LongSupplier> meters(RedisServer server) {
        Map<String, LongSupplier> meters = new LinkedHashMap<>();
        meters.put(", client", RenewalLoad.THIS_PROCESS);
        meters.put(", server", new ServerLoad(server)::processorNanos);
        return meters;
    }
}
