// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.io.Serial;

/** An error that a Redis server replied; the message is the server's own. */
public final class RedisErrorException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    RedisErrorException(String message) {
        super(message);
    }
}
