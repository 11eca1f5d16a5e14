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

    /** Whether a store that nobody uses may be closed, to be opened again later. */
    enum Rest {
        /** What it knows would be lost: its last token, or which nodes of a quorum forgot. */
        NEVER,
        /** Its time stands still while it is closed, and so would its leases. */
        WHILE_NOTHING_IS_HELD,
        /** Its leases and its clock are elsewhere. */
        ALWAYS
    }

    /** When its stores may be closed. Those who don't say so keep them open. */
    default Rest rest() {
        return Rest.NEVER;
    }

    LeaseStore open(String namespace, Purpose purpose);

    /** Whether there may be something in a store that is not open. */
    boolean mayHold(String namespace, Purpose purpose);
}
