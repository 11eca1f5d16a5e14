// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
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
            ""
        },
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {"  leasehold completion bash", "  leasehold completion zsh"})
final class CompletionCommand implements Callable<Integer> {

    enum Shell {
        BASH,
        ZSH;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Parameters(paramLabel = "SHELL", description = "bash or zsh.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Shell shell;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() {
        // one script for both: in zsh it turns on zsh's own understanding of bash's completions
        String script = AutoComplete.bash("leasehold", Main.complete());
        PrintWriter out = PrintableWriter.exact(spec.commandLine().getOut());
        out.print(shell == Shell.ZSH ? "#compdef leasehold\n" + script : script);
        out.flush();
        return 0;
    }
}
