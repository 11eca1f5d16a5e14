// SPDX-License-Identifier: Apache-2.0
/** Meters of locks, leases and guards, by Micrometer. */
@NullMarked
package io.leasehold.micrometer;

import org.jspecify.annotations.NullMarked;
