// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.FencingToken;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.quorum.Votes.Vote;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Ending.Ended;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.QuorumNode;
import io.leasehold.spi.Refused;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Ends a lease at all members. */
final class Endings {

    private static final Ended ENDED = new Ended();

    private final Context context;
    private final Members members;

    Endings(Context context) {
        this.context = context;
        this.members = context.members();
    }

    /**
     * A lease is over where it is nowhere: what never had it need not end it. But if a majority does
     * not have it, then nobody had a lease to release, whatever is left of it at the others.
     */
    CompletableFuture<Ending> release(Grant grant) {
        return end(grant, "release", true, node -> node.release(grant));
    }

    /** A record counts when a majority has it. */
    CompletableFuture<Ending> complete(
            Grant grant, Function<QuorumNode, CompletionStage<Ending>> completion) {
        return end(grant, "completion", false, completion);
    }

    /**
     * A lease is taken from its holder when a majority has ended it: that many remember it, so that
     * no late renewal of the holder's brings it back. Members that never had it count as well, as
     * long as they are no majority. A member that has it under a token that the others did
     * not agree on keeps it until it runs out there; such are never a majority.
     */
    CompletableFuture<Ending> forceRelease(Scope scope, FencingToken token) {
        Ballot<Ending, Ending> ballot = new Ballot<>(
                members, votes -> decide(votes, "release by force", true), (decision, vote) -> {});
        return ballot.ask(
                members.joinedQueueLast(),
                members.patience(),
                (node, member) -> node.forceRelease(scope, token));
    }

    /**
     * Members that do not know the request remember the id as withdrawn. So if a request of another process
     * waits under the same id for another claim, at one of them, it is granted nothing any more.
     */
    CompletableFuture<Ending> withdraw(LeaseRequest request) {
        Ballot<Ending, Ending> ballot = new Ballot<>(
                members, votes -> decide(votes, "withdrawal", false), (decision, vote) -> {});
        return ballot.ask(
                members.joinedQueueLast(),
                members.patience(),
                (node, member) -> node.withdraw(request));
    }

    /**
     * Members that know nothing of the request have nothing to take back: who waits does so at one of
     * them. Whoever else was told of the lease asked a majority, and those refuse.
     */
    CompletableFuture<Ending> withdrawUnlessUsed(LeaseRequest request) {
        Ballot<Ending, Ending> ballot =
                new Ballot<>(members, Endings::decideUnused, (decision, vote) -> {});
        return ballot.ask(
                members.joinedQueueLast(),
                members.patience(),
                (node, member) -> node.withdrawUnlessUsed(request));
    }

    /** Without a majority, a single member at which somebody else may rely on it decides. */
    private static @Nullable Ending decideUnused(Votes<Ending> votes) {
        int ended = votes.count(Ended.class);
        int absent = votes.count(Endings::isAbsent);
        int used = votes.count(Refused.class) - absent;
        if (ended >= votes.majority()) {
            return ENDED;
        } else if (used >= votes.majority()) {
            return new Refused(RefusalReason.NOT_HOLDER);
        } else if (!votes.isComplete()) {
            return null;
        } else if (used > 0) {
            return new Refused(RefusalReason.NOT_HOLDER);
        } else if (ended + absent >= votes.majority()) {
            return ended > 0 ? ENDED : new Refused(RefusalReason.NOT_FOUND);
        }
        throw votes.noMajority("withdrawal");
    }

    private CompletableFuture<Ending> end(
            Grant grant,
            String what,
            boolean absentIsEnded,
            Function<QuorumNode, CompletionStage<Ending>> operation) {
        Ballot<Ending, Ending> ballot = new Ballot<>(
                members, votes -> decide(votes, what, absentIsEnded), (decision, vote) -> {
                    if (decision instanceof Ended) {
                        context.noteEnd(grant.id(), grant.holding().claim());
                        clear(grant, vote);
                    }
                });
        return ballot.ask(
                members.joinedQueueLast(),
                members.patience(),
                (node, member) -> operation.apply(node));
    }

    /** What a majority says; without one, those who never had it count as having ended it. */
    private static @Nullable Ending decide(
            Votes<Ending> votes, String what, boolean absentIsEnded) {
        int ended = votes.count(Ended.class);
        if (ended >= votes.majority()) {
            return ENDED;
        }
        @Nullable Refused decided = Refusals.decided(votes);
        if (decided != null || !votes.isComplete()) {
            return decided;
        }
        int absent = absentIsEnded ? votes.count(Endings::isAbsent) : 0;
        if (ended > 0 && ended + absent >= votes.majority()) {
            return ENDED;
        }
        throw votes.noMajority(what);
    }

    private static boolean isAbsent(Ending answer) {
        return answer instanceof Refused refused && refused.reason() == RefusalReason.NOT_FOUND;
    }

    /** A member that has the lease under another token does not keep it either. */
    private void clear(Grant grant, Vote<Ending> vote) {
        if (vote.answer() instanceof Refused refused
                && refused.reason() == RefusalReason.TOKEN_MISMATCH) {
            context.clear(
                    vote.member(),
                    LeaseRequest.of(
                            grant.id(),
                            grant.holding().claim(),
                            grant.holding().holder(),
                            grant.ttl()));
        }
    }
}
