// SPDX-License-Identifier: Apache-2.0
/** The durable embedded engine: leases in a journal on disk. */
module io.leasehold.journal {
    requires transitive io.leasehold.core;
    requires static transitive org.jspecify;

    exports io.leasehold.journal;
}
