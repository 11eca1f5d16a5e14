// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LeaseholdOptions;
import io.leasehold.guard.Guard;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.micrometer.LeaseholdMeters;
import io.leasehold.spi.LeaseStore;
import io.micrometer.core.instrument.MeterRegistry;

import java.time.Duration;

/** Locks and a guard whose meters are in the application's registry. */
final class Meters {

    private Meters() {}

    static void writeMeasured(LeaseStore store, MeterRegistry registry) {
        LeaseholdMeters meters = LeaseholdMeters.in(registry);
        Leasehold leasehold = Leasehold.on(store, LeaseholdOptions.defaults().withListener(meters));
        Guard<StringBuilder> ledger =
                MemoryGuard.around("ledger/42", new StringBuilder()).reportingTo(meters);
        try (leasehold;
                Lease lease = leasehold.lock("ledger/42").acquire(Duration.ofSeconds(5))) {
            ledger.write(lease.token(), entries -> entries.append("paid"));
        }
    }
}
