// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import io.leasehold.Codec;
import io.leasehold.Digest;
import io.leasehold.Idempotency;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockOptions;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;

import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;

/** The snippets of docs/migration.md. */
final class Migration {

    private final Leasehold leasehold;

    /** What was done, and under which lock it was done. */
    final List<String> done = new ArrayList<>();

    Migration(Leasehold leasehold) {
        this.leasehold = leasehold;
    }

    void underBoth(Lock old, String entry) {
        old.lock(); // the old one first, everywhere
        try (Lease lease = leasehold.lock("ledger/42").acquire(Duration.ofSeconds(5))) {
            book(entry, lease.token());
        } finally {
            old.unlock(); // last: the lease is closed by now
        }
    }

    boolean report() {
        LockOptions options = LockOptions.defaults() // a dead node is replaced after 30 s
                .withHoldAtMost(Duration.ofMinutes(30)); // no run lasts longer
        return leasehold
                .lock(options, Scope.name("nightly-report"))
                .tryUse(lease -> book("report", lease.token()));
    }

    String reportOf(LocalDate night) {
        Idempotency<String> reports =
                leasehold.idempotency("nightly-report", Codec.strings(), Duration.ofDays(2));
        Digest same = Digest.of(night.toString());
        return reports.once(night.toString(), same, token -> book("report of " + night, token))
                .value();
    }

    private String book(String entry, FencingToken token) {
        done.add(entry);
        return entry + " under " + token;
    }
}
