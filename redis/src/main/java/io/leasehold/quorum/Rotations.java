// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.quorum.Settlement.Settled;
import io.leasehold.quorum.Votes.Vote;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Rotation.Rotated;
import io.leasehold.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Draws new tokens at all members and makes one of them. */
final class Rotations {

    /** A majority has new tokens, or a majority refused; what came late waits for the token. */
    private record Decision(
            @Nullable Refused refused,
            List<Vote<Rotation>> votes,
            CompletableFuture<Settled> settled) {}

    private final Context context;
    private final Members members;
    private final Grant grant;
    private final long arrivedAt;

    Rotations(Context context, Grant grant) {
        this.context = context;
        this.members = context.members();
        this.grant = grant;
        this.arrivedAt = members.time().nanos();
    }

    CompletableFuture<Rotation> send() {
        Ballot<Rotation, Decision> ballot = new Ballot<>(members, this::decide, this::align);
        return ballot.ask(
                        members.joined(), members.patience(), (node, member) -> node.rotate(grant))
                .thenCompose(this::settle);
    }

    private @Nullable Decision decide(Votes<Rotation> votes) {
        if (votes.isMajority(Rotated.class)) {
            return new Decision(null, votes.all(), new CompletableFuture<>());
        }
        if (votes.isMajority(Refused.class)) {
            return new Decision(Refusals.most(votes), List.of(), new CompletableFuture<>());
        }
        if (votes.isComplete()) {
            throw votes.noMajority("rotation");
        }
        return null;
    }

    private void align(Decision decision, Vote<Rotation> vote) {
        if (vote.answer() instanceof Rotated) {
            CompletableFuture<Void> unused = decision.settled.thenAccept(settled -> {
                if (!settled.members().contains(vote.member())) {
                    LeaseRequest lease = LeaseRequest.of(
                            grant.id(),
                            grant.holding().claim(),
                            grant.holding().holder(),
                            grant.ttl());
                    context.restore(vote.member(), lease, settled.token());
                }
            });
        }
    }

    private CompletableFuture<Rotation> settle(Decision decision) {
        if (decision.refused != null) {
            return CompletableFuture.completedFuture(decision.refused);
        }
        Map<Member, Grant> grants = new LinkedHashMap<>();
        for (Vote<Rotation> vote : decision.votes) {
            if (vote.answer() instanceof Rotated rotated) {
                grants.put(vote.member(), rotated.grant());
            }
        }
        return context.settlement().of(grants).thenApply(settled -> {
            decision.settled.complete(settled);
            return rotated(decision.votes, settled);
        });
    }

    private Rotation rotated(List<Vote<Rotation>> votes, Settled settled) {
        long now = members.time().nanos();
        long version = 0;
        List<Long> ends = new ArrayList<>();
        Grant newest = grant;
        for (Vote<Rotation> vote : votes) {
            if (vote.answer() instanceof Rotated rotated
                    && settled.members().contains(vote.member())) {
                ends.add(Context.endOf(vote.sentAt(), rotated.validity()));
                newest = rotated.version() > version ? rotated.grant() : newest;
                version = Math.max(version, rotated.version());
            }
        }
        long left = Settlement.majorityUntil(ends, members.majority()) - now;
        return new Rotated(
                Settlement.withToken(newest, settled.token()),
                version,
                new Validity(
                        Duration.ofNanos(now - arrivedAt), Duration.ofNanos(Math.max(0, left))));
    }
}
