// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.model.LimitExceededException;
import io.leasehold.model.Mode;
import io.leasehold.spi.Limits;

import java.time.Duration;
import java.util.Optional;

/**
 * How a lock is held. Start from a preset and vary it by the {@code with…} methods.
 *
 * @param ttl how long the lease outlives its holder: renewed every third of it, gone at the latest
 *     after all of it
 * @param mode exclusive or shared
 * @param holdAtMost the lease is not renewed beyond this; it is lost then
 * @param lockDelay how long nobody may follow after the lease expired, for resources without a
 *     guard
 * @param interruptOnLoss interrupt the thread that runs the body of {@code use} and {@code with}
 *     when the lease is lost
 */
public record LockOptions(
        Duration ttl,
        Mode mode,
        Optional<Duration> holdAtMost,
        Duration lockDelay,
        boolean interruptOnLoss) {

    /** The longest {@code holdAtMost}: 400 days. */
    public static final Duration MAX_HOLD = Duration.ofDays(400);

    public LockOptions {
        Limits.ttl(ttl);
        Limits.lockDelay(lockDelay);
        if (holdAtMost.isPresent() && holdAtMost.get().compareTo(Limits.MIN_TTL) < 0) {
            throw new IllegalArgumentException(
                    "holdAtMost " + holdAtMost.get() + " is below " + Limits.MIN_TTL);
        }
        if (holdAtMost.isPresent() && holdAtMost.get().compareTo(MAX_HOLD) > 0) {
            throw new LimitExceededException(
                    "holdAtMost",
                    MAX_HOLD.toMillis(),
                    "holdAtMost " + holdAtMost.get() + " is above " + MAX_HOLD);
        }
    }

    /** Exclusive, a lease of 30 s. */
    public static LockOptions defaults() {
        return of(Duration.ofSeconds(30));
    }

    /** For short operations: 10 s, so that others recover quickly from a dead holder. */
    public static LockOptions shortWork() {
        return of(Duration.ofSeconds(10));
    }

    /** For long operations: 60 s, which bears longer outages of the store. */
    public static LockOptions longWork() {
        return of(Duration.ofSeconds(60));
    }

    /** For batch processing: 300 s, when an interruption costs more than a wait. */
    public static LockOptions batchWork() {
        return of(Duration.ofMinutes(5));
    }

    private static LockOptions of(Duration ttl) {
        return new LockOptions(ttl, Mode.EXCLUSIVE, Optional.empty(), Duration.ZERO, false);
    }

    /** The ttl to ask for when the lease may be held for so much longer: no more than it needs. */
    Duration ttlFor(Duration holdable, ClockBounds bounds) {
        if (holdable.compareTo(ttl) >= 0) {
            return ttl;
        }
        Duration least = holdable.compareTo(Limits.MIN_TTL) < 0 ? Limits.MIN_TTL : holdable;
        Duration needed = bounds.leaseFor(least);
        return needed.compareTo(ttl) < 0 ? needed : ttl;
    }

    public LockOptions withTtl(Duration newTtl) {
        return new LockOptions(newTtl, mode, holdAtMost, lockDelay, interruptOnLoss);
    }

    public LockOptions withMode(Mode newMode) {
        return new LockOptions(ttl, newMode, holdAtMost, lockDelay, interruptOnLoss);
    }

    public LockOptions withHoldAtMost(Duration atMost) {
        return new LockOptions(ttl, mode, Optional.of(atMost), lockDelay, interruptOnLoss);
    }

    public LockOptions withLockDelay(Duration delay) {
        return new LockOptions(ttl, mode, holdAtMost, delay, interruptOnLoss);
    }

    public LockOptions withInterruptOnLoss() {
        return new LockOptions(ttl, mode, holdAtMost, lockDelay, true);
    }
}
