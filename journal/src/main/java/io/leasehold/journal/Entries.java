// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.table.TableEntry;

/** Hears of the entries of a journal, one after the other. */
interface Entries {

    /** A change of the table. */
    void change(TableEntry entry);

    /**
     * The store was opened: from here on leases are carried over.
     *
     * @param now store time
     */
    void started(long now);

    /** What is to be known beside the table. */
    void standing(Standing standing);
}
