// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.json.Json;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Refused;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code leasehold force-release}. */
@Command(
        name = "force-release",
        description = {
            "Ends a lease that is someone else's. For people who know that its holder is gone.",
            "",
            "The holder is not asked and not told: it learns of it at its next renewal, and until"
                    + " then it may go on working beside the next one. Only guards that check"
                    + " tokens keep them apart. Needs the permission to force, and is audited.",
            ""
        },
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {"  leasehold force-release nightly-report --token 4711 --comment 'host is dead'"},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the lease is ended",
            "1:it failed, or nobody agreed",
            "2:wrong usage",
            "69:the server or store can't be reached, or does not answer",
            "76:there is no such lease; nothing was changed",
            "77:not permitted"
        })
final class ForceReleaseCommand implements Callable<Integer> {

    @Parameters(
            paramLabel = "SCOPE",
            converter = ScopeConverter.class,
            description = "A name, or path:/var/data, subtree:/var, inode:4711, range:4711:0-4096.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Scope scope;

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            required = true,
            converter = TokenConverter.class,
            description = "The token of the lease that is meant, as 'leasehold show' has it.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private FencingToken token;

    @Option(
            names = "--comment",
            paramLabel = "TEXT",
            required = true,
            description = "Why, for the audit log.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String comment;

    @Option(names = "--yes", description = "Do not ask.")
    private boolean yes;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Connection connection;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Output output;

    private final Terminal terminal = Terminal.system();

    @Override
    public Integer call() {
        if (!yes
                && !terminal.isAgreed("End the lease on " + scope + " with token " + token
                        + ", whoever holds it?")) {
            return output.fail(ExitCodes.FAILED, "nothing was changed; --yes does not ask");
        }
        try (Backend backend = connection.open()) {
            Ending ending = backend.forceRelease(scope, token, comment);
            if (ending instanceof Refused refused) {
                return output.fail(
                        ExitCodes.LOST,
                        "nothing was changed: " + scope + " is not held with token " + token + ": "
                                + Refusals.words(refused.reason()));
            }
        }
        if (output.isJson()) {
            output.json(Json.object(
                    "scope", scope.toString(), "token", token.toString(), "ended", true));
        } else {
            output.line("the lease on " + scope + " with token " + token + " is ended");
        }
        return 0;
    }
}
