// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Rows of text in columns of equal width. */
final class Table {

    private static final String GAP = "  ";

    private final List<List<String>> rows = new ArrayList<>();
    private final List<Boolean> right = new ArrayList<>();

    /** The titles of the columns; those that begin with a &gt; are aligned to the right. */
    Table(String... titles) {
        List<String> head = new ArrayList<>();
        for (String title : titles) {
            boolean toTheRight = title.startsWith(">");
            right.add(toTheRight);
            head.add(toTheRight ? title.substring(1) : title);
        }
        rows.add(head);
    }

    void add(Object... cells) {
        List<String> row = new ArrayList<>();
        for (Object cell : cells) {
            row.add(cell.toString());
        }
        rows.add(row);
    }

    void print(PrintWriter out) {
        int[] widths = new int[right.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String padding = " ".repeat(widths[i] - row.get(i).length());
                line.append(right.get(i) ? padding + row.get(i) : row.get(i) + padding)
                        .append(GAP);
            }
            out.println(line.toString().stripTrailing());
        }
    }
}
