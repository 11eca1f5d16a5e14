// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.json.Json;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code leasehold token create}. */
@Command(
        name = "create",
        description = {
            "Makes a token and prints it. It is told only this once; the server keeps its hash.",
            "",
            "Keep it in a file that only its user can read: umask 077, then redirect the output.",
            ""
        },
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {"  leasehold token create ci --allow 'builds-*=acquire,read' --file tokens"},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:made",
            "1:it failed",
            "2:wrong usage",
            "69:the server can't be reached, or does not answer",
            "77:not permitted"
        })
final class TokenCreateCommand implements Callable<Integer> {

    @Parameters(paramLabel = "NAME", description = "Whose token it is, as the audit log has it.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String name;

    @Option(
            names = "--allow",
            paramLabel = "RULE",
            required = true,
            converter = TokenRule.Converter.class,
            description = "What it permits where: team-a=acquire,read or 'team-*=read' or"
                    + " '*=admin'; may be repeated.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private List<TokenRule> rules;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private TokenSource source;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Output output;

    @Override
    public Integer call() {
        String token = source.checked(() -> source.open().create(name, rules));
        if (output.isJson()) {
            output.json(Json.object("name", name, "token", token));
        } else {
            output.line(token);
        }
        return 0;
    }
}
