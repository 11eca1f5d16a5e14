// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The results for programs. */
final class Json {

    private Json() {}

    static String of(Report report) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("machine", report.machine());
        all.put("results", report.rows().stream().map(Json::fields).toList());
        return text(all) + "\n";
    }

    private static Map<String, Object> fields(Row row) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("suite", row.suite().toString());
        fields.put("what", row.what());
        fields.put("figure", row.figure().value());
        fields.put("unit", row.figure().unit().toString());
        row.comparison().ifPresent(other -> {
            fields.put("beside", other.peer());
            fields.put("besideFigure", other.figure().value());
            fields.put("ratio", other.ratio());
        });
        row.goal().ifPresent(goal -> {
            fields.put("goal", goal.text());
            fields.put("reached", goal.reached());
        });
        return fields;
    }

    private static String text(Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(entry ->
                            text(String.valueOf(entry.getKey())) + ": " + text(entry.getValue()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        if (value instanceof List<?> list) {
            return list.stream()
                    .map(Json::text)
                    .collect(Collectors.joining(",\n  ", "[\n  ", "\n]"));
        }
        if (value instanceof Number || value instanceof Boolean) {
            return value.toString();
        }
        return '"' + value.toString().replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
