// SPDX-License-Identifier: Apache-2.0
/** Locks and leases with fencing tokens: the API, the SPI, the rules and the memory engine. */
module io.leasehold.core {
    requires static transitive org.jspecify;

    exports io.leasehold;
    exports io.leasehold.guard;
    exports io.leasehold.guard.file;
    exports io.leasehold.listener;
    exports io.leasehold.memory;
    exports io.leasehold.model;
    exports io.leasehold.spi;
    exports io.leasehold.table;
}
