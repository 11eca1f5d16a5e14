// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a server says of itself.
 *
 * @param info the fields of INFO that were read
 */
record Settings(Map<String, String> info) {

    static Settings read(ScriptRunner scripts) {
        Reply reply = new Reply(scripts.run(Script.SETTINGS, List.of(), List.of()));
        String sections = reply.list().stream().map(Reply::toString).collect(joining("\n"));
        return new Settings(sections.lines()
                .map(line -> line.split(":", 2))
                .filter(field -> field.length == 2)
                .collect(Collectors.toMap(field -> field[0], field -> field[1], (a, b) -> b)));
    }

    List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        String policy = info.getOrDefault("maxmemory_policy", "noeviction");
        if (policy.startsWith("allkeys")) {
            warnings.add("maxmemory-policy is " + policy + ": a mark that is evicted forgets, and"
                    + " lets stale writers in. Set it to noeviction, or to one of volatile-*");
        }
        if (info.getOrDefault("aof_enabled", "0").equals("0")) {
            warnings.add("appendonly is off: a restart may bring back older marks with older data,"
                    + " or none, and lets stale writers in. Set it to yes");
        }
        return warnings;
    }
}
