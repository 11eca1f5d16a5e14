// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.FencedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockOptions;
import io.leasehold.model.Claim;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.Scope;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code leasehold run}. */
@Command(
        name = "run",
        description = {
            "Runs a command while it holds a lock.",
            "",
            "Waits for the lock, runs the command, renews the lease meanwhile and gives it back"
                    + " at the end. The command finds its fencing token in LEASEHOLD_TOKEN and what"
                    + " it holds in LEASEHOLD_SCOPE. If the lease is lost, the command and all it"
                    + " has started get TERM and, after a grace, KILL; so they do if this process"
                    + " is killed. Signals are passed on; Ctrl-Z suspends the command as well.",
            ""
        },
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {
            "  leasehold run --lock nightly-report -- ./report.sh",
            "  leasehold run --lock deploy --wait 5m -- ./deploy.sh production",
            "  leasehold run --scope subtree:/srv/data --grace 30s -- ./compact.sh"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "N:the command's own, 128 and the signal's number if a signal ended it",
            "1:it failed",
            "2:wrong usage",
            "69:the server or store can't be reached, or does not answer",
            "75:busy: someone else had the lock all the while; the command did not run",
            "76:the lease was lost while the command ran; it was stopped",
            "77:not permitted",
            "126:the command can't be run",
            "127:there is no such command"
        })
final class RunCommand implements Callable<Integer> {

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Wanted wanted;

    @Option(
            names = "--wait",
            paramLabel = "TIME",
            defaultValue = "0s",
            converter = DurationConverter.class,
            description = "Wait for the lock for at most so long, up to 30d. Default: 0s")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Duration wait;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Running running;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Connection connection;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Output output;

    @Parameters(paramLabel = "COMMAND", arity = "1..*", description = "What to run, behind a --.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private List<String> command;

    private final AtomicReference<Signals.@Nullable Caught> early = new AtomicReference<>();

    @Override
    public Integer call() throws InterruptedException {
        Claim claim = wanted.claim();
        LockOptions options = LockOptions.defaults().withTtl(wanted.ttl()).withMode(claim.mode());
        if (wait.compareTo(FencedLock.MAX_WAIT) > 0) {
            throw new ParameterException(output.command().commandLine(), "--wait is at most 30d");
        }
        if (Running.isMissing(command.get(0))) {
            return output.fail(
                    ExitCodes.NOT_FOUND,
                    "can't run '" + command.get(0) + "': there is no such command");
        }
        Supervisor supervisor = running.supervisor();
        try (Backend backend = connection.open();
                Leasehold leasehold = Leasehold.on(backend.store(), ThisCommand.options())) {
            FencedLock lock = leasehold.lock(options, claim.scopes().toArray(Scope[]::new));
            CompletableFuture<Lease> coming = lock.acquireAsync(wait);
            Signals.passTo(signal -> {
                if (coming.isDone() || !endsTheWait(signal, coming)) {
                    supervisor.signalled(signal);
                }
            });
            try (Lease lease = await(coming)) {
                return run(lease, supervisor);
            } catch (InterruptedBySignal e) {
                return ExitCodes.SIGNALLED + e.signal.number();
            }
        }
    }

    /** Before the command runs: false if the lock came in this very moment. */
    private boolean endsTheWait(Signals.Caught signal, CompletableFuture<Lease> coming) {
        if (signal.ends()) {
            return early.compareAndSet(null, signal) && coming.cancel(true);
        }
        if (signal.suspends()) {
            Signals.suspend();
        }
        return true;
    }

    private int run(Lease lease, Supervisor supervisor) throws InterruptedException {
        lease.onLost(supervisor::lost);
        Child child;
        try {
            child = running.start(command, lease.token(), lease.scopes());
        } catch (IOException e) {
            return output.fail(Running.code(e), running.explain(command, e));
        }
        Supervisor.Ended ended = supervisor.watch(child, lease::isValid);
        if (ended.loss().isPresent()) {
            return output.fail(
                    ExitCodes.LOST, ended.loss().get().getMessage() + "; the command was stopped");
        }
        if (!lease.isValid()) {
            return output.fail(
                    ExitCodes.LOST,
                    "the lease was lost before the command ended with code " + ended.code());
        }
        return ended.code();
    }

    private Lease await(CompletableFuture<Lease> coming) throws InterruptedException {
        try {
            return coming.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof LeaseholdException known) {
                throw known;
            }
            throw new OutcomeUnknownException("the store failed: " + e.getCause(), e);
        } catch (java.util.concurrent.CancellationException e) {
            Signals.Caught signal = early.get();
            throw new InterruptedBySignal(signal == null ? new Signals.Caught("INT", 2) : signal);
        }
    }

    /** A signal came before the lock did. */
    private static final class InterruptedBySignal extends RuntimeException {

        private static final long serialVersionUID = 1;

        private final transient Signals.Caught signal;

        private InterruptedBySignal(Signals.Caught signal) {
            super("interrupted by " + signal.name(), null, false, false);
            this.signal = signal;
        }
    }
}
