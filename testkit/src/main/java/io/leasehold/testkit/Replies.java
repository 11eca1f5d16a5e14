// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the replies of {@link RedisServer#command}. */
final class Replies {

    private Replies() {}

    /** The fields of a reply that is lines of {@code name:value}, as {@code INFO} gives. */
    static Map<String, String> fields(@Nullable Object reply) {
        Map<String, String> fields = new LinkedHashMap<>();
        String.valueOf(reply).lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                fields.put(line.substring(0, colon), line.substring(colon + 1));
            }
        });
        return fields;
    }

    /** The fields of a reply that lists names and values in turn. */
    static Map<String, String> pairs(@Nullable Object reply) {
        Map<String, String> fields = new LinkedHashMap<>();
        List<?> words = list(reply);
        for (int i = 0; i + 1 < words.size(); i += 2) {
            fields.put(String.valueOf(words.get(i)), String.valueOf(words.get(i + 1)));
        }
        return fields;
    }

    static List<?> list(@Nullable Object reply) {
        if (reply instanceof List<?> list) {
            return list;
        }
        throw new IllegalArgumentException("not a list: " + reply);
    }
}
