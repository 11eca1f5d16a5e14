// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.Election;
import io.leasehold.ElectionOptions;
import io.leasehold.Leasehold;
import io.leasehold.Term;
import io.leasehold.cli.json.Json;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.spi.Limits;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code leasehold elect}. */
@Command(
        name = "elect",
        description = {
            "Campaigns for an office, and runs a command while it leads.",
            "",
            "One candidate leads at a time. Its command finds the number of the term in"
                    + " LEASEHOLD_TOKEN and is stopped, by TERM and after a grace by KILL, when the"
                    + " term is lost. When the command ends, so does the term, and a new campaign"
                    + " begins; a command that failed makes it wait a little longer each time.",
            ""
        },
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {
            "  leasehold elect scheduler -- ./scheduler",
            "  leasehold elect migration --once -- ./migrate.sh"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "N:with --once the command's own",
            "1:it failed",
            "2:wrong usage",
            "69:the server or store could not be reached to begin with",
            "76:with --once: the term was lost while the command ran; it was stopped",
            "77:not permitted",
            "126:the command can't be run",
            "127:there is no such command",
            "128+N:ended by signal N"
        })
final class ElectCommand implements Callable<Integer> {

    /** Between terms, lest a command that ends at once keeps everybody busy. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    @Parameters(index = "0", paramLabel = "NAME", description = "The office.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String name;

    @Parameters(
            index = "1..*",
            paramLabel = "COMMAND",
            arity = "1..*",
            description = "What the leader runs, behind a --.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private List<String> command;

    @Option(
            names = "--ttl",
            paramLabel = "TIME",
            defaultValue = "10s",
            converter = DurationConverter.class,
            description = "How long after the death of a leader the next is elected. Default: 10s")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Duration ttl;

    @Option(
            names = "--publish",
            paramLabel = "TEXT",
            description = "What others may read while it leads, such as its address.")
    private @Nullable String published;

    @Option(names = "--once", description = "Lead once, and exit as the command does.")
    private boolean once;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Running running;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Connection connection;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Output output;

    private final CompletableFuture<Integer> end = new CompletableFuture<>();
    private final AtomicReference<@Nullable Supervisor> leading = new AtomicReference<>();
    private volatile Signals.@Nullable Caught ending;

    @Override
    public Integer call() throws InterruptedException {
        Scope office = Wanted.checked(output.command(), () -> Scope.name(name));
        Duration length = Wanted.checked(output.command(), () -> Limits.ttl(ttl));
        if (Running.isMissing(command.get(0))) {
            return output.fail(
                    ExitCodes.NOT_FOUND,
                    "can't run '" + command.get(0) + "': there is no such command");
        }
        ElectionOptions options = ElectionOptions.defaults().withTtl(length);
        if (published != null) {
            options = options.withRecord(LeaseRecord.of(published));
        }
        try (Backend backend = connection.open()) {
            backend.info();
            try (Leasehold leasehold = Leasehold.on(backend.store(), ThisCommand.options())) {
                Election election = leasehold.election(
                        name, once ? options.once() : options, term -> lead(term, office));
                Signals.passTo(this::signalled);
                int code = end.get();
                election.close();
                return code;
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            }
        }
    }

    /** The first signal that ends programs ends the campaign too. */
    private void signalled(Signals.Caught signal) {
        Supervisor leader = leading.get();
        if (signal.ends()) {
            ending = signal;
        }
        if (leader != null) {
            leader.signalled(signal);
        } else if (signal.ends()) {
            end.complete(ExitCodes.SIGNALLED + signal.number());
        } else if (signal.suspends()) {
            Signals.suspend();
        }
    }

    private void lead(Term term, Scope office) throws InterruptedException, IOException {
        Supervisor supervisor = running.supervisor();
        term.onLost(supervisor::lost);
        leading.set(supervisor);
        tell("elected", term, "");
        Supervisor.Ended ended;
        try {
            ended = supervisor.watch(
                    running.start(command, term.token(), List.of(office)), term::isValid);
        } catch (IOException e) {
            // nor could it be started in another term
            end.complete(output.fail(Running.code(e), running.explain(command, e)));
            return;
        } finally {
            leading.set(null);
        }
        term.resign();
        tell("ended", term, ended.loss().isPresent() ? "lost" : "code " + ended.code());
        int code = ended.loss().isPresent() ? ExitCodes.LOST : ended.code();
        Signals.Caught last = ending;
        if (last != null || once) {
            end.complete(code);
            return;
        }
        pause();
        if (code != 0) {
            throw new IOException("the command ended with code " + code);
        }
    }

    private void tell(String event, Term term, String how) {
        if (output.isJson()) {
            output.err()
                    .println(Json.write(Json.object(
                            "event",
                            event,
                            "office",
                            name,
                            "token",
                            term.token().toString(),
                            "how",
                            how)));
            output.err().flush();
        } else if (event.equals("elected")) {
            output.say("elected for '" + name + "', token " + term.token());
        } else {
            output.say("no longer leading '" + name + "', token " + term.token() + ": " + how);
        }
    }

    private void pause() throws InterruptedException {
        try {
            end.get(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            return;
        }
    }
}
