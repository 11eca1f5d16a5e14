// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code leasehold journal}. */
@Command(
        name = "journal",
        description = {
            "Looks into the journal of a store, checks and repairs it.",
            "",
            "A journal is a directory with the files journal-….log and snapshot-….dat.",
            ""
        },
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            JournalInspectCommand.class,
            JournalCheckCommand.class,
            JournalRepairCommand.class,
            JournalRestoredCommand.class
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  leasehold journal check leasehold-data/default",
            "",
            "Run 'leasehold journal COMMAND --help' for more on a command."
        })
final class JournalCommand implements Runnable {

    /** The journal is damaged, and stays so. */
    static final int DAMAGED = 3;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given");
    }
}
