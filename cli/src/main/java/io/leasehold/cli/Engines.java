// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.server.engine.Namespaces;
import io.leasehold.server.engine.StoreAddress;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Time;

import java.time.Duration;

/**
 * Opens engines as the server does, so that both find the same leases at the same address. Apart
 * from the other classes, because it is the one that needs the server's.
 */
final class Engines {

    private Engines() {}

    /**
     * The store of a namespace.
     *
     * @throws IllegalArgumentException if the address or the name is none
     */
    static LeaseStore open(String address, String namespace) {
        Namespaces namespaces = Namespaces.at(
                StoreAddress.parse(address),
                Time.system(),
                new Namespaces.Bounds(1, Duration.ZERO),
                Runnable::run);
        return Answers.await(namespaces.leases(Namespaces.name(namespace)));
    }

    /** The address without a password. */
    static String printable(String address) {
        return StoreAddress.parse(address).toString();
    }
}
