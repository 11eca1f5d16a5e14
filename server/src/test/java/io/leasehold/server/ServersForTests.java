// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import io.leasehold.server.engine.OpenedByTest;
import io.leasehold.server.engine.StoreAddress;
import io.leasehold.spi.LeaseStore;

import java.util.function.Function;

/** Servers on stores that a test opens, one for each namespace. */
public final class ServersForTests {

    private static final int NAMESPACES = 10_000;

    private ServersForTests() {}

    public static LeaseholdServer start(Function<String, LeaseStore> stores) {
        return start(ServerOptions.on(new StoreAddress.Memory()).withPort(0), stores);
    }

    /** The same with other options; their store does not count. */
    static LeaseholdServer start(ServerOptions options, Function<String, LeaseStore> stores) {
        Workers workers = new Workers();
        return LeaseholdServer.start(
                options, OpenedByTest.namespaces(NAMESPACES, workers, stores), workers);
    }
}
