// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.journal.JournalLeaseStore;
import io.leasehold.journal.JournalOptions;
import io.leasehold.journal.JournalReport;
import io.leasehold.journal.JournalTools;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code leasehold journal restored}. */
@Command(
        name = "restored",
        description = {
            "Says of a journal that it was brought back from a backup or a copy.",
            "",
            "It can't know what was granted since the copy was made: so tokens go on 2^32 above its"
                    + " last one, and nothing is granted for a while after the store is opened,"
                    + " until those leases have run out. Say it once, before the store is opened.",
            ""
        },
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {"  leasehold journal restored leasehold-data/default --freeze 1h"},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:it can't be read or written, or a store has it open",
            "2:wrong usage",
            "3:it is damaged, and nothing was changed"
        })
final class JournalRestoredCommand implements Callable<Integer> {

    @Parameters(paramLabel = "DIR", description = "The directory of the journal.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path directory;

    @Option(
            names = "--freeze",
            paramLabel = "TIME",
            required = true,
            converter = DurationConverter.class,
            description =
                    "For how long nothing is granted once the store is opened, such as 30s or 5m:"
                            + " at least the longest ttl in use. Never shorter than the longest"
                            + " the journal tells of.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Duration freeze;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        JournalReport before = read(err); // a directory without a journal is not made one
        if (!before.isSound()) {
            err.println("leasehold: " + directory + " is damaged, see 'leasehold journal check'");
            err.flush();
            return JournalCommand.DAMAGED;
        }
        JournalLeaseStore.open(directory, JournalOptions.defaults().restored(freeze))
                .close();
        JournalReport after = read(err);
        PrintWriter out = spec.commandLine().getOut();
        out.println("tokens go on above " + after.state().lastToken() + " instead of "
                + before.state().lastToken() + ", and nothing is granted for "
                + after.state().frozenFor().toSeconds() + " s after the store is opened");
        out.flush();
        return CommandLine.ExitCode.OK;
    }

    private JournalReport read(PrintWriter err) {
        return JournalTools.inspect(directory, line -> {
            err.println(line);
            err.flush();
        });
    }
}
