// SPDX-License-Identifier: Apache-2.0
/**
 * The rules of leasing in one place: {@link io.leasehold.table.LeaseTable}. For authors of engines
 * that drive it (memory, journal, Raft) and for tests that compare others with it.
 */
@NullMarked
package io.leasehold.table;

import org.jspecify.annotations.NullMarked;
