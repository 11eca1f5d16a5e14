// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Holding;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.quorum.Votes.Vote;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Raising;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The write-back: makes one token of what the members drew for a lease. It is the highest of them,
 * and counts when a majority has it. A member that has gone past it meanwhile does not take it; then
 * the next try is above all that is known, by more with each try, until there is a majority.
 *
 * <p>This is what orders tokens although the members know nothing of each other. Whoever is asked
 * for a later grant shares a member with this majority, and draws above it there.
 */
final class Settlement {

    private static final int MAX_ROUNDS = 16;

    /**
     * What was agreed on.
     *
     * @param token the lease's, from now on
     * @param members those who have taken it
     */
    record Settled(FencingToken token, Set<Member> members) {}

    /** Done, or the grants that are left and where the counters were. */
    private record Outcome(
            @Nullable Settled settled, Map<Member, Grant> grants, long highestCounter) {}

    private final Members members;
    private final LongUnaryOperator random;
    private final boolean writeBack;

    /** The random numbers are from 0 to below the argument. */
    Settlement(Members members, LongUnaryOperator random, Safeguards safeguards) {
        this.members = members;
        this.random = random;
        this.writeBack = safeguards.writeBack();
    }

    /** Agrees on a token for the lease that these members hold, each as it has it. */
    CompletableFuture<Settled> of(Map<Member, Grant> grants) {
        long highest = 0;
        for (Grant grant : grants.values()) {
            highest = Math.max(highest, grant.token().value());
        }
        return attempt(grants, highest, 1);
    }

    private CompletableFuture<Settled> attempt(Map<Member, Grant> grants, long target, int round) {
        if (target > FencingToken.MAX_VALUE) {
            return unsettled("the namespace has used up its fencing tokens");
        }
        FencingToken token = new FencingToken(target);
        Set<Member> having = new LinkedHashSet<>();
        grants.forEach((member, grant) -> {
            if (!writeBack || grant.token().equals(token)) {
                having.add(member);
            }
        });
        if (having.size() >= members.majority()) {
            return CompletableFuture.completedFuture(new Settled(token, having));
        }
        Ballot<Raising, Outcome> ballot = new Ballot<>(
                members, votes -> decide(votes, grants, token), (decision, vote) -> {});
        return ballot.ask(grants.keySet(), members.patience(), (node, member) -> {
                    Grant grant = grantOf(grants, member);
                    return having.contains(member)
                            ? CompletableFuture.completedFuture(new Raising.Raised())
                            : node.raise(grant, token);
                })
                .thenCompose(outcome -> follow(outcome, token, round));
    }

    private @Nullable Outcome decide(
            Votes<Raising> votes, Map<Member, Grant> grants, FencingToken token) {
        Set<Member> raised = new LinkedHashSet<>();
        Map<Member, Grant> left = new LinkedHashMap<>();
        long highest = token.value();
        for (Vote<Raising> vote : votes.all()) {
            Grant grant = grantOf(grants, vote.member());
            if (vote.answer() instanceof Raising.Raised) {
                raised.add(vote.member());
                left.put(vote.member(), withToken(grant, token));
            } else if (vote.answer() instanceof Raising.Outrun outrun) {
                highest = Math.max(highest, outrun.counter());
                left.put(vote.member(), grant);
            }
        }
        if (raised.size() >= members.majority()) {
            return new Outcome(new Settled(token, raised), left, highest);
        }
        return votes.isComplete() ? new Outcome(null, left, highest) : null;
    }

    private CompletableFuture<Settled> follow(Outcome outcome, FencingToken token, int round) {
        if (outcome.settled != null) {
            return CompletableFuture.completedFuture(outcome.settled);
        }
        if (outcome.grants.size() < members.majority()) {
            return unsettled("fewer than a majority of the nodes still hold the lease");
        }
        if (round == MAX_ROUNDS) {
            return unsettled("the nodes' counters run away from each other");
        }
        // as far ahead as they came during the round, and a little more each time
        long lead = outcome.highestCounter - token.value() + 8L * round;
        long next = outcome.highestCounter + 1 + random.applyAsLong(lead);
        return attempt(outcome.grants, next, round + 1);
    }

    private static CompletableFuture<Settled> unsettled(String why) {
        return CompletableFuture.failedFuture(
                new StoreUnavailableException("no token could be agreed on: " + why));
    }

    private static Grant grantOf(Map<Member, Grant> grants, Member member) {
        return Objects.requireNonNull(grants.get(member));
    }

    static Grant withToken(Grant grant, FencingToken token) {
        Holding holding = grant.holding();
        return new Grant(
                new Holding(holding.claim(), holding.holder(), token), grant.id(), grant.ttl());
    }

    /** Until when, by the clock of this process, a majority has the lease at least. */
    static long majorityUntil(List<Long> ends, int majority) {
        List<Long> sorted = new ArrayList<>(ends);
        long origin = sorted.get(0);
        sorted.sort(Collections.reverseOrder((a, b) -> Long.compare(a - origin, b - origin)));
        return sorted.get(majority - 1);
    }
}
