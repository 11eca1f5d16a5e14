// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.json.Json;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code leasehold token list}. */
@Command(
        name = "list",
        description = {"Lists the tokens by name, without their secrets.", ""},
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {"  leasehold token list --file tokens"},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:it failed",
            "2:wrong usage",
            "69:the server can't be reached, or does not answer",
            "77:not permitted"
        })
final class TokenListCommand implements Callable<Integer> {

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private TokenSource source;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Output output;

    @Override
    public Integer call() {
        List<Tokens.View> tokens = source.open().list();
        if (output.isJson()) {
            output.json(
                    Json.object("tokens", tokens.stream().map(Tokens.View::json).toList()));
            return 0;
        }
        Table table = new Table("NAME", "ALLOWS");
        for (Tokens.View token : tokens) {
            table.add(
                    token.name(),
                    token.rules().stream()
                            .map(TokenRule::toString)
                            .collect(Collectors.joining(" ")));
        }
        table.print(output.out());
        output.out().flush();
        return 0;
    }
}
