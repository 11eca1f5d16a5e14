// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code leasehold completion}. */
@Command(
        name = "completion",
        description = {
            "Prints a script that completes commands and options in a shell.",
            "",
            "For bash: source <(leasehold completion bash). For zsh, the same with zsh, in ~/.zshrc.",
            "For fish: leasehold completion fish > ~/.config/fish/completions/leasehold.fish",
            ""
        },
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {
            "  leasehold completion bash",
            "  leasehold completion zsh",
            "  leasehold completion fish"
        })
final class CompletionCommand implements Callable<Integer> {

    enum Shell {
        BASH,
        ZSH,
        FISH;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Parameters(paramLabel = "SHELL", description = "bash, zsh or fish.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Shell shell;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = PrintableWriter.exact(spec.commandLine().getOut());
        out.print(script());
        out.flush();
        return 0;
    }

    private String script() {
        CommandLine all = Main.complete();
        return switch (shell) {
            case BASH -> AutoComplete.bash("leasehold", all);
            // the same script turns on zsh's own understanding of bash's completions
            case ZSH -> "#compdef leasehold\n" + AutoComplete.bash("leasehold", all);
            case FISH -> FishCompletion.of(all);
        };
    }
}
