// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.journal.JournalRepair;
import io.leasehold.journal.JournalTools;
import io.leasehold.model.FencingToken;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code leasehold journal repair}. */
@Command(
        name = "repair",
        description = {
            "Makes a damaged journal one that can be opened, of what is before the damage.",
            "",
            "All files are first copied to before-repair-1, or the next free number, in the directory. Leases that were"
                    + " granted behind the damage are forgotten; so tokens go on far above all that were drawn, and"
                    + " nothing is granted for a while after the store is opened, until those leases have run out. A"
                    + " sound journal is left as it is. If a repair is cut short, run it again.",
            "",
            "A recent backup that is opened as restored may have more. Look at both before you choose.",
            ""
        },
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {"  leasehold journal repair leasehold-data/default --freeze 1h"},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:it is repaired, or was sound",
            "1:it can't be read or written, or a store has it open",
            "2:wrong usage",
            "3:it is damaged, and nothing was changed: nobody agreed to the repair"
        })
final class JournalRepairCommand implements Callable<Integer> {

    private final Terminal terminal;

    @Parameters(paramLabel = "DIR", description = "The directory of the journal.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path directory;

    @Option(
            names = "--freeze",
            paramLabel = "TIME",
            defaultValue = "30s",
            converter = DurationConverter.class,
            description =
                    "For how long nothing is granted once the store is opened, such as 30s or 5m (30s): at least"
                            + " the longest ttl in use. Never shorter than the longest the journal tells of.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Duration freeze;

    @Option(
            names = "--last-token",
            paramLabel = "N",
            description =
                    "The highest token that any guarded resource has seen, if you know it. Needed only when the"
                            + " files tell of none.")
    private @Nullable Long lastToken;

    @Option(names = "--yes", description = "Do not ask.")
    private boolean yes;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    JournalRepairCommand() {
        this(Terminal.system());
    }

    JournalRepairCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        JournalRepair repair =
                JournalTools.repair(directory, freeze, token(), this::isAgreed, line -> {
                    err.println(line);
                    err.flush();
                });
        if (repair.found().isSound()) {
            out.println("nothing to repair: " + JournalText.summary(repair.found()));
        } else if (repair.copy().isPresent()) {
            out.println(
                    "repaired; the files as they were are in " + repair.copy().get());
        } else {
            out.flush();
            err.println("leasehold: nothing was changed; to repair it, run this again with --yes");
            err.flush();
            return JournalCommand.DAMAGED;
        }
        out.flush();
        return CommandLine.ExitCode.OK;
    }

    private OptionalLong token() {
        if (lastToken == null) {
            return OptionalLong.empty();
        }
        if (lastToken < 0 || lastToken > FencingToken.MAX_VALUE) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--last-token " + lastToken + "; it must be 0 to " + FencingToken.MAX_VALUE);
        }
        return OptionalLong.of(lastToken);
    }

    private boolean isAgreed(JournalRepair plan) {
        PrintWriter out = spec.commandLine().getOut();
        new JournalText(out).print(plan);
        out.flush();
        return yes || terminal.isAgreed("Repair it?");
    }
}
