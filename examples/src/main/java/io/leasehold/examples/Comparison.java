// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.guard.Guard;
import io.leasehold.guard.MemoryGuard;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The snippets of docs/comparison.md. */
final class Comparison {

    private final List<String> ledger = new ArrayList<>();
    private final Guard<List<String>> guard = MemoryGuard.around("ledger 42", ledger);

    void nightlyReport(Leasehold leasehold) {
        leasehold.lock("nightly-report").tryUse(lease -> {
            String report = render();
            guard.write(lease.token(), ledger -> ledger.add(report)); // refused if it is stale
        });
    }

    void ledgerEntry(Leasehold leasehold, String entry) {
        try (Lease lease = leasehold.lock("ledger/42").acquire(Duration.ofSeconds(5))) {
            guard.write(lease.token(), ledger -> ledger.add(entry)); // refused if it is stale
        }
    }

    List<String> ledger() {
        return ledger;
    }

    private static String render() {
        return "report";
    }
}
