// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.LeaseView;

import java.util.ArrayList;
import java.util.List;

/** The snippet of docs/which-primitive.md. */
final class Listing {

    private final List<String> lines = new ArrayList<>();

    List<String> of(LeaseStore store) {
        LeaseQuery first = LeaseQuery.all(); // a page of up to 1000
        for (LeaseView view : store.list(first).toCompletableFuture().join().leases()) {
            log(view.holding().claim().label() + " " + view.status()); // reports/2024-06 RUNNING
        }
        return lines;
    }

    private void log(String line) {
        lines.add(line);
    }
}
