// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;

import java.util.List;

/**
 * How a guard reaches the server. There is one for Lettuce; implement it to use the Redis client
 * that an application has already. Thread-safe.
 */
@FunctionalInterface
public interface ScriptRunner {

    /**
     * Runs the script once, on a server that takes writes: {@code EVALSHA} by its digest, and when
     * the answer to that is {@code NOSCRIPT}, {@code EVAL} with its source. No other answer, and no
     * silence, may lead to a second run.
     *
     * @return the reply, an array for every script of a guard: a {@link List} of {@code byte[]} or
     *     {@link String}, {@link Long}, null and lists of these
     * @throws StoreUnavailableException if the script did not run
     * @throws OutcomeUnknownException if it may have run
     * @throws RedisGuardException as {@link RedisGuardException#refused} if the server refused it.
     *     Whatever else is thrown comes out of the guard as it is.
     */
    Object run(Script script, List<byte[]> keys, List<byte[]> arguments);
}
