// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

import java.time.Duration;
import java.util.Optional;

/**
 * The wait is over and the lock was not obtained. Nothing is held and nothing is left behind in the
 * store.
 */
public final class LockTimeoutException extends LeaseholdException {

    private static final long serialVersionUID = 1;

    private final transient Claim claim;
    private final transient Optional<Holding> heldBy;

    private LockTimeoutException(Claim claim, Optional<Holding> heldBy, String message) {
        super(message, null);
        this.claim = claim;
        this.heldBy = heldBy;
    }

    /** The lock was held by another throughout. */
    public static LockTimeoutException heldBy(Holding blocker, Duration remaining, Claim claim) {
        return heldBy(blocker, remaining, claim, blocker.holder().toString(), "");
    }

    /** The lock was held through the same {@code Leasehold} throughout. */
    public static LockTimeoutException heldHere(Holding blocker, Duration remaining, Claim claim) {
        return heldBy(
                blocker,
                remaining,
                claim,
                "this process (" + blocker.holder() + ")",
                "; locks are not re-entrant: pass the lease on instead of acquiring again");
    }

    private static LockTimeoutException heldBy(
            Holding blocker, Duration remaining, Claim claim, String who, String advice) {
        return new LockTimeoutException(
                claim,
                Optional.of(blocker),
                "lock '" + claim.label() + "' is held by " + who + through(blocker, claim)
                        + " for another " + Text.seconds(remaining) + " (token " + blocker.token()
                        + ")" + advice);
    }

    /** Nobody held the lock, but the lock-delay after an expired lease kept it from others throughout. */
    public static LockTimeoutException inLockDelay(
            Holding blocker, Duration remaining, Claim claim) {
        return new LockTimeoutException(
                claim,
                Optional.of(blocker),
                "lock '" + claim.label() + "' is in the lock-delay after the lease of "
                        + blocker.holder() + through(blocker, claim) + " expired, for another "
                        + Text.seconds(remaining) + " (token " + blocker.token() + ")");
    }

    private static String through(Holding blocker, Claim claim) {
        return blocker.claim().equals(claim) ? "" : " through " + blocker.claim();
    }

    /** Grants came, but each was over when it arrived. */
    public static LockTimeoutException tooSlow(Claim claim) {
        return new LockTimeoutException(
                claim,
                Optional.empty(),
                "lock '" + claim.label()
                        + "' was granted too late to be of use; it was released again."
                        + " The store answers slower than the ttl: choose a longer one");
    }

    /** What was asked for. */
    public Claim claim() {
        return claim;
    }

    /** Who stood in the way at the end, if someone did. */
    public Optional<Holding> heldBy() {
        return heldBy;
    }
}
