// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

/** The answer to a raise: {@link Raised}, {@link Outrun} or {@link Refused}. */
public sealed interface Raising permits Raising.Raised, Raising.Outrun, Refused {

    /** The lease has the token, and at this node no other lease will. */
    record Raised() implements Raising {}

    /**
     * The lease is held, but the node has drawn the number or a higher one meanwhile.
     *
     * @param counter the node's
     */
    record Outrun(long counter) implements Raising {}
}
