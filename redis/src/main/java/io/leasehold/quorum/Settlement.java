// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Holding;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.quorum.Votes.Vote;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Raising;
import io.leasehold.spi.Round;
import io.leasehold.spi.TokenState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Makes one token of what the members drew for a lease: proposes it to them, and counts on it when a
 * majority has taken it in this round. From then on it is final, and every later round proposes the
 * same. {@code docs/decisions/0010-quorum.md} has the proof.
 *
 * <p>This is also what orders tokens although the members know nothing of each other. Whoever is
 * asked for a later grant shares a member with this majority, and draws above it there. And it is
 * nobody else's, because no two members draw the same number.
 */
final class Settlement {

    /**
     * What was agreed on.
     *
     * @param token the lease's, from now on
     * @param members those who have taken it
     */
    record Settled(FencingToken token, Set<Member> members) {}

    /** The lease as a member has it, and what that knows of its token. */
    record Drawn(Grant grant, TokenState state) {

        private boolean hasTaken(long token) {
            return state.isMarked() && grant.token().value() == token;
        }
    }

    private final Members members;
    private final boolean writeBack;

    Settlement(Members members, Safeguards safeguards) {
        this.members = members;
        this.writeBack = safeguards.writeBack();
    }

    /** Agrees on a token for the lease that these members hold, in the round they were asked in. */
    CompletableFuture<Settled> of(Map<Member, Drawn> answers, Round round) {
        Map<Member, Drawn> drawn = ofOneRotation(answers);
        if (drawn.size() < members.majority()) {
            return CompletableFuture.failedFuture(none("a rotation of the lease is under way"));
        }
        FencingToken token = new FencingToken(proposal(drawn.values()));
        if (!writeBack) {
            return CompletableFuture.completedFuture(new Settled(token, drawn.keySet()));
        }
        Ballot<Raising, Settled> ballot =
                new Ballot<>(members, votes -> decide(votes, token), (decision, vote) -> {});
        return ballot.ask(
                drawn.keySet(),
                members.patience(),
                (node, member) -> node.raise(grantOf(drawn, member), token, round));
    }

    /** Whether a majority of them could take the token that would be proposed to them. */
    boolean isLikely(Map<Member, Drawn> answers) {
        Map<Member, Drawn> drawn = ofOneRotation(answers);
        if (drawn.isEmpty()) {
            return false;
        }
        long token = proposal(drawn.values());
        long able = drawn.values().stream()
                .filter(each -> each.state().draw() <= token || each.hasTaken(token))
                .count();
        return able >= members.majority();
    }

    /** How many of them were asked in no later round, so that they may take a token in this. */
    static int inTime(Collection<Drawn> answers, Round round) {
        int count = 0;
        for (Drawn drawn : answers) {
            count += drawn.state().asked().isAfter(round) ? 0 : 1;
        }
        return count;
    }

    /** Those that are at the same rotation as a majority; what others have is another token. */
    private Map<Member, Drawn> ofOneRotation(Map<Member, Drawn> answers) {
        Map<Long, Map<Member, Drawn>> rotations = new LinkedHashMap<>();
        answers.forEach((member, drawn) -> rotations
                .computeIfAbsent(drawn.state().rotatedFrom(), none -> new LinkedHashMap<>())
                .put(member, drawn));
        for (Map<Member, Drawn> rotation : rotations.values()) {
            if (rotation.size() >= members.majority()) {
                return rotation;
            }
        }
        return Map.of();
    }

    /** What was taken in the last round, unless it can't be final; else the highest draw. */
    private long proposal(Collection<Drawn> answers) {
        Round last = Round.NONE;
        long taken = 0;
        long highest = 0;
        for (Drawn drawn : answers) {
            highest = Math.max(highest, drawn.state().draw());
            if (drawn.state().mark().isAfter(last)) {
                last = drawn.state().mark();
                taken = drawn.grant().token().value();
            }
        }
        return last.isNone() || isDead(taken, answers) ? highest : taken;
    }

    /** Whether so many did not take the token, and never will, that the rest is no majority. */
    private boolean isDead(long token, Collection<Drawn> answers) {
        int without = 0;
        for (Drawn drawn : answers) {
            if (drawn.state().draw() > token && !drawn.hasTaken(token)) {
                without++;
            }
        }
        return members.size() - without < members.majority();
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
            throw none("fewer than a majority of the nodes took the one proposed");
        }
        return null;
    }

    /** A majority may have taken it although fewer said so. */
    private static OutcomeUnknownException none(String why) {
        return new OutcomeUnknownException("no token could be agreed on: " + why);
    }

    private static Grant grantOf(Map<Member, Drawn> drawn, Member member) {
        return Objects.requireNonNull(drawn.get(member)).grant();
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
