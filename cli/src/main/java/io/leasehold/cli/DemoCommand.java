// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code leasehold demo}. */
@Command(
        name = "demo",
        description = {
            "Shows in a minute why a lock needs a fencing token.",
            "",
            "Two clients add to one balance under a lock, and one of them is paused for longer than its lease lasts:"
                    + " first without a guard at the balance, then with one. Real code on simulated time, so it is"
                    + " instant and always the same.",
            ""
        },
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {"  leasehold demo", "  leasehold demo --json"})
final class DemoCommand implements Callable<Integer> {

    @Option(names = "--json", description = "Print the steps as JSON, one object a line.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() {
        List<DemoStep> steps = Demo.run();
        CommandLine command = spec.commandLine();
        if (json) {
            steps.forEach(step -> command.getOut().println(step.json()));
        } else {
            new DemoTimeline(command.getOut(), command.getColorScheme().ansi()).print(steps);
        }
        command.getOut().flush();
        return CommandLine.ExitCode.OK;
    }
}
