// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.server.LeaseholdServer;
import io.leasehold.server.ServerOptions;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** {@code leasehold serve}. */
@Command(
        name = "serve",
        description = {
            "Serves leases over gRPC and JSON on one port.",
            "",
            "Each setting is taken from its option, else from the environment (the variable in"
                    + " brackets), else from the configuration file, a properties file with the names of the"
                    + " options without their dashes.",
            ""
        },
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {
            "  leasehold serve",
            "  leasehold serve --store redis://cache:6379 --port 5327",
            "  leasehold serve --host 0.0.0.0 --tokens tokens --tls-cert a.pem --tls-key a.key"
        },
        modelTransformer = ServeOptions.class,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:stopped by Ctrl-C or TERM",
            "1:can't start: the port is taken, the store can't be opened, a file can't be read",
            "2:wrong usage or settings"
        })
final class ServeCommand implements Callable<Integer> {

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = {"The configuration file.", "(LEASEHOLD_CONFIG)"})
    private @Nullable Path config;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() {
        try {
            ServeSettings settings = settings(System.getenv());
            ServerOptions options = settings.toOptions();
            ServeLog.start(settings.logLevel());
            return serve(options);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private ServeSettings settings(Map<String, String> environment) {
        ParseResult given = spec.commandLine().getParseResult();
        Optional<Path> file = config != null
                ? Optional.of(config)
                : Optional.ofNullable(environment.get("LEASEHOLD_CONFIG")).map(Path::of);
        if (file.filter(path -> path.toString().isBlank()).isPresent()) {
            throw new IllegalArgumentException("the name of the configuration file is empty");
        }
        return ServeSettings.of(
                setting -> {
                    Object value = given.matchedOptionValue(setting.option(), null);
                    return value == null ? null : value.toString();
                },
                environment,
                file);
    }

    private int serve(ServerOptions options) {
        PrintWriter out = spec.commandLine().getOut();
        LeaseholdServer server = LeaseholdServer.start(options);
        new ServeGreeting(out).print(options, server);
        stopWithTheProcess(server, out);
        return untilTheProcessEnds();
    }

    /**
     * A stop on purpose is no failure, hence the exit code; the virtual machine would say 143. Who
     * asks a second time does not want to wait for the clients.
     */
    private static void stopWithTheProcess(LeaseholdServer server, PrintWriter out) {
        Thread stop = new Thread(
                () -> {
                    out.println("stopping: nothing more is granted; Ctrl-C again to stop at once");
                    out.flush();
                    server.close();
                    out.println("stopped");
                    out.flush();
                    ServeLog.end();
                    Runtime.getRuntime().halt(CommandLine.ExitCode.OK);
                },
                "leasehold-stop");
        Runtime.getRuntime().addShutdownHook(stop);
        AtomicBoolean stopping = new AtomicBoolean();
        Signals.stopsTo(() -> {
            if (stopping.getAndSet(true)) {
                server.stopDraining();
            } else {
                Runtime.getRuntime().exit(CommandLine.ExitCode.OK);
            }
        });
    }

    private static int untilTheProcessEnds() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return CommandLine.ExitCode.OK;
    }
}
