// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.quorum.Settlement.Drawn;
import io.leasehold.quorum.Settlement.Settled;
import io.leasehold.quorum.Votes.Vote;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.QuorumNode;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Rotation.Rotated;
import io.leasehold.spi.Round;
import io.leasehold.spi.TokenState;
import io.leasehold.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Draws new tokens at all members and makes one of them. */
final class Rotations {

    /** A majority has new tokens, or a majority refused; what came late waits for the token. */
    private record Decision(
            @Nullable Refused refused,
            List<Vote<Rotation>> votes,
            CompletableFuture<Settled> settled) {}

    private static final int MAX_TRIES = 3;

    private final Context context;
    private final Members members;
    private final Grant grant;
    private final Round round;
    private final Map<Member, TokenState> states = new ConcurrentHashMap<>();
    private final long arrivedAt;
    private final int tries;

    Rotations(Context context, Grant grant) {
        this(context, grant, context.members().time().nanos(), MAX_TRIES);
    }

    private Rotations(Context context, Grant grant, long arrivedAt, int tries) {
        this.context = context;
        this.members = context.members();
        this.grant = grant;
        this.round = context.nextRound(context.newAttempt());
        this.arrivedAt = arrivedAt;
        this.tries = tries;
    }

    CompletableFuture<Rotation> send() {
        Ballot<Rotation, Decision> ballot = new Ballot<>(members, this::decide, this::align);
        return ballot.ask(members.joined(), members.patience(), this::ask)
                .thenCompose(this::settle);
    }

    private CompletionStage<Rotation> ask(QuorumNode node, Member member) {
        return node.rotate(grant, round).thenApply(polled -> {
            context.saw(polled.state().asked());
            states.put(member, polled.state());
            return polled.answer();
        });
    }

    private @Nullable Decision decide(Votes<Rotation> votes) {
        if (votes.isMajority(Rotated.class)
                && (votes.isComplete() || context.settlement().isLikely(drawn(votes.all())))) {
            return new Decision(null, votes.all(), new CompletableFuture<>());
        }
        Refused refused = Refusals.decided(votes);
        if (refused != null) {
            return new Decision(refused, List.of(), new CompletableFuture<>());
        }
        if (votes.isComplete()) {
            throw votes.noMajority("rotation");
        }
        return null;
    }

    private void align(Decision decision, Vote<Rotation> vote) {
        if (vote.answer() instanceof Rotated) {
            CompletableFuture<Void> unused =
                    decision.settled.thenAccept(settled -> restore(vote.member(), settled));
        }
    }

    /** Gives a member that has another token the one that was agreed on. */
    private void restore(Member member, Settled settled) {
        if (!settled.members().contains(member)) {
            LeaseRequest lease = LeaseRequest.of(
                    grant.id(), grant.holding().claim(), grant.holding().holder(), grant.ttl());
            context.restore(member, lease, settled.token());
        }
    }

    private Map<Member, Drawn> drawn(List<Vote<Rotation>> votes) {
        Map<Member, Drawn> drawn = new LinkedHashMap<>();
        for (Vote<Rotation> vote : votes) {
            if (vote.answer() instanceof Rotated rotated) {
                TokenState state = states.getOrDefault(vote.member(), TokenState.NONE);
                drawn.put(vote.member(), new Drawn(rotated.grant(), state));
            }
        }
        return drawn;
    }

    private CompletableFuture<Rotation> settle(Decision decision) {
        if (decision.refused != null) {
            return CompletableFuture.completedFuture(decision.refused);
        }
        Map<Member, Drawn> drawn = drawn(decision.votes);
        if (isOvertaken(drawn.values()) && tries > 1) {
            return again();
        }
        return context.settlement()
                .of(drawn, round)
                .thenApply(settled -> {
                    decision.settled.complete(settled);
                    drawn.keySet().forEach(member -> restore(member, settled));
                    return rotated(decision.votes, settled);
                })
                .exceptionallyCompose(
                        failure -> tries > 1 ? again() : CompletableFuture.failedFuture(failure));
    }

    /** Repeated, a rotation draws no second token. */
    private CompletableFuture<Rotation> again() {
        return new Rotations(context, grant, arrivedAt, tries - 1).send();
    }

    /** Whether so many were asked in a later round that no majority would take a token in this. */
    private boolean isOvertaken(Collection<Drawn> answers) {
        return Settlement.inTime(answers, round) < members.majority();
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
