// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.json.Json;
import io.leasehold.model.Scope;
import io.leasehold.spi.LeaseView;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code leasehold show}. */
@Command(
        name = "show",
        description = {"Shows who holds a scope or a part of it, and what was left there.", ""},
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {"  leasehold show nightly-report", "  leasehold show path:/srv/data"},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done, whether or not somebody holds it",
            "1:it failed",
            "2:wrong usage",
            "69:the server or store can't be reached, or does not answer",
            "77:not permitted"
        })
final class ShowCommand implements Callable<Integer> {

    private static final int MOST = 1000;

    @Parameters(
            paramLabel = "SCOPE",
            converter = ScopeConverter.class,
            description = "A name, or path:/var/data, subtree:/var, inode:4711, range:4711:0-4096.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Scope scope;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Connection connection;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Output output;

    @Override
    public Integer call() {
        List<LeaseView> leases;
        try (Backend backend = connection.open()) {
            leases = Listing.read(backend.store(), Optional.of(scope), false, MOST)
                    .leases();
        }
        boolean held = leases.stream().anyMatch(view -> view.state() == LeaseView.State.HELD);
        boolean delayed =
                leases.stream().anyMatch(view -> view.state() == LeaseView.State.LOCK_DELAY);
        if (output.isJson()) {
            output.json(Json.object(
                    "scope", scope.toString(),
                    "held", held,
                    "leases", leases.stream().map(LeaseText::json).toList()));
            return 0;
        }
        output.line(scope + " is " + (held ? "held" : delayed ? "in a lock-delay" : "free"));
        leases.forEach(this::print);
        return 0;
    }

    private void print(LeaseView view) {
        output.out().println();
        line("state", JournalJson.lower(view.status()));
        line("scopes", LeaseText.scopes(view.holding().claim()));
        line("mode", JournalJson.lower(view.holding().claim().mode()));
        line("token", view.holding().token().toString());
        line("holder", view.holding().holder().toString());
        line("since", DurationConverter.text(view.age()));
        line("for another", DurationConverter.text(view.remaining()));
        if (view.waiters() > 0) {
            line("waiters", Integer.toString(view.waiters()));
        }
        view.record().ifPresent(record -> line("record", LeaseText.text(record)));
        output.out().flush();
    }

    private void line(String name, String value) {
        output.out().println(String.format(Locale.ROOT, "  %-11s  %s", name, value));
    }
}
