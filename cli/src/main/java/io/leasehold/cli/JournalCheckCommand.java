// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.journal.JournalReport;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code leasehold journal check}. */
@Command(
        name = "check",
        description = {
            "Says whether a journal is sound: all that was written can be read, unchanged.",
            "",
            "Changes nothing and needs no lock, so it can be used while a store has the journal open.",
            ""
        },
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {"  leasehold journal check leasehold-data/default"},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the journal is sound",
            "1:it can't be read",
            "2:wrong usage",
            "3:it is damaged"
        })
final class JournalCheckCommand implements Callable<Integer> {

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private JournalSource source;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Output output;

    @Override
    public Integer call() {
        JournalReport report = source.read(output);
        if (output.isJson()) {
            output.out().println(JournalJson.of(report, List.of()));
        } else if (report.isSound()) {
            output.out().println(JournalText.summary(report));
        }
        return JournalSource.conclude(report, output);
    }
}
