// SPDX-License-Identifier: Apache-2.0
package io.leasehold.listener;

import io.leasehold.model.Claim;

import java.time.Duration;

/**
 * An acquire that begins.
 *
 * @param claim what is asked for
 * @param waitAtMost how long the caller waits for others
 */
public record AcquireBegan(Claim claim, Duration waitAtMost) {}
