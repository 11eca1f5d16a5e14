// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.Scope;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseView;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * One page of a listing. Of a name it is read at once; anything else by going through everything,
 * piece by piece so that nobody has to wait for it: what changes meanwhile may be on the page or
 * not.
 */
final class Listing {

    private static final byte[] PIECE = Wire.number(500);

    private final LeaseQuery query;
    private final Function<Operation, CompletableFuture<List<Object>>> send;
    // by token
    private final TreeMap<Long, LeaseView> page = new TreeMap<>();
    private boolean more;

    Listing(LeaseQuery query, Function<Operation, CompletableFuture<List<Object>>> send) {
        this.query = query;
        this.send = send;
    }

    CompletionStage<LeasePage> read() {
        CompletionStage<Void> read = query.overlapping().orElse(null) instanceof Scope.Name name
                ? send.apply(Operation.of('s', Wire.scope(name))).thenAccept(rows -> add(rows, 0))
                : all("leases", "0").thenCompose(done -> all("records", "0"));
        return read.thenApply(done -> new LeasePage(new ArrayList<>(page.values()), more));
    }

    private CompletionStage<Void> all(String what, String cursor) {
        return send.apply(Operation.of('p', Wire.text(what), Wire.text(cursor), PIECE))
                .thenCompose(rows -> {
                    add(rows, 1);
                    String next = Wire.string(rows.get(0));
                    return next.equals("0")
                            ? CompletableFuture.completedFuture(null)
                            : all(what, next);
                });
    }

    private void add(List<?> rows, int from) {
        for (Object row : rows.subList(from, rows.size())) {
            offer((List<?>) row);
        }
    }

    /** Takes the row if it is wanted and among those with the lowest tokens. */
    private void offer(List<?> fields) {
        LeaseView row = Answers.row(fields);
        long token = row.holding().token().value();
        boolean wanted = query.after().map(after -> token > after.value()).orElse(true)
                && query.overlapping()
                        .map(scope -> overlaps(fields, row, scope))
                        .orElse(true);
        if (!wanted || page.containsKey(token)) {
            return;
        }
        page.put(token, row);
        if (page.size() > query.limit()) {
            page.pollLastEntry();
            more = true;
        }
    }

    /** A lease is at all scopes of its claim, a record may be left at some of them. */
    private static boolean overlaps(List<?> fields, LeaseView row, Scope scope) {
        return fields.size() > Answers.SCOPE_OF_A_RECORD
                ? Wire.readScope(Wire.string(fields.get(Answers.SCOPE_OF_A_RECORD)))
                        .overlaps(scope)
                : row.holding().claim().scopes().stream().anyMatch(scope::overlaps);
    }
}
