// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import io.leasehold.server.api.Failures;
import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How much of the server each principal uses: its leases, what they left, its marks of hosted guards,
 * its calls under way and its watches. A
 * lease is known by its id and forgotten when it must have expired; what a restarted server does not
 * know of comes in again with its next renewal. Whoever is "anyone" is not counted, for it would be
 * everyone. Memory is bounded by the limits and by the records that are kept. Thread-safe.
 */
final class PrincipalLimits {

    private static final int MAX_REPEATS = 64;
    private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private final int maxLeases;
    private final int maxCalls;
    private final int maxWatches;
    private final Time time;
    /** Only those that use something. All access is inside {@link Map#compute}. */
    private final ConcurrentHashMap<String, Usage> usages = new ConcurrentHashMap<>();

    PrincipalLimits(EdgeLimits.PerPrincipal most, Time time) {
        this.maxLeases = most.leases();
        this.maxCalls = most.calls();
        this.maxWatches = most.watches();
        this.time = time;
    }

    /** What one principal uses. */
    private static final class Usage {
        /** When each lease, record and mark has surely expired, by its key. */
        private final Map<String, Long> leases = new HashMap<>();
        /** By key how many calls under way ask for a lease or may leave a mark. */
        private final Map<String, Integer> asked = new HashMap<>();

        private int calls; // under way, all that ask for one lease as one, and watches
        private int watches;
        private long purgedAt;

        boolean isIdle() {
            return leases.isEmpty() && asked.isEmpty() && calls == 0;
        }

        /** How many leases there may be when all that is asked for is granted. */
        int expected() {
            int expected = leases.size();
            for (String key : asked.keySet()) {
                expected += leases.containsKey(key) ? 0 : 1;
            }
            return expected;
        }

        boolean isFull(int maxLeases) {
            return leases.size() + asked.size() >= maxLeases && expected() >= maxLeases;
        }

        /** Looks through all leases, hence at most once a second. */
        void purge(long now) {
            if (now - purgedAt >= PAUSE_NANOS) {
                purgedAt = now;
                leases.values().removeIf(expiry -> now - expiry >= 0);
            }
        }
    }

    private interface Step {
        void apply(Usage usage, long now);
    }

    private void update(Principal principal, Step step) {
        if (principal == Anyone.INSTANCE) {
            return;
        }
        usages.compute(principal.name(), (name, known) -> {
            long now = time.nanos();
            Usage usage = known == null ? new Usage() : known;
            if (known == null) {
                usage.purgedAt = now - PAUSE_NANOS;
            }
            step.apply(usage, now);
            return usage.isIdle() ? null : usage;
        });
    }

    /**
     * Begins a call.
     *
     * @throws io.leasehold.server.api.CallFailedException LIMIT_EXCEEDED if it is one too many
     */
    void beginCall(Principal principal) {
        update(principal, (usage, now) -> {
            beginCall(principal, usage);
        });
    }

    private void beginCall(Principal principal, Usage usage) {
        if (usage.calls >= maxCalls) {
            throw Failures.limit(
                    "calls per principal",
                    maxCalls,
                    principal.name() + " has " + usage.calls
                            + " calls under way, which is the most; wait for some of them");
        }
        usage.calls++;
    }

    void endCall(Principal principal) {
        update(principal, (usage, now) -> usage.calls--);
    }

    /**
     * Begins a watch, which is a call under way until it ends.
     *
     * @throws io.leasehold.server.api.CallFailedException LIMIT_EXCEEDED if it is one too many
     */
    void beginWatch(Principal principal) {
        update(principal, (usage, now) -> {
            if (usage.watches >= maxWatches) {
                throw Failures.limit(
                        "watches per principal",
                        maxWatches,
                        principal.name() + " has " + usage.watches
                                + " watches, which is the most; close some of them");
            }
            beginCall(principal, usage);
            usage.watches++;
        });
    }

    void endWatch(Principal principal) {
        update(principal, (usage, now) -> {
            usage.watches--;
            usage.calls--;
        });
    }

    /**
     * Begins an acquire, and makes room for its lease. A repeat of one that is under way needs no room
     * and is no further call: clients repeat what they wait for.
     *
     * @throws io.leasehold.server.api.CallFailedException LIMIT_EXCEEDED if it is one too many
     */
    void ask(Principal principal, String key) {
        update(principal, (usage, now) -> {
            int repeats = usage.asked.getOrDefault(key, 0);
            if (repeats >= MAX_REPEATS) {
                throw Failures.limit(
                        "repeats of an acquire",
                        MAX_REPEATS,
                        MAX_REPEATS + " calls ask for this lease already; wait for an answer");
            } else if (repeats > 0) {
                usage.asked.put(key, repeats + 1);
                return;
            }
            makeRoom(principal, usage, key, now);
            beginCall(principal, usage);
            usage.asked.put(key, 1);
        });
    }

    private void makeRoom(Principal principal, Usage usage, String key, long now) {
        if (usage.isFull(maxLeases)) {
            usage.purge(now);
        }
        if (usage.isFull(maxLeases) && !usage.leases.containsKey(key)) {
            throw Failures.limit(
                    "leases per principal",
                    maxLeases,
                    principal.name() + " has " + usage.leases.size()
                            + " leases, records and marks, which is the most; release some leases,"
                            + " or wait until records and marks are no longer kept");
        }
    }

    /** Ends what {@link #ask} began. */
    void answered(Principal principal, String key) {
        update(principal, (usage, now) -> {
            int left = usage.asked.getOrDefault(key, 0) - 1;
            if (left > 0) {
                usage.asked.put(key, left);
            } else if (usage.asked.remove(key) != null) {
                usage.calls--;
            }
        });
    }

    /**
     * Begins a call that may leave a mark, and makes room for the mark unless it is known or another
     * call is about to leave it.
     *
     * @throws io.leasehold.server.api.CallFailedException LIMIT_EXCEEDED if it is one too many
     */
    void beginMark(Principal principal, String key) {
        update(principal, (usage, now) -> {
            if (!usage.asked.containsKey(key)) {
                makeRoom(principal, usage, key, now);
            }
            beginCall(principal, usage);
            usage.asked.merge(key, 1, Integer::sum);
        });
    }

    /** Ends what {@link #beginMark} began. */
    void endMark(Principal principal, String key) {
        update(principal, (usage, now) -> {
            usage.asked.computeIfPresent(key, (asked, calls) -> calls > 1 ? calls - 1 : null);
            usage.calls--;
        });
    }

    /** A lease was granted or renewed, or a mark was left, or maybe so. */
    void holds(Principal principal, String key, Duration atMost) {
        update(principal, (usage, now) -> {
            if (usage.leases.size() < maxLeases || usage.leases.containsKey(key)) {
                usage.leases.put(key, now + atMost.toNanos());
            }
        });
    }

    /**
     * A lease is over and left these records, or erased them if they are kept for no time. Records
     * count beyond the limit too: they are in the store, and then nothing more is acquired.
     */
    void completed(Principal principal, String key, List<String> records, Duration keepFor) {
        update(principal, (usage, now) -> {
            usage.leases.remove(key);
            if (keepFor.isZero()) {
                usage.leases.keySet().removeAll(records);
                return;
            }
            if (usage.isFull(maxLeases)) {
                usage.purge(now);
            }
            records.forEach(record -> usage.leases.put(record, now + keepFor.toNanos()));
        });
    }

    /** A lease is over. */
    void ended(Principal principal, String key) {
        update(principal, (usage, now) -> usage.leases.remove(key));
    }

    /** For tests: how many principals are remembered. */
    int remembered() {
        return usages.size();
    }
}
