// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What the figures depend on besides the code. */
final class Machine {

    private Machine() {}

    /** The machine and its load now. */
    static Map<String, String> facts() {
        Runtime runtime = Runtime.getRuntime();
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("cores", Integer.toString(runtime.availableProcessors()));
        facts.put("system", System.getProperty("os.name") + " " + System.getProperty("os.arch"));
        facts.put(
                "java",
                System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
        facts.put("heap", runtime.maxMemory() / (1 << 20) + " MiB");
        facts.put("load at the start", load());
        return facts;
    }

    /** How many threads of the whole machine wanted to run in the last minute; negative where nobody counts. */
    static String load() {
        double average = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        return String.format(Locale.ROOT, "%.1f", average);
    }
}
