// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

/**
 * The public facts of a grant: who holds what under which token. Safe to log, list and send to
 * anyone; the secret that proves ownership is not in it.
 *
 * @param claim what is held
 * @param holder who holds it, for people
 * @param token the fencing number of the grant
 */
public record Holding(Claim claim, Holder holder, FencingToken token) {

    /** {@code scope=… token=… holder=…}, the tail of every log line about a lease. */
    @Override
    public String toString() {
        return "scope=" + claim + " token=" + token + " holder=" + holder;
    }
}
