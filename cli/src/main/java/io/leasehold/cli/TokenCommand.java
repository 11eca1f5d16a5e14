// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code leasehold token}. */
@Command(
        name = "token",
        description = {
            "Makes, lists and revokes the bearer tokens that a server accepts.",
            "",
            "Over the server, which needs the permission to administer all namespaces; or offline,"
                    + " on the server's token file, with --file.",
            ""
        },
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {TokenCreateCommand.class, TokenListCommand.class, TokenRevokeCommand.class},
        footerHeading = "%nExamples:%n",
        footer = {
            "  leasehold token create ci --allow 'builds-*=acquire,read'",
            "",
            "Run 'leasehold token COMMAND --help' for more on a command."
        })
final class TokenCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given");
    }
}
