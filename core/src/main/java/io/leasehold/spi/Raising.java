// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

/** The answer to a raise: {@link Raised} or {@link Refused}. */
public sealed interface Raising permits Raising.Raised, Refused {

    /** The lease has the token, the round is kept with it, and whatever the node draws from now on is above it. */
    record Raised() implements Raising {}
}
