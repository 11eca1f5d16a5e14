// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.spi.Time;
import io.leasehold.spi.Validity;

/**
 * Until when a client may rely on a lease. Counted from before the request was sent, because that
 * is the latest moment at which the store can't have started the lease yet:
 *
 * <pre>D = t0 + (inStore + remaining) * (1 - 2 * drift) - margin</pre>
 *
 * <p>It has also passed when the wall clock moved by more than the lease's length plus a second:
 * the monotonic clock stands still while a machine is suspended, the store's does not.
 *
 * @param nanos the deadline on the monotonic clock
 * @param wallMillis the time on the wall clock after which the lease is over whatever the monotonic
 *     clock says
 */
record Deadline(long nanos, long wallMillis) {

    private static final long WALL_SLACK_MILLIS = 1000;

    /** When an attempt was made: read it before the attempt is sent. */
    record Sent(long nanos, long wallMillis) {

        static Sent now(Time time) {
            return new Sent(time.nanos(), time.wallMillis());
        }
    }

    static Deadline of(Sent sent, Validity validity, ClockBounds bounds) {
        long length = validity.inStore().plus(validity.remaining()).toNanos();
        long trusted =
                (long) (length * (1 - 2 * bounds.drift())) - bounds.margin().toNanos();
        return new Deadline(
                sent.nanos + trusted, sent.wallMillis + length / 1_000_000 + WALL_SLACK_MILLIS);
    }

    boolean hasPassed(Time time) {
        return leftAt(time.nanos()) <= 0 || time.wallMillis() - wallMillis > 0;
    }

    /** Nanoseconds left at the given monotonic time; not above zero when it has passed. */
    long leftAt(long now) {
        return nanos - now;
    }

    /** The later of the two: a renewal extends, it never shortens. */
    Deadline orLater(Deadline other) {
        return other.nanos - nanos > 0 ? other : this;
    }

    Deadline noLaterThan(long limit) {
        return nanos - limit > 0 ? new Deadline(limit, wallMillis) : this;
    }
}
