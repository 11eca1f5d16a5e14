// SPDX-License-Identifier: Apache-2.0
/**
 * The durable embedded engine. {@link io.leasehold.journal.JournalLeaseStore} keeps leases in a
 * journal on disk; {@link io.leasehold.journal.JournalTools} looks into one, checks and repairs it.
 */
@NullMarked
package io.leasehold.journal;

import org.jspecify.annotations.NullMarked;
