// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.model.FencingToken;

/**
 * What came of a single flight.
 *
 * @param value what the work returned
 * @param shared whether the work was another caller's, in this process or elsewhere
 * @param token the token under which it was done: higher in every generation
 */
public record Flight<T>(T value, boolean shared, FencingToken token) {}
