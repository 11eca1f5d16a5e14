// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import io.leasehold.model.LimitExceededException;

import java.time.Duration;

/**
 * The durations that every engine accepts. They are checked before any arithmetic is done with
 * them.
 */
public final class Limits {

    public static final Duration MIN_TTL = Duration.ofMillis(100);
    public static final Duration MAX_TTL = Duration.ofHours(24);
    public static final Duration MAX_WAIT = Duration.ofMinutes(10);
    public static final Duration MAX_LOCK_DELAY = Duration.ofSeconds(60);
    public static final Duration MAX_KEEP_FOR = Duration.ofDays(400);

    private Limits() {}

    public static Duration ttl(Duration ttl) {
        return within("ttl", ttl, MIN_TTL, MAX_TTL);
    }

    public static Duration waiting(Duration wait) {
        return within("wait", wait, Duration.ZERO, MAX_WAIT);
    }

    public static Duration lockDelay(Duration delay) {
        return within("lock-delay", delay, Duration.ZERO, MAX_LOCK_DELAY);
    }

    public static Duration keepFor(Duration keepFor) {
        return within("retention", keepFor, Duration.ZERO, MAX_KEEP_FOR);
    }

    private static Duration within(String what, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0) {
            throw new IllegalArgumentException(what + " " + value + " is below " + min);
        }
        if (value.compareTo(max) > 0) {
            throw new LimitExceededException(
                    what, max.toMillis(), what + " " + value + " is above " + max);
        }
        return value;
    }
}
