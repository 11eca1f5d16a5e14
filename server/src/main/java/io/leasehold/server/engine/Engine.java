// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.engine;

import io.leasehold.spi.LeaseStore;

/** Opens the stores of namespaces. Its methods may block. Thread-safe. */
interface Engine {

    /** What a store of a namespace is for. */
    enum Purpose {
        LEASES,
        /** The marks of hosted guards. */
        GUARDS
    }

    LeaseStore open(String namespace, Purpose purpose);

    /** Whether there may be something in a store that is not open. */
    boolean mayHold(String namespace, Purpose purpose);
}
