// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.json.Json;
import io.leasehold.model.Scope;
import io.leasehold.spi.LeaseView;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code leasehold list}. */
@Command(
        name = "list",
        description = {"Lists who holds what, and what was left behind, in token order.", ""},
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {
            "  leasehold list --held",
            "  leasehold list --overlapping subtree:/srv --output json"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:it failed",
            "2:wrong usage",
            "69:the server or store can't be reached, or does not answer",
            "77:not permitted"
        })
final class ListCommand implements Callable<Integer> {

    @Option(
            names = "--overlapping",
            paramLabel = "SCOPE",
            converter = ScopeConverter.class,
            description = "Only what has something in common with this scope.")
    private @Nullable Scope overlapping;

    @Option(names = "--held", description = "Only leases, not what was left by ones that are over.")
    private boolean held;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "1000",
            description = "At most so many. Default: 1000")
    private int limit;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Connection connection;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Output output;

    @Override
    public Integer call() {
        Listing listing;
        try (Backend backend = connection.open()) {
            listing = Listing.read(
                    backend.store(), Optional.ofNullable(overlapping), held, Math.max(1, limit));
        }
        List<LeaseView> leases = listing.leases();
        if (output.isJson()) {
            output.json(Json.object(
                    "leases", leases.stream().map(LeaseText::json).toList(),
                    "more", listing.more()));
            return 0;
        }
        if (leases.isEmpty()) {
            output.say("nothing is held");
            return 0;
        }
        Table table = LeaseText.table();
        for (LeaseView view : leases) {
            LeaseText.add(table, view);
        }
        table.print(output.out());
        output.out().flush();
        if (listing.more()) {
            output.say("there are more; --limit N shows them");
        }
        return 0;
    }
}
