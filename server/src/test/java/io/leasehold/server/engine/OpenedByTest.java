// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.engine;

import io.leasehold.spi.LeaseStore;

import java.util.concurrent.Executor;
import java.util.function.Function;

/** Namespaces whose stores a test opens. */
public final class OpenedByTest {

    private OpenedByTest() {}

    /** So many at most; whatever a namespace holds is there only while it is open. */
    public static Namespaces namespaces(
            int most, Executor opener, Function<String, LeaseStore> leases) {
        return new Namespaces(new TestEngine(leases, false), most, opener);
    }

    /** The same, of an engine that must open a namespace to know what it holds, as Redis must. */
    public static Namespaces thatMayHoldSomething(
            int most, Executor opener, Function<String, LeaseStore> leases) {
        return new Namespaces(new TestEngine(leases, true), most, opener);
    }

    private record TestEngine(Function<String, LeaseStore> leases, boolean mayHold)
            implements Engine {

        @Override
        public LeaseStore open(String namespace, Purpose purpose) {
            return leases.apply(purpose == Purpose.LEASES ? namespace : namespace + "~guards");
        }

        @Override
        public boolean mayHold(String namespace, Purpose purpose) {
            return mayHold;
        }
    }
}
