// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.journal.JournalReport;
import io.leasehold.journal.JournalTools;
import io.leasehold.model.DamagedFileException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What the commands that only read a journal have in common. */
final class JournalSource {

    /** How a report is written. */
    enum Format {
        TEXT,
        JSON;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Parameters(paramLabel = "DIR", description = "The directory of the journal.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path directory;

    @Option(
            names = "--output",
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "How to print it: text (the default) or json.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Format format;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    boolean isJson() {
        return format == Format.JSON;
    }

    PrintWriter out() {
        return spec.commandLine().getOut();
    }

    JournalReport read() {
        PrintWriter err = spec.commandLine().getErr();
        return JournalTools.inspect(directory, line -> {
            err.println(line);
            err.flush();
        });
    }

    /** Says what to do about damage, and returns the exit code. */
    int conclude(JournalReport report) {
        out().flush();
        if (report.damage().isEmpty()) {
            return CommandLine.ExitCode.OK;
        }
        DamagedFileException damage = report.damage().get();
        PrintWriter err = spec.commandLine().getErr();
        err.println("leasehold: " + damage.file() + " is damaged at offset " + damage.offset()
                + ": " + damage.problem() + ". Bring back a backup and open it as restored, or run"
                + " 'leasehold journal repair " + report.directory()
                + "' to keep what is before the damage");
        err.flush();
        return JournalCommand.DAMAGED;
    }
}
