// SPDX-License-Identifier: Apache-2.0
package io.leasehold.listener;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;

import java.time.Duration;

/**
 * The end of a term of this process: its body has returned.
 *
 * @param office what it was elected for
 * @param token its number
 * @param led how long the body ran
 */
public record TermEnded(Scope office, FencingToken token, Duration led) {}
