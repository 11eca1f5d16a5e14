// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.model.FencingToken;

/**
 * The answer to an idempotent call.
 *
 * @param value what the work returned, now or when it was done
 * @param replayed whether it was done by an earlier or another call, so that this one did nothing
 * @param token the token under which it was done
 */
public record Outcome<T>(T value, boolean replayed, FencingToken token) {}
