// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.json.Json;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code leasehold token revoke}. */
@Command(
        name = "revoke",
        description = {"Makes a token worthless from now on.", ""},
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {"  leasehold token revoke ci --file tokens"},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:revoked",
            "1:it failed, or there is no such token",
            "2:wrong usage",
            "69:the server can't be reached, or does not answer",
            "77:not permitted"
        })
final class TokenRevokeCommand implements Callable<Integer> {

    @Parameters(paramLabel = "NAME", description = "Whose token it is.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String name;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private TokenSource source;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Output output;

    @Override
    public Integer call() {
        boolean revoked = source.open().revoke(name);
        if (output.isJson()) {
            output.json(Json.object("name", name, "revoked", revoked));
        } else if (revoked) {
            output.line("the token of '" + name + "' is revoked");
        } else {
            output.say("there is no token of '" + name + "'");
        }
        return revoked ? 0 : ExitCodes.FAILED;
    }
}
