// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.protocol.v1.AdmitReply;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Limits;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;

/**
 * Marks of resources that can't keep their own. A mark is a record at the resource's name in a store
 * of its own, so that it lives as long as leases do.
 *
 * <p><b>Why this is safe.</b> A mark is changed only by completing an exclusive lease of its name,
 * after it was read under that lease. A holder that was too slow is refused by the store. So marks
 * only rise, whoever else raises them. A token that is the mark passes on the reading alone.
 */
final class HostedGuards {

    private static final Holder HOLDER = new Holder("leasehold-server");
    private static final Duration TTL = Duration.ofSeconds(5);
    private static final Duration WAIT = Duration.ofSeconds(10);
    private static final Duration KEEP = Limits.MAX_KEEP_FOR;
    private static final Mark NONE = new Mark(0, KEEP);

    private final RandomGenerator random;

    /** The highest token seen, 0 if none was, and for how long that is still known. */
    private record Mark(long token, Duration remaining) {

        boolean isFresh() {
            return remaining.compareTo(KEEP.dividedBy(2)) >= 0;
        }
    }

    HostedGuards(RandomGenerator random) {
        this.random = random;
    }

    CompletionStage<AdmitReply> admit(LeaseStore store, Scope resource, FencingToken token) {
        return mark(store, resource).thenCompose(mark -> {
            if (token.value() < mark.token()) {
                return CompletableFuture.completedStage(stale(token, mark));
            } else if (token.value() == mark.token() && mark.isFresh()) {
                return CompletableFuture.completedStage(admitted(token));
            }
            return raise(store, resource, token);
        });
    }

    private CompletionStage<AdmitReply> raise(
            LeaseStore store, Scope resource, FencingToken token) {
        LeaseRequest request = LeaseRequest.of(
                        new LeaseId(random.nextLong(), random.nextLong()),
                        Claim.exclusive(resource),
                        HOLDER,
                        TTL)
                .waitingAtMost(WAIT);
        return store.acquire(request).thenCompose(answer -> {
            if (answer instanceof Acquisition.Granted granted) {
                return raise(store, resource, token, granted.grant());
            }
            throw Failures.of(
                    Failure.Kind.UNAVAILABLE, "the guard of the resource is busy: try again");
        });
    }

    private static CompletionStage<AdmitReply> raise(
            LeaseStore store, Scope resource, FencingToken token, Grant grant) {
        return mark(store, resource).thenCompose(mark -> {
            if (token.value() < mark.token()) {
                return store.release(grant).thenApply(ending -> stale(token, mark));
            }
            LeaseRecord raised = LeaseRecord.of(Long.toString(token.value()));
            return store.complete(grant, raised, KEEP).thenApply(ending -> {
                if (ending instanceof Ending.Ended) {
                    return admitted(token);
                }
                throw Failures.of(
                        Failure.Kind.UNAVAILABLE,
                        "the guard of the resource was too slow: try again");
            });
        });
    }

    private static CompletionStage<Mark> mark(LeaseStore store, Scope resource) {
        return store.list(LeaseQuery.overlapping(resource))
                .thenApply(page -> page.leases().stream()
                        .filter(view -> view.state() == LeaseView.State.COMPLETED)
                        .map(HostedGuards::mark)
                        .findAny()
                        .orElse(NONE));
    }

    private static Mark mark(LeaseView view) {
        String text = view.record().map(LeaseRecord::text).orElse("");
        try {
            return new Mark(new FencingToken(Long.parseLong(text)).value(), view.remaining());
        } catch (IllegalArgumentException e) {
            throw Failures.of(
                    Failure.Kind.UNAVAILABLE,
                    "the mark of the resource can't be read, so that nothing is let through");
        }
    }

    private static AdmitReply admitted(FencingToken token) {
        return AdmitReply.newBuilder()
                .setMark(token.value())
                .setAdmitted(AdmitReply.Admitted.getDefaultInstance())
                .build();
    }

    private static AdmitReply stale(FencingToken token, Mark mark) {
        return AdmitReply.newBuilder()
                .setMark(mark.token())
                .setStale(AdmitReply.Stale.newBuilder()
                        .setMessage("token " + token.value()
                                + " is stale: the resource has seen token " + mark.token()))
                .build();
    }
}
