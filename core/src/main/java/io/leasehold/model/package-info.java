// SPDX-License-Identifier: Apache-2.0
/**
 * The words of Leasehold as values: what is leased ({@link io.leasehold.model.Scope}), how ({@link
 * io.leasehold.model.Mode}), by whom ({@link io.leasehold.model.Holder}), under which fencing
 * number ({@link io.leasehold.model.FencingToken}), and the exceptions that say what a caller may
 * conclude.
 *
 * <p>Every type here is immutable and safe to share between threads.
 */
@NullMarked
package io.leasehold.model;

import org.jspecify.annotations.NullMarked;
