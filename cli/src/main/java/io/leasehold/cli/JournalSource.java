// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.journal.JournalReport;
import io.leasehold.journal.JournalTools;
import io.leasehold.model.DamagedFileException;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/** What the commands that only read a journal have in common. */
final class JournalSource {

    @Parameters(paramLabel = "DIR", description = "The directory of the journal.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path directory;

    JournalReport read(Output output) {
        return JournalTools.inspect(directory, line -> {
            output.err().println(line);
            output.err().flush();
        });
    }

    /** Says what to do about damage, and returns the exit code. */
    static int conclude(JournalReport report, Output output) {
        output.out().flush();
        if (report.damage().isEmpty()) {
            return CommandLine.ExitCode.OK;
        }
        DamagedFileException damage = report.damage().get();
        String message = damage.file() + " is damaged at offset " + damage.offset() + ": "
                + damage.problem() + ". Bring back a backup and open it as restored, or run"
                + " 'leasehold journal repair " + report.directory()
                + "' to keep what is before the damage";
        return output.fail(JournalCommand.DAMAGED, message);
    }
}
