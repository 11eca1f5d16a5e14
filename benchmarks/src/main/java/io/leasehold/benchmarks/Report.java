// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.benchmarks.Row.Comparison;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The results as a table for people. */
record Report(Map<String, String> machine, List<Row> rows) {

    private static final List<String> TITLES =
            List.of("suite", "what", "figure", "beside it", "", "ratio", "goal", "");

    String table() {
        List<List<String>> lines = new ArrayList<>();
        lines.add(TITLES);
        rows.forEach(row -> lines.add(cells(row)));
        int[] widths = widths(lines);
        StringBuilder text = new StringBuilder();
        machine.forEach((fact, value) ->
                text.append(fact).append(": ").append(value).append(System.lineSeparator()));
        String suite = "";
        for (List<String> line : lines) {
            if (!line.get(0).equals(suite)) {
                text.append(System.lineSeparator());
                suite = line.get(0);
            }
            text.append(padded(line, widths)).append(System.lineSeparator());
        }
        return text.toString();
    }

    private static List<String> cells(Row row) {
        return List.of(
                row.suite().toString(),
                row.what(),
                row.figure().toString(),
                row.comparison().map(Comparison::peer).orElse(""),
                row.comparison().map(other -> other.figure().toString()).orElse(""),
                row.comparison().map(other -> ratio(other.ratio())).orElse(""),
                row.goal().map(Goal::text).orElse(""),
                row.goal().map(goal -> goal.reached() ? "reached" : "missed").orElse(""));
    }

    private static String ratio(double ratio) {
        return String.format(Locale.ROOT, ratio < 10 ? "%.2f" : "%.0f", ratio);
    }

    private static int[] widths(List<List<String>> lines) {
        int[] widths = new int[TITLES.size()];
        for (List<String> line : lines) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        return widths;
    }

    /** Numbers to the right, text to the left. */
    private static String padded(List<String> line, int[] widths) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String cell = line.get(i);
            String space = " ".repeat(widths[i] - cell.length());
            boolean number = i == 2 || i == 4 || i == 5 || i == 6;
            text.append(number ? space + cell : cell + space).append("  ");
        }
        return text.toString().stripTrailing();
    }
}
