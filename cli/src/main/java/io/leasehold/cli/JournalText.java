// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import static io.leasehold.cli.DurationConverter.text;

import io.leasehold.journal.FileSummary;
import io.leasehold.journal.JournalRepair;
import io.leasehold.journal.JournalReport;
import io.leasehold.model.Scope;
import io.leasehold.spi.LeaseView;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A report on a journal for people. */
final class JournalText {

    private final PrintWriter out;

    JournalText(PrintWriter out) {
        this.out = out;
    }

    /** A sound journal in one line. */
    static String summary(JournalReport report) {
        return report.directory() + " is sound: " + counts(report) + ", last token "
                + report.state().lastToken() + ", " + size(report);
    }

    private static String counts(JournalReport report) {
        JournalReport.Leases leases = report.leases();
        return leases.held()
                + (leases.held() == 1 ? " lease, " : " leases, ")
                + leases.records()
                + (leases.records() == 1 ? " record" : " records");
    }

    private static String size(JournalReport report) {
        return String.format(
                Locale.ROOT,
                "%.1f MB in %d files",
                report.bytes() / 1e6,
                report.files().size());
    }

    void print(JournalReport report, List<LeaseView> leases) {
        JournalReport.State state = report.state();
        out.println(report.directory());
        line(
                "state",
                report.isSound() ? "sound" : "DAMAGED; what follows is from before the damage");
        report.damage()
                .ifPresent(damage -> line(
                        "damage",
                        damage.file().getFileName() + " at offset " + damage.offset() + ": "
                                + damage.problem()));
        report.openIn().ifPresent(owner -> line("open in", owner + ", which goes on with it"));
        line("holds", counts(report));
        state.storeId().ifPresent(id -> line("store id", id.toString()));
        line("last token", Long.toString(state.lastToken()));
        line("opened", state.starts() == 1 ? "once" : state.starts() + " times");
        line("store time", text(state.time()));
        if (!state.frozenFor().isZero()) {
            line("frozen", "nothing is granted for another " + text(state.frozenFor()));
        }
        line("on disk", size(report));
        out.println();
        printFiles(report);
        if (!leases.isEmpty()) {
            out.println();
            printLeases(leases);
        }
        if (leases.size() < report.leases().held() + report.leases().records()) {
            out.println("only the first " + leases.size() + " are shown; --leases N shows more");
        }
    }

    private void line(String name, String value) {
        out.println(String.format(Locale.ROOT, "  %-10s  %s", name, value));
    }

    private void printFiles(JournalReport report) {
        Table table = new Table("FILE", "KIND", ">BYTES", ">USED", ">BATCHES", ">ENTRIES");
        for (FileSummary file : report.files()) {
            table.add(
                    String.valueOf(file.file().getFileName()),
                    JournalJson.lower(file.kind()),
                    file.length(),
                    file.used(),
                    file.batches(),
                    file.entries());
        }
        table.print(out);
    }

    private void printLeases(List<LeaseView> leases) {
        Table table = new Table("SCOPE", ">TOKEN", "HOLDER", ">REMAINING", "STATE");
        for (LeaseView lease : leases) {
            table.add(
                    lease.holding().claim().scopes().stream()
                            .map(Scope::toString)
                            .collect(Collectors.joining(" ")),
                    lease.holding().token(),
                    lease.holding().holder(),
                    text(lease.remaining()),
                    JournalJson.lower(lease.status()));
        }
        table.print(out);
    }

    /** What a repair would do. */
    void print(JournalRepair plan) {
        JournalReport found = plan.found();
        out.println(found.directory());
        found.damage()
                .ifPresent(damage -> line(
                        "damage",
                        damage.file().getFileName() + " at offset " + damage.offset() + ": "
                                + damage.problem()));
        line("keeps", counts(found) + ", which is all before the damage");
        line("tokens", "go on above " + plan.lastToken());
        line("frozen", "nothing is granted for " + text(plan.frozen()) + " once it is opened");
        out.println();
        if (!plan.dropped().isEmpty()) {
            Table table = new Table("GIVEN UP", ">FROM OFFSET", ">BYTES", ">READABLE BATCHES");
            plan.dropped()
                    .forEach(part -> table.add(
                            String.valueOf(part.file().getFileName()),
                            part.offset(),
                            part.bytes(),
                            part.batches()));
            table.print(out);
            out.println();
        }
    }
}
