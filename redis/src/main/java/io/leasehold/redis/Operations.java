// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Limits;
import io.leasehold.spi.NodeAdmission;
import io.leasehold.spi.NodeRecord;
import io.leasehold.spi.NodeStanding;
import io.leasehold.spi.Polled;
import io.leasehold.spi.Raising;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Round;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/** The operations on leases, by a given way of sending them. */
final class Operations {

    private static final int RENEWALS_OF_A_CALL = 100;

    private final Function<Operation, CompletableFuture<List<Object>>> send;
    private final Waits waits;
    private final Answers answers;
    private final Replicas replicas;
    private final int needed;
    private final Consumer<FencingToken> seen;

    /**
     * With all that they need.
     *
     * @param needed how many replicas must have what was granted
     * @param seen is told of every token
     */
    Operations(
            Function<Operation, CompletableFuture<List<Object>>> send,
            Waits waits,
            Answers answers,
            Replicas replicas,
            int needed,
            Consumer<FencingToken> seen) {
        this.send = send;
        this.waits = waits;
        this.answers = answers;
        this.replicas = replicas;
        this.needed = needed;
        this.seen = seen;
    }

    CompletionStage<Acquisition> acquire(LeaseRequest request) {
        CompletionStage<Acquisition> answer = request.terms().waitAtMost().isZero()
                ? send.apply(Requests.acquire(request))
                        .thenApply(fields -> answers.acquisition(fields, request, Duration.ZERO))
                : waits.acquire(request, null, send).thenApply(Polled::answer);
        return answer.thenCompose(acquisition -> acquisition instanceof Acquisition.Granted granted
                ? noted(granted, request)
                : CompletableFuture.completedFuture(acquisition));
    }

    private CompletionStage<Acquisition> noted(Acquisition.Granted granted, LeaseRequest request) {
        seen.accept(granted.grant().token());
        if (needed == 0) {
            return CompletableFuture.completedFuture(granted);
        }
        return replicated(granted)
                .handle((done, error) -> {
                    if (error == null) {
                        return CompletableFuture.<Acquisition>completedFuture(done);
                    }
                    // refused: so it must be given back, and only then did nothing happen
                    return withdraw(request)
                            .exceptionallyCompose(Operations::maybe)
                            .<Acquisition>thenCompose(
                                    ending -> CompletableFuture.failedFuture(error))
                            .toCompletableFuture();
                })
                .thenCompose(stage -> stage);
    }

    /** Completes with the value when enough replicas have all that was written up to now. */
    private <T> CompletionStage<T> replicated(T value) {
        return replicas.confirm().thenApply(count -> {
            if (count < needed) {
                throw new StoreUnavailableException(
                        "only " + count + " of " + needed + " replicas have it");
            }
            return value;
        });
    }

    CompletionStage<Ending> withdraw(LeaseRequest request) {
        return send.apply(Requests.withdraw(request)).thenApply(Answers::ending);
    }

    CompletionStage<Ending> withdrawUnlessUsed(LeaseRequest request) {
        return send.apply(Requests.withdrawUnlessUsed(request)).thenApply(Answers::ending);
    }

    CompletionStage<Renewal> renew(RenewalRequest request) {
        return renewAll(List.of(request)).thenApply(renewals -> renewals.get(0));
    }

    CompletionStage<List<Renewal>> renewAll(List<RenewalRequest> requests) {
        List<CompletableFuture<List<Renewal>>> parts = new ArrayList<>();
        for (int from = 0; from < requests.size(); from += RENEWALS_OF_A_CALL) {
            int to = Math.min(requests.size(), from + RENEWALS_OF_A_CALL);
            parts.add(send.apply(Requests.renew(requests.subList(from, to)))
                    .thenApply(Answers::renewals));
        }
        CompletionStage<List<Renewal>> renewals = CompletableFuture.allOf(
                        parts.toArray(CompletableFuture<?>[]::new))
                .thenApply(done ->
                        parts.stream().flatMap(part -> part.join().stream()).toList());
        return needed == 0 || requests.isEmpty()
                ? renewals
                : renewals.thenCompose(
                        done -> replicated(done).exceptionallyCompose(Operations::maybe));
    }

    CompletionStage<Rotation> rotate(Grant grant) {
        return send.apply(Requests.rotate(grant))
                .thenApply(fields -> answers.rotation(fields, grant))
                .thenCompose(rotation -> {
                    if (!(rotation instanceof Rotation.Rotated rotated)) {
                        return CompletableFuture.completedFuture(rotation);
                    }
                    seen.accept(rotated.grant().token());
                    return needed == 0
                            ? CompletableFuture.completedFuture(rotation)
                            : replicated(rotation).exceptionallyCompose(Operations::maybe);
                });
    }

    /** It happened on the primary, but may be lost with it. */
    private static <T> CompletionStage<T> maybe(Throwable error) {
        return CompletableFuture.failedFuture(
                new OutcomeUnknownException("the replicas did not confirm it", Failures.of(error)));
    }

    CompletionStage<Ending> release(Grant grant) {
        return send.apply(Requests.release(grant)).thenApply(Answers::ending);
    }

    CompletionStage<Ending> forceRelease(Scope scope, FencingToken token) {
        return send.apply(Requests.forceRelease(scope, token)).thenApply(Answers::ending);
    }

    CompletionStage<Ending> complete(Grant grant, LeaseRecord record, Duration keepFor) {
        try {
            Limits.keepFor(keepFor);
        } catch (LeaseholdException e) {
            return CompletableFuture.failedFuture(e);
        }
        return send.apply(Requests.complete(grant, record, keepFor)).thenApply(Answers::ending);
    }

    // ---- for a node of a quorum

    CompletionStage<NodeStanding> standing(long generation) {
        return send.apply(Requests.standing(generation)).thenApply(Answers::standing);
    }

    CompletionStage<NodeStanding> admit(NodeAdmission admission) {
        return send.apply(Requests.admit(admission)).thenApply(Answers::standing);
    }

    CompletionStage<Polled<Acquisition>> acquire(LeaseRequest request, Round round) {
        return request.terms().waitAtMost().isZero()
                ? send.apply(Requests.acquire(request, round))
                        .thenApply(fields -> answers.polled(fields, request, Duration.ZERO))
                : waits.acquire(request, round, send);
    }

    CompletionStage<Polled<Rotation>> rotate(Grant grant, Round round) {
        return send.apply(Requests.rotate(grant, round)).thenApply(fields -> {
            Rotation rotation = answers.rotation(fields, grant);
            return new Polled<>(rotation, Answers.tokenState(fields));
        });
    }

    CompletionStage<Raising> raise(Grant grant, FencingToken to, Round round) {
        return send.apply(Requests.raise(grant, to, round)).thenApply(Answers::raising);
    }

    CompletionStage<Acquisition> restore(LeaseRequest request, FencingToken token) {
        return send.apply(Requests.restore(request, token))
                .thenApply(fields -> answers.acquisition(fields, request, Duration.ZERO));
    }

    CompletionStage<Ending> retract(LeaseRequest request, Round round) {
        return send.apply(Requests.retract(request, round)).thenApply(Answers::ending);
    }

    CompletionStage<NodeRecord.Page> records(String cursor) {
        return send.apply(Requests.records(cursor)).thenApply(Answers::records);
    }

    CompletionStage<Optional<NodeRecord>> record(Scope scope) {
        return send.apply(Requests.record(scope))
                .thenApply(rows -> Answers.records(rows).records().stream().findFirst());
    }

    CompletionStage<NodeStanding> keep(List<NodeRecord> records) {
        return send.apply(Requests.keep(records)).thenApply(answers::kept);
    }
}
