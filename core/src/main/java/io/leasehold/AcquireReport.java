// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.listener.AcquireBegan;
import io.leasehold.listener.AcquireEnded;
import io.leasehold.listener.AcquireEnded.Outcome;
import io.leasehold.listener.LeaseholdListener;
import io.leasehold.model.FencingToken;
import io.leasehold.model.OutcomeUnknownException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What the listener is told of one acquire. */
final class AcquireReport {

    private final Client client;
    private final AcquireBegan began;
    private final long begunAt;

    private AcquireReport(Client client, Bid bid) {
        this.client = client;
        this.began = new AcquireBegan(bid.claim(), bid.waitAtMost());
        this.begunAt = client.time.nanos();
    }

    /** Begins one by the thread of the user's that is going to wait for the result. */
    static AcquireReport begin(Client client, Bid bid) {
        AcquireReport report = new AcquireReport(client, bid);
        client.listener.now(listener -> listener.onAcquireBegin(report.began));
        return report;
    }

    /** Ends it by the same thread. */
    void end(Acquirer acquirer) {
        if (acquirer.result().isDone()) {
            tell(acquirer, client.listener::now);
        } else { // its lease came just when the thread was interrupted, and is given back
            tell(acquirer, client.listener::later);
        }
    }

    /** Tells of an acquire for which no thread of the user's waits. */
    static void inBackground(Client client, Bid bid, Acquirer acquirer) {
        if (client.listener.isPresent()) {
            AcquireReport report = new AcquireReport(client, bid);
            client.listener.later(listener -> listener.onAcquireBegin(report.began));
            report.tell(acquirer, client.listener::later);
        }
    }

    private void tell(Acquirer acquirer, Consumer<Consumer<LeaseholdListener>> way) {
        acquirer.result().whenComplete((came, error) -> {
            AcquireEnded ended = ended(acquirer, came, error);
            way.accept(listener -> listener.onAcquireEnd(ended));
        });
    }

    private AcquireEnded ended(
            Acquirer acquirer, Acquirer.@Nullable Result came, @Nullable Throwable error) {
        Outcome outcome = error != null ? failure(acquirer, error) : success(came);
        Optional<FencingToken> token = came instanceof Acquirer.Result.Obtained obtained
                ? Optional.of(obtained.lease().grant.token())
                : Optional.empty();
        Duration waited = Duration.ofNanos(client.time.nanos() - begunAt);
        return new AcquireEnded(began, outcome, token, waited);
    }

    private static Outcome success(Acquirer.@Nullable Result came) {
        if (came instanceof Acquirer.Result.Obtained) {
            return Outcome.GRANTED;
        }
        return came instanceof Acquirer.Result.Busy ? Outcome.BUSY : Outcome.COMPLETED;
    }

    private static Outcome failure(Acquirer acquirer, Throwable error) {
        if (acquirer.wasWithdrawn()) {
            return Outcome.WITHDRAWN;
        }
        return Client.unwrapped(error) instanceof OutcomeUnknownException
                ? Outcome.UNKNOWN
                : Outcome.FAILED;
    }
}
