// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

/** The answer to a release, completion or withdrawal: {@link Ended} or {@link Refused}. */
public sealed interface Ending permits Ending.Ended, Refused {

    /** The lease or request is over; a repeat within the retry window is answered the same. */
    record Ended() implements Ending {}
}
