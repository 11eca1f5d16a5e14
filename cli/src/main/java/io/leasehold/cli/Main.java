// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.model.LeaseholdException;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The root of the command line. */
@Command(
        name = "leasehold",
        description = "Locks and leases with fencing tokens.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {DemoCommand.class, JournalCommand.class},
        footer = {"", "Run 'leasehold COMMAND --help' for more on a command."})
final class Main implements Runnable {

    /**
     * The library's own log; a command speaks for itself. Kept here lest the setting be collected.
     */
    private static final Logger LIBRARY_LOG = Logger.getLogger("io.leasehold");

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    public static void main(String[] args) {
        // newer JDKs would otherwise find a console where there is no terminal
        System.setProperty("jdk.console", "java.base");
        LIBRARY_LOG.setLevel(Level.SEVERE);
        System.exit(commandLine().execute(args));
    }

    /** Exits with 0 when done, 1 when failed, 2 on wrong usage; commands may have more. */
    static CommandLine commandLine() {
        return new CommandLine(new Main())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler(Main::explain);
    }

    /** What went wrong is said in one line; only what nobody expected comes with a trace. */
    private static int explain(Exception e, CommandLine command, ParseResult unused)
            throws Exception {
        if (!(e instanceof LeaseholdException)) {
            throw e;
        }
        command.getErr().println("leasehold: " + e.getMessage());
        command.getErr().flush();
        return CommandLine.ExitCode.SOFTWARE;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given");
    }
}
