// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.ClockBounds;
import io.leasehold.spi.Time;
import io.leasehold.spi.Validity;

import java.time.Duration;

/** How long a lease may be relied upon without another renewal. */
final class Remaining {

    private Remaining() {}

    /** Counted from before the request was sent, with a margin for clocks that disagree (R12). */
    static Duration of(Validity validity, long sent, Time time) {
        ClockBounds bounds = ClockBounds.defaults();
        double length =
                validity.inStore().plus(validity.remaining()).toNanos() * (1 - 2 * bounds.drift());
        long left = (long) length - bounds.margin().toNanos() - (time.nanos() - sent);
        return Duration.ofNanos(Math.max(0, left));
    }
}
