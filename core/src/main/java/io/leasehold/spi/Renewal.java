// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

/** The answer to a renewal: {@link Renewed} or {@link Refused}. */
public sealed interface Renewal permits Renewal.Renewed, Refused {

    /**
     * The lease runs again for the ttl asked for, or else for its own. Its token is unchanged.
     *
     * @param version the version after this renewal
     * @param validity for how long, as R12 counts it
     */
    record Renewed(long version, Validity validity) implements Renewal {}
}
