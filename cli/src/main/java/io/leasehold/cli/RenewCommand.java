// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.json.Durations;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Limits;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code leasehold renew}. */
@Command(
        name = "renew",
        description = {"Lets the lease of a script run again in full, if it is still held.", ""},
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {"  leasehold renew --lease-file import.lease"},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:renewed",
            "1:it failed",
            "2:wrong usage",
            "69:the server or store can't be reached, or does not answer",
            "76:the lease is lost; stop what it protects",
            "77:not permitted"
        })
final class RenewCommand implements Callable<Integer> {

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private LeaseSource source;

    @Option(
            names = "--ttl",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "For how long from now; as it was last granted or renewed if left out.")
    private @Nullable Duration ttl;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Connection connection;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Output output;

    @Override
    public Integer call() {
        LeaseFile.Kept lease = source.read();
        Grant grant = lease.grant();
        RenewalRequest request = Wanted.checked(output.command(), () -> renewal(grant));
        Time time = Time.system();
        try (Backend backend = connection.open()) {
            long sent = time.nanos();
            Renewal renewal = Answers.await(backend.store().renew(request));
            if (renewal instanceof Renewal.Renewed renewed) {
                print(grant, Remaining.of(renewed.validity(), sent, time));
                return 0;
            }
            return output.fail(
                    ExitCodes.LOST,
                    SameStore.mismatch(lease, backend.store())
                            .orElse("the lease on " + grant.holding().claim() + " is lost: "
                                    + Refusals.words(((Refused) renewal).reason())));
        }
    }

    private RenewalRequest renewal(Grant grant) {
        return ttl == null
                ? RenewalRequest.forItsOwnTtl(grant)
                : RenewalRequest.of(grant, Limits.ttl(ttl));
    }

    private void print(Grant grant, Duration remaining) {
        if (output.isJson()) {
            Map<String, Object> json = LeaseText.json(grant.holding());
            json.put("remaining", Durations.write(remaining));
            output.json(json);
        } else {
            output.line("renewed for " + DurationConverter.text(remaining));
        }
    }
}
