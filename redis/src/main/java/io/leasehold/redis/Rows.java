// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.Scope;
import io.leasehold.spi.LeaseView;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Reads all leases and records that overlap a scope, or all there are. Those of a name are read at
 * once; the others by going through everything, piece by piece so that nobody has to wait for it:
 * what changes meanwhile may be read or not, and some rows are read twice. A piece has as many rows
 * as fit into a few hundred KiB, going by the piece before.
 */
final class Rows {

    private static final int FEWEST = 8;
    private static final int MOST = 512;
    private static final int BYTES = 256 << 10;

    private final Optional<Scope> overlapping;
    private final Function<Operation, CompletableFuture<List<Object>>> send;
    private final Consumer<LeaseView> reader;
    private int piece = 64;

    Rows(
            Optional<Scope> overlapping,
            Function<Operation, CompletableFuture<List<Object>>> send,
            Consumer<LeaseView> reader) {
        this.overlapping = overlapping;
        this.send = send;
        this.reader = reader;
    }

    CompletionStage<Void> read() {
        return overlapping.orElse(null) instanceof Scope.Name name
                ? send.apply(Operation.of('s', Wire.scope(name))).thenAccept(rows -> add(rows, 0))
                : all("leases", "0").thenCompose(done -> all("records", "0"));
    }

    private CompletionStage<Void> all(String what, String cursor) {
        return send.apply(Operation.of('p', Wire.text(what), Wire.text(cursor), Wire.number(piece)))
                .thenCompose(rows -> {
                    long bytes = add(rows, 1);
                    if (bytes > BYTES) {
                        piece = Math.max(FEWEST, piece / 4);
                    } else if (bytes < BYTES / 4) {
                        piece = Math.min(MOST, piece * 2);
                    }
                    String next = Wire.string(rows.get(0));
                    return next.equals("0")
                            ? CompletableFuture.completedFuture(null)
                            : all(what, next);
                });
    }

    /** The size of the records that were read. */
    private long add(List<?> rows, int from) {
        long bytes = 0;
        for (Object fields : rows.subList(from, rows.size())) {
            LeaseView row = Answers.row((List<?>) fields);
            bytes += row.record().map(record -> record.size()).orElse(0);
            if (overlapping.map(scope -> overlaps((List<?>) fields, row, scope)).orElse(true)) {
                reader.accept(row);
            }
        }
        return bytes;
    }

    /** A lease is at all scopes of its claim, a record may be left at some of them. */
    private static boolean overlaps(List<?> fields, LeaseView row, Scope scope) {
        return fields.size() > Answers.SCOPE_OF_A_RECORD
                ? Wire.readScope(Wire.string(fields.get(Answers.SCOPE_OF_A_RECORD)))
                        .overlaps(scope)
                : row.holding().claim().scopes().stream().anyMatch(scope::overlaps);
    }
}
