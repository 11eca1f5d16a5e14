// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.engine;

import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** Namespaces whose stores a test opens. */
public final class OpenedByTest {

    private OpenedByTest() {}

    /** So many at most; whatever a namespace holds is there only while it is open. */
    public static Namespaces namespaces(
            int most, Executor opener, Function<String, LeaseStore> leases) {
        return of(new TestEngine(leases, false, Engine.Rest.NEVER), most, opener);
    }

    /** The same, of an engine that must open a namespace to know what it holds, as Redis must. */
    public static Namespaces thatMayHoldSomething(
            int most, Executor opener, Function<String, LeaseStore> leases) {
        return of(new TestEngine(leases, true, Engine.Rest.NEVER), most, opener);
    }

    private static Namespaces of(Engine engine, int most, Executor opener) {
        Namespaces.Bounds bounds = new Namespaces.Bounds(most, Duration.ofMinutes(10));
        return new Namespaces(engine, bounds, Time.system(), opener);
    }

    /** Stores that are closed once nobody has used them for so long. */
    public static Namespaces thatRest(
            Duration idle, Time time, Function<String, LeaseStore> leases) {
        return new Namespaces(
                new TestEngine(leases, true, Engine.Rest.ALWAYS),
                new Namespaces.Bounds(3, idle),
                time,
                Runnable::run);
    }

    private record TestEngine(Function<String, LeaseStore> leases, boolean mayHold, Rest rest)
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
