// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.json.Json;
import io.leasehold.journal.FileSummary;
import io.leasehold.journal.JournalReport;
import io.leasehold.model.StoreId;
import io.leasehold.spi.LeaseView;

import java.util.List;
import java.util.Locale;

/** A report on a journal as one JSON object. Tokens are strings, as everywhere. */
final class JournalJson {

    private JournalJson() {}

    static String of(JournalReport report, List<LeaseView> leases) {
        JournalReport.State state = report.state();
        return Json.write(Json.object(
                "directory", report.directory(),
                "sound", report.isSound(),
                "damage",
                        report.damage()
                                .map(damage -> Json.object(
                                        "file", damage.file(),
                                        "offset", damage.offset(),
                                        "problem", damage.problem())),
                "openIn", report.openIn(),
                "held", report.leases().held(),
                "records", report.leases().records(),
                "storeId", state.storeId().map(StoreId::toString),
                "lastToken", Long.toString(state.lastToken()),
                "starts", state.starts(),
                "storeTimeMillis", state.time().toMillis(),
                "frozenForMillis", state.frozenFor().toMillis(),
                "bytes", report.bytes(),
                "files", report.files().stream().map(JournalJson::file).toList(),
                "leases", leases.stream().map(JournalJson::lease).toList()));
    }

    private static Object file(FileSummary file) {
        return Json.object(
                "file", String.valueOf(file.file().getFileName()),
                "kind", lower(file.kind()),
                "bytes", file.length(),
                "used", file.used(),
                "batches", file.batches(),
                "entries", file.entries());
    }

    private static Object lease(LeaseView lease) {
        return Json.object(
                "scopes",
                        lease.holding().claim().scopes().stream()
                                .map(Object::toString)
                                .toList(),
                "mode", lower(lease.holding().claim().mode()),
                "token", lease.holding().token().toString(),
                "holder", lease.holding().holder().toString(),
                "remainingMillis", lease.remaining().toMillis(),
                "state", lower(lease.status()));
    }

    static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
