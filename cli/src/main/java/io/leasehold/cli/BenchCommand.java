// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.json.Json;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code leasehold bench}. */
@Command(
        name = "bench",
        description = {
            "Puts a quick load on the server or store, and says how long it takes to answer.",
            "",
            "Each client acquires, renews and releases a lock of its own, or one that it shares"
                    + " with others, as fast as it is answered. One process by JSON over HTTP"
                    + " measures this command as much as the server: it is a look, no limit.",
            ""
        },
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {
            "  leasehold bench --duration 10s --clients 16",
            "  leasehold bench --store memory --locks 1"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:some calls failed",
            "2:wrong usage",
            "69:the server or store can't be reached, or does not answer",
            "77:not permitted"
        })
final class BenchCommand implements Callable<Integer> {

    private static final int MOST_CLIENTS = 256;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            defaultValue = "5s",
            converter = DurationConverter.class,
            description = "For how long. Default: 5s")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Duration duration;

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "8",
            description = "How many at once, 1 to 256. Default: 8")
    private int clients;

    @Option(
            names = "--locks",
            paramLabel = "N",
            defaultValue = "0",
            description = "On how many locks; 0 (the default) is one for each client.")
    private int locks;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Connection connection;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Output output;

    @Override
    public Integer call() throws InterruptedException {
        if (clients < 1 || clients > MOST_CLIENTS || locks < 0) {
            throw new ParameterException(
                    output.command().commandLine(), "--clients is 1 to 256, --locks 0 or more");
        }
        try (Backend backend = connection.open()) {
            String engine = backend.info().guarantees().engine();
            Load load = new Load(backend.store(), clients, locks == 0 ? clients : locks);
            load.run(duration, this::progress);
            output.progress("");
            print(engine, load);
            return load.failures() == 0 ? 0 : ExitCodes.FAILED;
        }
    }

    private void progress(Duration passed, long calls) {
        output.progress(String.format(
                Locale.ROOT,
                "%.0f of %.0f s, %d calls ",
                passed.toMillis() / 1000.0,
                duration.toMillis() / 1000.0,
                calls));
    }

    private void print(String engine, Load load) {
        List<Latencies.Summary> rows = load.summaries();
        if (output.isJson()) {
            output.json(Json.object(
                    "engine", engine,
                    "clients", clients,
                    "seconds", load.seconds(),
                    "failures", load.failures(),
                    "operations", rows.stream().map(Latencies.Summary::json).toList()));
            return;
        }
        output.out()
                .println(String.format(
                        Locale.ROOT,
                        "%d clients for %.1f s on %s, %d failures",
                        clients,
                        load.seconds(),
                        engine,
                        load.failures()));
        output.out().println();
        Table table = new Table(
                "CALL", ">COUNT", ">PER SECOND", ">P50 MS", ">P95 MS", ">P99 MS", ">MAX MS");
        for (Latencies.Summary row : rows) {
            table.add(
                    row.name(),
                    row.count(),
                    String.format(Locale.ROOT, "%.0f", row.count() / load.seconds()),
                    millis(row.p50()),
                    millis(row.p95()),
                    millis(row.p99()),
                    millis(row.max()));
        }
        table.print(output.out());
        output.out().flush();
        if (load.failures() > 0) {
            output.say("the first failure: " + load.firstFailure());
        }
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.2f", nanos / 1e6);
    }
}
