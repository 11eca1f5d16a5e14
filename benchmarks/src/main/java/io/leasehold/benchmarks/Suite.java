// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What can be measured by name. */
enum Suite {
    MEMORY("acquire + release and renew, each thread its own lock"),
    HANDOFF("many waiters, one lock: from release to the next holder"),
    FLIGHTS("calls that share work, idempotent calls, elections"),
    FLATNESS("the cost of a pair among ever more live leases"),
    FOOTPRINT("heap for each idle lease"),
    RENEWAL("processor time to keep many leases alive"),
    JOURNAL("durable commands beside write + force and group commit by hand; recovery"),
    REDIS("locks on Redis beside those of Redisson, ShedLock and Spring"),
    QUORUM("locks on five Redis beside one, and beside Redisson's over the same five"),
    SERVER("locks by way of a server beside etcd's, and beside a mere echo");

    private final String summary;

    Suite(String summary) {
        this.summary = summary;
    }

    static Suite named(String name) {
        return Arrays.stream(values())
                .filter(suite -> suite.toString().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "there is no suite '" + name + "', but " + names()));
    }

    private static String names() {
        return Arrays.stream(values()).map(Suite::toString).collect(Collectors.joining(", "));
    }

    /** Measures and says along the way what it is at. */
    List<Row> run(Effort effort, PrintStream progress) {
        progress.println(this + ": " + summary);
        return switch (this) {
            case MEMORY -> MemorySuite.run(effort, progress);
            case HANDOFF -> HandOffSuite.run(effort, progress);
            case FLIGHTS -> FlightSuite.run(effort, progress);
            case FLATNESS -> FlatnessSuite.run(effort, progress);
            case FOOTPRINT -> MemoryFootprint.run(effort, progress);
            case RENEWAL -> RenewalLoad.run(effort, progress);
            case JOURNAL -> JournalSuite.run(effort, progress);
            case REDIS -> RedisSuite.run(effort, progress);
            case QUORUM -> QuorumSuite.run(effort, progress);
            case SERVER -> ServerSuite.run(effort, progress);
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
