// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.json.Durations;
import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LockTimeoutException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Limits;
import io.leasehold.spi.Time;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code leasehold acquire}. */
@Command(
        name = "acquire",
        description = {
            "Takes a lock for a script, which then has to renew and to release it.",
            "",
            "Nothing renews the lease in between: choose a ttl that the next step can't outlast,"
                    + " or use 'leasehold run'. The lease is kept in a file that only you can read,"
                    + " or in variables: eval \"$(leasehold acquire --lock x --export)\".",
            ""
        },
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {
            "  leasehold acquire --lock import --ttl 10m --lease-file import.lease",
            "  leasehold acquire --lock import --wait 1m --export"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the lock is yours",
            "1:it failed",
            "2:wrong usage",
            "69:the server or store can't be reached, or does not answer",
            "75:busy: someone else had the lock all the while",
            "77:not permitted"
        })
final class AcquireCommand implements Callable<Integer> {

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Wanted wanted;

    @Option(
            names = "--wait",
            paramLabel = "TIME",
            defaultValue = "0s",
            converter = DurationConverter.class,
            description = "Wait for the lock for at most so long, up to 10m. Default: 0s")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Duration wait;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private LeaseSource source;

    @Option(
            names = "--export",
            description = "Print variables for a shell to evaluate, the secret included.")
    private boolean export;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Connection connection;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Output output;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    private final Time time = Time.system();

    @Override
    public Integer call() throws IOException {
        Optional<LeaseFile> file = source.file();
        Optional<LeaseId> given = file.isPresent() ? Optional.empty() : source.id();
        if (file.isEmpty() && given.isEmpty() && !export) {
            throw new ParameterException(
                    spec.commandLine(),
                    "say where the lease is to be kept: --lease-file FILE, or --export");
        }
        if (file.isPresent()) {
            file.get().ensureWritable();
        }
        Claim claim = wanted.claim();
        LeaseRequest request = Wanted.checked(
                spec,
                () -> LeaseRequest.of(
                                given.orElseGet(AcquireCommand::newId),
                                claim,
                                holder(given),
                                wanted.ttl())
                        .waitingAtMost(Limits.waiting(wait)));
        try (Backend backend = connection.open()) {
            return acquire(backend.store(), request, file);
        }
    }

    /** A script that asks again with its id is the same holder, though the process is another. */
    private static Holder holder(Optional<LeaseId> given) {
        return given.isPresent() ? ThisCommand.holderOfAScript() : ThisCommand.holder();
    }

    private static LeaseId newId() {
        SecureRandom random = new SecureRandom();
        return new LeaseId(random.nextLong(), random.nextLong());
    }

    private int acquire(LeaseStore store, LeaseRequest request, Optional<LeaseFile> file)
            throws IOException {
        long sent = time.nanos();
        Acquisition answer = insist(store, request);
        if (answer instanceof Acquisition.Held held) {
            throw busy(held, request.claim());
        }
        if (!(answer instanceof Acquisition.Granted granted)) {
            return output.fail(
                    ExitCodes.LOST,
                    LeaseFile.ID_VARIABLE + " is of "
                            + (isOfAnotherRequest(answer)
                                    ? "a lease on other scopes, or with another ttl or holder"
                                    : "a lease that is over")
                            + "; unset it to get another");
        }
        if (file.isPresent()) {
            try {
                file.get().write(new LeaseFile.Kept(granted.grant(), SameStore.idOf(store)));
            } catch (IOException e) {
                Answers.await(store.release(granted.grant()));
                throw e;
            }
        }
        print(granted, Remaining.of(granted.validity(), sent, time));
        return 0;
    }

    private static LockTimeoutException busy(Acquisition.Held held, Claim claim) {
        return held.inLockDelay()
                ? LockTimeoutException.inLockDelay(held.blocker(), held.remaining(), claim)
                : LockTimeoutException.heldBy(held.blocker(), held.remaining(), claim);
    }

    private static boolean isOfAnotherRequest(Acquisition answer) {
        return answer instanceof Acquisition.Gone gone
                && gone.reason() == RefusalReason.SCOPE_MISMATCH;
    }

    /** Asks again, with the same id, where the outcome is not known; gives up in the end. */
    private Acquisition insist(LeaseStore store, LeaseRequest request) {
        long end = time.nanos() + wait.plus(PATIENCE).toNanos();
        while (true) {
            try {
                return Answers.await(store.acquire(request), wait.plus(PATIENCE).plus(PATIENCE));
            } catch (OutcomeUnknownException e) {
                if (time.nanos() - end >= 0) {
                    withdraw(store, request);
                    throw e;
                }
            }
        }
    }

    private void withdraw(LeaseStore store, LeaseRequest request) {
        try {
            Answers.await(store.withdraw(request));
        } catch (OutcomeUnknownException | StoreUnavailableException e) {
            output.say("what may have been granted runs out in "
                    + DurationConverter.text(request.terms().ttl()));
        }
    }

    private void print(Acquisition.Granted granted, Duration remaining) {
        Grant grant = granted.grant();
        if (export) {
            output.exact(ShellVariables.of(grant));
        } else if (output.isJson()) {
            Map<String, Object> json = LeaseText.json(grant.holding());
            json.put("ttl", Durations.write(grant.ttl()));
            json.put("remaining", Durations.write(remaining));
            output.json(json);
        } else {
            output.line("token " + grant.token() + ", for another "
                    + DurationConverter.text(remaining));
        }
    }
}
