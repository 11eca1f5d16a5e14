// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.testkit.RedisServer;

import java.util.Map;

/**
 * What a Redis server says of its own work.
 *
 * @param server which one
 */
record ServerLoad(RedisServer server) {

    /** The processor time that it has used up to now. */
    long processorNanos() {
        Map<String, String> used = server.info("cpu");
        return seconds(used, "used_cpu_user") + seconds(used, "used_cpu_sys");
    }

    private static long seconds(Map<String, String> used, String field) {
        return (long) (1e9 * Double.parseDouble(used.getOrDefault(field, "0")));
    }

    /** How often it ran a command up to now, from scripts too. */
    long calls(String command) {
        String line = server.info("commandstats").getOrDefault("cmdstat_" + command, "calls=0,");
        return Long.parseLong(line.substring("calls=".length(), line.indexOf(',')));
    }
}
