// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.model.Scope;
import io.leasehold.spi.LeaseEvent;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code leasehold watch}. */
@Command(
        name = "watch",
        description = {
            "Tells what happens to leases, one event a line, until interrupted.",
            "",
            "When the connection breaks, it is taken up again behind the last event; where events"
                    + " are missing, a resync says so.",
            ""
        },
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {
            "  leasehold watch",
            "  leasehold watch --overlapping nightly-report --output json"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "1:it failed",
            "2:wrong usage",
            "69:the server or store could not be reached to begin with",
            "77:not permitted",
            "130:interrupted"
        })
final class WatchCommand implements Callable<Integer> {

    @Option(
            names = "--overlapping",
            paramLabel = "SCOPE",
            converter = ScopeConverter.class,
            description = "Only what has something in common with this scope.")
    private @Nullable Scope overlapping;

    @Option(names = "--renewals", description = "Tell of renewals too, which are many.")
    private boolean renewals;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Connection connection;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Output output;

    @Override
    public Integer call() {
        try (Backend backend = connection.open()) {
            backend.info();
            backend.watch(
                    Optional.ofNullable(overlapping),
                    this::print,
                    failure -> output.say(failure.getMessage() + "; trying again"));
        }
        return 0;
    }

    private void print(LeaseEvent event) {
        if (!renewals
                && event instanceof LeaseEvent.Changed changed
                && changed.change() == LeaseEvent.Change.RENEWED) {
            return;
        }
        if (output.isJson()) {
            output.json(EventText.json(event));
        } else {
            output.line(output.styled(EventText.style(event), EventText.line(event)));
        }
    }
}
