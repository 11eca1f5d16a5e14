// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** {@link Uncontended} at several numbers of threads, peers in turn. */
final class MemorySuite {

    private static final int QUIET_PERCENT = 90;
    private static final double GOAL = 0.25; // of the lease by hand; the summit is 0.5
    private static final double LOCK_GOAL = 1.0 / 3; // of the engine

    private MemorySuite() {}

    static List<Row> run(Effort effort, PrintStream progress) {
        Medians medians = new Medians();
        for (int round = 1; round <= effort.rounds(); round++) {
            for (int threads : effort.timing().threads()) {
                progress.printf("  round %d of %d, %d threads%n", round, effort.rounds(), threads);
                Throughput.measure(
                        Uncontended.class,
                        effort.timing(),
                        options -> options.threads(threads),
                        result -> {
                            medians.add(result.method() + threads, result.perSecond());
                            medians.add(nanos(result.method(), threads), result.processorNanos());
                        });
            }
        }
        List<Row> rows = new ArrayList<>();
        rows.add(quietness(medians));
        for (int threads : effort.timing().threads()) {
            rows.addAll(rows(threads, medians));
        }
        return rows;
    }

    /** How much of a core the single thread got: with less than nearly all of one, none of this is to be quoted. */
    private static Row quietness(Medians medians) {
        double share = medians.of("mapCompute1") * medians.of(nanos("mapCompute", 1)) / 1e9;
        Quantity figure = new Quantity(100 * share, Quantity.Unit.PERCENT_OF_A_CORE);
        return Row.of(Suite.MEMORY, "machine quiet enough: 1 thread got", figure)
                .atLeast(QUIET_PERCENT);
    }

    private static List<Row> rows(int threads, Medians medians) {
        Quantity map = Quantity.perSecond(medians.of("mapCompute" + threads));
        Quantity lease = Quantity.perSecond(medians.of("mapLease" + threads));
        Quantity lock = Quantity.perSecond(medians.of("reentrantLock" + threads));
        Quantity engine = Quantity.perSecond(medians.of("engine" + threads));
        Quantity renewal = Quantity.perSecond(medians.of("engineRenewal" + threads));
        Quantity user = Quantity.perSecond(medians.of("fencedLock" + threads));
        Row pair = row("engine pair", threads, engine).beside("lease by hand in a map", lease);
        Row processor = row(
                        "engine pair, processor time", threads, time("engine", threads, medians))
                .beside("lease by hand in a map", time("mapLease", threads, medians));
        Row locked = row("FencedLock pair", threads, user).beside("engine pair", engine);
        return List.of(
                row("ReentrantLock pair", threads, lock),
                row("map compute pair, no lease", threads, map),
                row("lease by hand in a map", threads, lease).beside("map compute pair", map),
                threads <= 2 ? pair.atLeast(GOAL) : pair,
                processor,
                row("engine renewal", threads, renewal)
                        .beside("two per engine pair", Quantity.perSecond(2 * engine.value()))
                        .atLeast(1),
                threads <= 2 ? locked.atLeast(LOCK_GOAL) : locked);
    }

    private static Quantity time(String method, int threads, Medians medians) {
        return Quantity.nanoseconds(medians.of(nanos(method, threads)));
    }

    private static String nanos(String method, int threads) {
        return method + threads + " processor time";
    }

    private static Row row(String what, int threads, Quantity figure) {
        String suffix = threads == 1 ? ", 1 thread" : ", " + threads + " threads";
        return Row.of(Suite.MEMORY, what + suffix, figure);
    }
}
