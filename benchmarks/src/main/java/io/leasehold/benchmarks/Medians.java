// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The results of several rounds by what was measured; of each the median counts. */
final class Medians {

    private final Map<String, List<Double>> results = new LinkedHashMap<>();

    void add(String what, double result) {
        results.computeIfAbsent(what, key -> new ArrayList<>()).add(result);
    }

    double of(String what) {
        List<Double> all = results.get(what);
        if (all == null) {
            throw new IllegalArgumentException("'" + what + "' was not measured");
        }
        double[] sorted = all.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
