// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holding;
import io.leasehold.model.Scope;
import io.leasehold.model.ScopeMismatchException;

/**
 * What a writer says to a guard: this is my token, this is what I lease, and this is what I am
 * about to write. There is none whose lease does not cover its target.
 *
 * @param token the lease's fencing number
 * @param leased what the lease holds
 * @param target what is to be written
 */
public record Admission(FencingToken token, Claim leased, Scope target) {

    /**
     * Checks that the lease covers the target.
     *
     * @throws ScopeMismatchException if it does not
     */
    public Admission {
        if (!leased.covers(target)) {
            throw ScopeMismatchException.notLeased(leased, target);
        }
    }

    /**
     * An admission under a lease of which the public facts are known.
     *
     * @throws ScopeMismatchException if the lease does not cover the target
     */
    public static Admission of(Holding holding, Scope target) {
        return new Admission(holding.token(), holding.claim(), target);
    }

    /** For a writer of which only the token is known: taken to lease just what it writes. */
    public static Admission of(FencingToken token, Scope target) {
        return new Admission(token, Claim.exclusive(target), target);
    }
}
