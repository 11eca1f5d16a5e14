// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** {@link AmongNames} and {@link AmongRanges} at growing numbers of live leases, in processor time. */
final class FlatnessSuite {

    private static final double FLAT = 2; // between the smallest and the largest number of names

    private FlatnessSuite() {}

    static List<Row> run(Effort effort, PrintStream progress) {
        Medians medians = new Medians();
        for (int round = 1; round <= effort.rounds(); round++) {
            progress.printf("  round %d of %d, names%n", round, effort.rounds());
            measure(AmongNames.class, effort, effort.sizes().names(), medians);
            progress.printf("  round %d of %d, byte ranges%n", round, effort.rounds());
            measure(AmongRanges.class, effort, effort.sizes().ranges(), medians);
        }
        List<Integer> ranges = effort.sizes().ranges();
        double logarithmic = Math.log(ranges.get(ranges.size() - 1)) / Math.log(ranges.get(0));
        Series names = new Series("pair among %s names", "AmongNames.pair", FLAT);
        Series pairs = new Series("pair among %s ranges", "AmongRanges.pair", logarithmic);
        Series tries =
                new Series("refused try among %s ranges", "AmongRanges.refusedTry", logarithmic);
        List<Row> rows = new ArrayList<>();
        rows.addAll(names.rows(effort.sizes().names(), medians));
        rows.addAll(pairs.rows(ranges, medians));
        rows.addAll(tries.rows(ranges, medians));
        return rows;
    }

    private static void measure(
            Class<?> benchmarks, Effort effort, List<Integer> live, Medians medians) {
        String[] values = live.stream().map(String::valueOf).toArray(String[]::new);
        Throughput.measure(
                benchmarks,
                effort.timing(),
                options -> options.threads(1).param("live", values),
                result -> medians.add(
                        key(
                                benchmarks.getSimpleName() + "." + result.method(),
                                Integer.parseInt(result.benchmark().getParam("live"))),
                        result.processorNanos()));
    }

    private static String key(String benchmark, int live) {
        return benchmark + " " + live;
    }

    /** One benchmark at all numbers of live leases, and how much dearer the last may be than the first. */
    private record Series(String title, String benchmark, double growth) {

        List<Row> rows(List<Integer> sizes, Medians medians) {
            int least = sizes.get(0);
            Quantity first = Quantity.nanoseconds(medians.of(key(benchmark, least)));
            List<Row> rows = new ArrayList<>();
            for (int live : sizes) {
                Quantity cost = Quantity.nanoseconds(medians.of(key(benchmark, live)));
                Row row = Row.of(Suite.FLATNESS, title.formatted(live), cost);
                rows.add(
                        live == least
                                ? row
                                : row.beside("among " + least, first).atMost(growth));
            }
            return rows;
        }
    }
}
