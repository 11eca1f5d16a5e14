// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseView;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * One page of a listing, which ends early if its records are too large together. Finds the lowest
 * tokens among all rows.
 */
final class Listing {

    /** Of the records of a page, unless it is a single one. */
    private static final long MOST_BYTES = 1 << 20;

    private final LeaseQuery query;
    private final Function<Operation, CompletableFuture<List<Object>>> send;
    // by token
    private final TreeMap<Long, LeaseView> page = new TreeMap<>();
    private long bytes;
    private long horizon = Long.MAX_VALUE; // from this token on, rows are for the next page

    Listing(LeaseQuery query, Function<Operation, CompletableFuture<List<Object>>> send) {
        this.query = query;
        this.send = send;
    }

    CompletionStage<LeasePage> read() {
        return new Rows(query.overlapping(), send, this::offer)
                .read()
                .thenApply(done ->
                        new LeasePage(new ArrayList<>(page.values()), horizon < Long.MAX_VALUE));
    }

    /** Takes the row if it is wanted and among those with the lowest tokens. */
    private void offer(LeaseView row) {
        long token = row.holding().token().value();
        boolean wanted = query.after().map(after -> token > after.value()).orElse(true);
        if (!wanted || token >= horizon || page.containsKey(token)) {
            return;
        }
        page.put(token, row);
        bytes += size(row);
        while (page.size() > query.limit() || (bytes > MOST_BYTES && page.size() > 1)) {
            Iterator<LeaseView> fromTheEnd = page.descendingMap().values().iterator();
            LeaseView last = fromTheEnd.next();
            fromTheEnd.remove();
            bytes -= size(last);
            horizon = last.holding().token().value();
        }
    }

    private static int size(LeaseView row) {
        return row.record().map(record -> record.size()).orElse(0);
    }
}
