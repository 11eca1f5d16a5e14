// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

/** A request that can't be read; the message tells people why, and repeats no value of theirs. */
final class MalformedException extends Exception {

    private static final long serialVersionUID = 1L;

    MalformedException(String message) {
        super(message, null, false, false);
    }
}
