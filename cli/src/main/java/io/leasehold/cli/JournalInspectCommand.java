// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.journal.JournalReport;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code leasehold journal inspect}. */
@Command(
        name = "inspect",
        description = {
            "Shows what is in a journal: its files, its leases and records, its last token.",
            "",
            "Changes nothing and needs no lock, so it can be used while a store has the journal open. Leases are shown"
                    + " as a store that is opened on the journal would have them.",
            ""
        },
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {"  leasehold journal inspect leasehold-data/default --leases 20"},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the journal is sound",
            "1:it can't be read",
            "2:wrong usage",
            "3:it is damaged; what is before the damage was shown"
        })
final class JournalInspectCommand implements Callable<Integer> {

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private JournalSource source;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Output output;

    @Option(
            names = "--leases",
            paramLabel = "N",
            defaultValue = "100",
            description = "How many leases and records to list at most, lowest tokens first (100).")
    private int limit;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() {
        if (limit < 0) {
            throw new ParameterException(
                    spec.commandLine(), "--leases " + limit + "; it must be 0 or more");
        }
        JournalReport report = source.read(output);
        List<LeaseView> leases = list(report.leases());
        if (output.isJson()) {
            output.out().println(JournalJson.of(report, leases));
        } else {
            new JournalText(output.out()).print(report, leases);
        }
        return JournalSource.conclude(report, output);
    }

    private List<LeaseView> list(JournalReport.Leases leases) {
        List<LeaseView> all = new ArrayList<>();
        boolean more = limit > 0;
        while (more) {
            int page = Math.min(LeaseQuery.MAX_LIMIT, limit - all.size());
            LeaseQuery query = new LeaseQuery(
                    Optional.empty(),
                    all.isEmpty()
                            ? Optional.empty()
                            : Optional.of(all.get(all.size() - 1).holding().token()),
                    page);
            LeasePage listed = leases.list(query);
            all.addAll(listed.leases());
            more = listed.more() && all.size() < limit;
        }
        return all;
    }
}
