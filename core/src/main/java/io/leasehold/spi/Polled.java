// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

/**
 * The answer of one node of a quorum.
 *
 * @param answer what it would answer as a store of its own
 * @param state what it knows of the lease's token; {@link TokenState#NONE} unless it holds the
 *     lease
 */
public record Polled<T>(T answer, TokenState state) {}
