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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The write-back: makes one token of what the members drew for a lease. It is the highest of them,
 * and counts when a majority has it.
 *
 * <p>This is what orders tokens although the members know nothing of each other. Whoever is asked
 * for a later grant shares a member with this majority, and draws above it there. And it is nobody
 * else's, because no two members draw the same number.
 */
final class Settlement {

    /**
     * What was agreed on.
     *
     * @param token the lease's, from now on
     * @param members those who have taken it
     */
    record Settled(FencingToken token, Set<Member> members) {}

    private final Members members;
    private final boolean writeBack;

    Settlement(Members members, Safeguards safeguards) {
        this.members = members;
        this.writeBack = safeguards.writeBack();
    }

    /** Agrees on a token for the lease that these members hold, each as it has it. */
    CompletableFuture<Settled> of(Map<Member, Grant> grants) {
        long highest = 0;
        for (Grant grant : grants.values()) {
            highest = Math.max(highest, grant.token().value());
        }
        FencingToken token = new FencingToken(highest);
        Set<Member> having = new LinkedHashSet<>();
        grants.forEach((member, grant) -> {
            if (!writeBack || grant.token().equals(token)) {
                having.add(member);
            }
        });
        if (having.size() >= members.majority()) {
            return CompletableFuture.completedFuture(new Settled(token, having));
        }
        Ballot<Raising, Settled> ballot =
                new Ballot<>(members, votes -> decide(votes, token), (decision, vote) -> {});
        return ballot.ask(
                grants.keySet(),
                members.patience(),
                (node, member) -> having.contains(member)
                        ? CompletableFuture.completedFuture(new Raising.Raised())
                        : node.raise(grantOf(grants, member), token));
    }

    private @Nullable Settled decide(Votes<Raising> votes, FencingToken token) {
        Set<Member> raised = new LinkedHashSet<>();
        for (Vote<Raising> vote : votes.all()) {
            if (vote.answer() instanceof Raising.Raised) {
                raised.add(vote.member());
            }
        }
        if (raised.size() >= members.majority()) {
            return new Settled(token, raised);
        } else if (votes.isComplete()) {
            throw new StoreUnavailableException("no token could be agreed on: fewer than a majority"
                    + " of the nodes still hold the lease");
        }
        return null;
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
