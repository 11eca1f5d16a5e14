// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The root of the command line. */
@Command(
        name = "leasehold",
        description = "Locks and leases with fencing tokens.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        footerHeading = "%nExamples:%n",
        footer = {
            "  leasehold serve",
            "  leasehold run --lock nightly-report -- ./report.sh",
            "  leasehold list --held",
            "",
            "Run 'leasehold COMMAND --help' for more on a command."
        })
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
        PrintableWriter out = PrintableWriter.on(System.out, "stdout.encoding");
        PrintableWriter err = PrintableWriter.on(System.err, "stderr.encoding");
        System.exit(execute(commandLine(args), out, err, args));
    }

    /** Runs the command, which prints there. */
    static int execute(
            CommandLine command, PrintableWriter out, PrintableWriter err, String... args) {
        command.setOut(out).setErr(err);
        try {
            ReadableArguments.check(command, args);
        } catch (ParameterException e) {
            return Failures.usage(e, args);
        }
        return command.execute(args);
    }

    /** Every command. */
    static CommandLine complete() {
        return commandLine();
    }

    /**
     * The command line for these arguments: with the one command that they name, because to make
     * all of them takes longer than most of them run; with all where none is named.
     *
     * <p>Exits with 0 when done, 1 when failed, 2 on wrong usage; commands may have more.
     */
    static CommandLine commandLine(String... args) {
        CommandLine root = new CommandLine(new Main());
        Map<String, Class<?>> commands = Commands.ALL;
        Class<?> named = args.length == 0 ? null : commands.get(args[0]);
        if (named == null) {
            commands.forEach((name, type) -> root.addSubcommand(name, made(type)));
        } else {
            root.addSubcommand(args[0], made(named));
        }
        return root.setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(Failures::usage)
                .setExecutionExceptionHandler(Failures::explain);
    }

    /** Made by itself, because only then picocli applies the transformer of a command's model. */
    private static CommandLine made(Class<?> type) {
        return new CommandLine(type);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given");
    }
}
