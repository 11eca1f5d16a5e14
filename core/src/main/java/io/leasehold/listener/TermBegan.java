// SPDX-License-Identifier: Apache-2.0
package io.leasehold.listener;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;

/**
 * A term of this process.
 *
 * @param office what it was elected for
 * @param token its number
 */
public record TermBegan(Scope office, FencingToken token) {}
