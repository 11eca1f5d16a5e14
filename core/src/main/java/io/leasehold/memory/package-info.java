// SPDX-License-Identifier: Apache-2.0
/** The engine for one process: {@link io.leasehold.memory.MemoryLeaseStore}. */
@NullMarked
package io.leasehold.memory;

import org.jspecify.annotations.NullMarked;
