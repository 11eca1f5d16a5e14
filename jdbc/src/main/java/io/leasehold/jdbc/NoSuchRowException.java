// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

/**
 * The row that was to be written is not there: never inserted, or deleted. Nothing was written. It
 * says nothing about the token.
 */
public final class NoSuchRowException extends RuntimeException {

    private static final long serialVersionUID = 1;

    NoSuchRowException(String row) {
        super("there is no " + row);
    }
}
