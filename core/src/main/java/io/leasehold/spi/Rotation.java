// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

/** The answer to a rotation: {@link Rotated} or {@link Refused}. */
public sealed interface Rotation permits Rotation.Rotated, Refused {

    /**
     * The holder has a new, higher token; writes under its old one are now stale.
     *
     * @param grant the grant with the new token
     * @param version the version after this rotation
     * @param validity what is left: rotation does not extend the lease
     */
    record Rotated(Grant grant, long version, Validity validity) implements Rotation {}
}
