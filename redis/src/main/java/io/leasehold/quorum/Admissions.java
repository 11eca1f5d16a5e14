// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.FencingToken;
import io.leasehold.quorum.Members.Roll;
import io.leasehold.quorum.QuorumListener.NodeState;
import io.leasehold.quorum.Votes.Vote;
import io.leasehold.spi.NodeAdmission;
import io.leasehold.spi.NodeStanding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Admits nodes that are new or forgot, in two steps.
 *
 * <p>First a node must be of age: it has been up for so long that no vote it forgot can still be
 * used. Only when it has said so is it given all records of a majority that remembers, and are all
 * nodes asked again; it is admitted with the highest counter of a majority. Counters and records
 * that were read before may lack what was agreed on with a vote of the node that forgot.
 */
final class Admissions {

    private static final int MICROS_PER_MILLI = 1000;
    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    private final Members members;
    private final QuorumOptions options;
    private final Safeguards safeguards;
    private final RecordCopies copies;
    private final AtomicReference<@Nullable CompletableFuture<Void>> underWay =
            new AtomicReference<>();

    Admissions(Members members, QuorumOptions options, Safeguards safeguards) {
        this.members = members;
        this.options = options;
        this.safeguards = safeguards;
        this.copies = new RecordCopies(members);
    }

    /**
     * Begins to admit whoever is of age. Only where fewer than a majority remember is it worth
     * waiting for.
     */
    CompletionStage<Void> follow(Roll roll) {
        List<Vote<NodeStanding>> ofAge = ofAge(roll);
        if (ofAge.isEmpty()) {
            return DONE;
        }
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> other = underWay.compareAndExchange(null, mine);
        if (other == null) {
            CompletableFuture<Void> unused = bringUpToDate(ofAge, roll)
                    .thenCompose(sources -> members.standings()
                            .thenCompose(again -> admit(upToDate(sources, roll, again), again)))
                    .whenComplete((done, failure) -> {
                        underWay.set(null);
                        mine.complete(null);
                    });
        }
        return roll.isAnew() ? (other == null ? mine : other) : DONE;
    }

    // ---- first step

    private List<Vote<NodeStanding>> ofAge(Roll roll) {
        if (roll.strangers().isEmpty()) {
            return List.of();
        }
        if (roll.isAnew() && !roll.isComplete()) {
            keepOut(
                    roll.strangers(),
                    "it has forgotten, or is new; all nodes must answer, because fewer than a"
                            + " majority remember");
            return List.of();
        }
        Duration quarantine = (roll.isAnew() && options.isNew()) || !safeguards.quarantine()
                ? Duration.ZERO
                : quarantine();
        List<Vote<NodeStanding>> ofAge = new ArrayList<>();
        for (Vote<NodeStanding> vote : roll.strangers()) {
            Duration left = quarantine.minus(vote.answer().age());
            if (left.isNegative() || left.isZero()) {
                ofAge.add(vote);
            } else {
                keepOut(
                        List.of(vote),
                        "it has forgotten, or is new; leases that it may have known can live for"
                                + " another " + left);
            }
        }
        if (roll.isAnew() && ofAge.size() < roll.strangers().size()) {
            keepOut(ofAge, "it has forgotten, or is new, as others have that are younger");
            return List.of();
        }
        return ofAge;
    }

    /**
     * The longest that a lease can live, on the slowest clock that is allowed; and no less than the
     * patience, so that no answer of a node before it forgot is still waited for.
     */
    private Duration quarantine() {
        Duration patience = members.patience();
        Duration longest =
                options.longestTtl().compareTo(patience) > 0 ? options.longestTtl() : patience;
        return longest.plus(longest.dividedBy(50)).plusMillis(5);
    }

    // ---- second step

    /** Gives them the records of a majority; completes with who gave them, for each of them. */
    private CompletableFuture<Map<Vote<NodeStanding>, Set<Member>>> bringUpToDate(
            List<Vote<NodeStanding>> ofAge, Roll roll) {
        List<Member> sources = roll.known().stream().map(Vote::member).toList();
        Map<Vote<NodeStanding>, Set<Member>> given = new ConcurrentHashMap<>();
        return CompletableFuture.allOf(ofAge.stream()
                        .map(vote -> copies.copyAll(sources, vote.member())
                                .handle((copied, failure) -> failure == null
                                        ? given.put(vote, copied)
                                        : keepOut(vote, failure)))
                        .toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> given);
    }

    /**
     * Those that have the records of a majority. A source that forgot meanwhile gave nothing that
     * counts. Where fewer than a majority remember, nobody can do more.
     */
    private List<Vote<NodeStanding>> upToDate(
            Map<Vote<NodeStanding>, Set<Member>> given, Roll before, Roll now) {
        List<Member> steady = now.known().stream()
                .filter(vote -> before.known().stream().anyMatch(other -> isSame(vote, other)))
                .map(Vote::member)
                .toList();
        List<Vote<NodeStanding>> upToDate = new ArrayList<>();
        given.forEach((vote, sources) -> {
            if (now.isAnew()
                    || sources.stream().filter(steady::contains).count() >= members.majority()) {
                upToDate.add(vote);
            } else if (!vote.member().isJoined()) {
                keepOut(
                        List.of(vote),
                        "it has forgotten, or is new; the records of a majority could not be"
                                + " copied to it");
            }
        });
        return upToDate;
    }

    /** Admits those that were of age and are up to date, by what the nodes have said since. */
    private CompletableFuture<Void> admit(List<Vote<NodeStanding>> ofAge, Roll again) {
        List<Vote<NodeStanding>> admitted = new ArrayList<>();
        for (Vote<NodeStanding> stranger : again.strangers()) {
            if (ofAge.stream().anyMatch(vote -> isSame(vote, stranger))) {
                admitted.add(stranger);
            }
        }
        if (again.isAnew()) {
            if (!again.isComplete() || admitted.size() < again.strangers().size()) {
                return DONE; // the next roll says why
            }
            admitted.addAll(again.known());
        }
        long floor = floor(again);
        return CompletableFuture.allOf(admitted.stream()
                .map(vote -> admit(vote, floor))
                .toArray(CompletableFuture<?>[]::new));
    }

    private static boolean isSame(Vote<NodeStanding> one, Vote<NodeStanding> other) {
        return one.member() == other.member()
                && one.answer().generation() == other.answer().generation();
    }

    /**
     * Above every token that was ever agreed on. Those who remember tell, if they are a majority;
     * otherwise only a clock can, since tokens begin at its microseconds and are drawn slower than
     * one in each.
     */
    private long floor(Roll roll) {
        long floor = roll.isAnew() ? members.time().wallMillis() * MICROS_PER_MILLI : 0;
        for (Vote<NodeStanding> vote : roll.known()) {
            floor = Math.max(floor, vote.answer().counter());
        }
        for (Vote<NodeStanding> vote : roll.strangers()) {
            floor = Math.max(floor, vote.answer().counter());
        }
        return Math.min(floor, FencingToken.MAX_VALUE);
    }

    private CompletableFuture<Boolean> admit(Vote<NodeStanding> vote, long floor) {
        NodeAdmission admission = new NodeAdmission(
                members.membership(vote.member()), vote.answer().generation(), floor);
        Ballot<NodeStanding, Boolean> ballot = new Ballot<>(
                members, votes -> votes.isComplete() ? Boolean.TRUE : null, (decision, answer) -> {
                    if (answer.answer().isOf(members.membership(answer.member()))) {
                        Members.welcome(answer.member(), "it was admitted");
                    }
                });
        return ballot.ask(
                List.of(vote.member()),
                members.patience(),
                (node, member) -> node.admit(admission));
    }

    private static void keepOut(List<Vote<NodeStanding>> votes, String why) {
        votes.forEach(vote -> vote.member().become(NodeState.KEPT_OUT, why));
    }

    private static @Nullable Set<Member> keepOut(Vote<NodeStanding> vote, Throwable failure) {
        keepOut(
                List.of(vote),
                "it has forgotten, or is new; records could not be copied to it: "
                        + Members.cause(failure).getMessage());
        return null;
    }
}
