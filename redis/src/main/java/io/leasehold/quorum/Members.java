// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.FencingToken;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.quorum.QuorumListener.NodeState;
import io.leasehold.quorum.Votes.Vote;
import io.leasehold.spi.NodeAdmission;
import io.leasehold.spi.NodeStanding;
import io.leasehold.spi.NodeStanding.Membership;
import io.leasehold.spi.QuorumNode;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of the quorum: who takes part, who is kept out, who comes in.
 *
 * <p>A node that has no admission is new or forgot. It is admitted when no lease it may have known
 * can live any more, which its own age tells, and with the highest counter of a majority that did
 * not forget. There is no thread for it: operations look after it, at most once in a while.
 */
final class Members {

    private static final int MICROS_PER_MILLI = 1000;

    private final List<Member> members = new ArrayList<>();
    private final QuorumOptions options;
    private final Time time;
    private final Safeguards safeguards;
    private final AtomicReference<@Nullable CompletableFuture<Void>> roll = new AtomicReference<>();
    private volatile long calledAt;
    private volatile boolean closed;

    Members(List<QuorumNode> nodes, QuorumOptions options, Time time, Safeguards safeguards) {
        if (nodes.size() % 2 == 0 || nodes.size() > 31) {
            throw new IllegalArgumentException(
                    nodes.size() + " nodes; it must be an odd number up to 31");
        }
        for (QuorumNode node : nodes) {
            members.add(new Member(members.size(), node, options.listener()));
        }
        this.options = options;
        this.time = time;
        this.safeguards = safeguards;
    }

    Time time() {
        return time;
    }

    int size() {
        return members.size();
    }

    int majority() {
        return members.size() / 2 + 1;
    }

    Duration patience() {
        return options.patience();
    }

    List<Member> all() {
        return List.copyOf(members);
    }

    /** Those who take part. */
    List<Member> joined() {
        return members.stream().filter(Member::isJoined).toList();
    }

    /**
     * The same, the one at which everybody queues last: whoever is let through there finds the
     * others free.
     */
    List<Member> joinedQueueLast() {
        List<Member> reversed = new ArrayList<>(joined());
        Collections.reverse(reversed);
        return reversed;
    }

    /** The one at which everybody queues: the first that is alive. */
    Optional<Member> queue() {
        return members.stream().filter(Member::isLively).findFirst();
    }

    /** What is wrong with which nodes, for people. */
    List<String> troubles() {
        return members.stream()
                .filter(member -> !member.isLively())
                .map(member ->
                        "node " + member.index + " is " + member.state() + ": " + member.reason())
                .toList();
    }

    /** Turns later operations away. */
    void retire() {
        closed = true;
    }

    void close() {
        members.forEach(member -> member.node().close());
    }

    /** Done when there is a majority to ask; fails when there is none. */
    CompletionStage<Void> ready() {
        if (closed) {
            return CompletableFuture.failedFuture(
                    new StoreUnavailableException("the quorum store is closed"));
        }
        int joined = joined().size();
        if (joined == members.size()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletionStage<Void> called = callTheRoll();
        return joined >= majority()
                ? CompletableFuture.completedFuture(null)
                : called.thenCompose(done -> joined().size() >= majority()
                        ? CompletableFuture.<Void>completedFuture(null)
                        : CompletableFuture.<Void>failedFuture(noMajority()));
    }

    private StoreUnavailableException noMajority() {
        return new StoreUnavailableException("the quorum '" + options.name() + "' has no majority: "
                + troubles().stream().collect(Collectors.joining("; ")));
    }

    // ---- the roll

    /** Asks all nodes who they are and admits whom it can, unless that was done just now. */
    CompletionStage<Void> callTheRoll() {
        CompletableFuture<Void> running = roll.get();
        long now = time.nanos();
        if (running != null && (!running.isDone() || now - calledAt < patience().toNanos() / 4)) {
            return running;
        }
        CompletableFuture<Void> mine = new CompletableFuture<>();
        if (!roll.compareAndSet(running, mine)) {
            return callTheRoll();
        }
        calledAt = now;
        Ballot<NodeStanding, Votes<NodeStanding>> ballot = new Ballot<>(
                this, votes -> votes.isComplete() ? votes : null, (decision, vote) -> {});
        ballot.ask(members, patience(), (node, member) -> node.standing())
                .thenCompose(this::admit)
                .whenComplete((done, failure) -> mine.complete(null));
        return mine;
    }

    private CompletionStage<Void> admit(Votes<NodeStanding> votes) {
        List<Vote<NodeStanding>> strangers = new ArrayList<>();
        List<Vote<NodeStanding>> known = new ArrayList<>();
        for (Vote<NodeStanding> vote : votes.all()) {
            if (vote.answer().isOf(membership(vote.member()))) {
                known.add(vote);
                welcome(vote.member(), "it belongs to the quorum");
            } else if (vote.answer().membership().isPresent()) {
                vote.member()
                        .become(
                                NodeState.FOREIGN,
                                "it belongs to " + vote.answer().membership().get() + " and not to "
                                        + membership(vote.member()));
            } else {
                strangers.add(vote);
            }
        }
        List<CompletableFuture<?>> admissions = new ArrayList<>();
        if (!strangers.isEmpty()) {
            boolean anew = known.size() < majority();
            if (anew && strangers.size() + known.size() < members.size()) {
                keepOut(
                        strangers,
                        "it has forgotten, or is new; all nodes must answer, because"
                                + " fewer than a majority remember");
            } else {
                admissions.addAll(admit(strangers, known, anew));
            }
        }
        return CompletableFuture.allOf(admissions.toArray(CompletableFuture<?>[]::new));
    }

    private List<CompletableFuture<?>> admit(
            List<Vote<NodeStanding>> strangers, List<Vote<NodeStanding>> known, boolean anew) {
        Duration quarantine = (anew && options.isNew()) || !safeguards.quarantine()
                ? Duration.ZERO
                : quarantine();
        List<Vote<NodeStanding>> young = strangers.stream()
                .filter(vote -> vote.answer().age().compareTo(quarantine) < 0)
                .toList();
        for (Vote<NodeStanding> vote : young) {
            keepOut(
                    List.of(vote),
                    "it has forgotten, or is new; leases that it may have known"
                            + " can live for another "
                            + quarantine.minus(vote.answer().age()));
        }
        List<Vote<NodeStanding>> admitted = new ArrayList<>(strangers);
        admitted.removeAll(young);
        if (anew) {
            if (!young.isEmpty()) {
                keepOut(admitted, "it has forgotten, or is new, as others have that are younger");
                return List.of();
            }
            admitted.addAll(known);
        }
        long floor = floor(known, strangers, anew);
        List<CompletableFuture<?>> admissions = new ArrayList<>();
        for (Vote<NodeStanding> vote : admitted) {
            admissions.add(admit(vote, floor));
        }
        return admissions;
    }

    /**
     * Above every token that was ever agreed on. Those who remember tell, if they are a majority;
     * otherwise only a clock can, since tokens begin at its microseconds and are drawn slower than
     * one in each.
     */
    private long floor(
            List<Vote<NodeStanding>> known, List<Vote<NodeStanding>> strangers, boolean anew) {
        long floor = anew ? time.wallMillis() * MICROS_PER_MILLI : 0;
        for (Vote<NodeStanding> vote : known) {
            floor = Math.max(floor, vote.answer().counter());
        }
        for (Vote<NodeStanding> vote : strangers) {
            floor = Math.max(floor, vote.answer().counter());
        }
        return Math.min(floor, FencingToken.MAX_VALUE);
    }

    private CompletableFuture<?> admit(Vote<NodeStanding> vote, long floor) {
        NodeAdmission admission =
                new NodeAdmission(membership(vote.member()), vote.answer().generation(), floor);
        Ballot<NodeStanding, Boolean> ballot = new Ballot<>(
                this, votes -> votes.isComplete() ? Boolean.TRUE : null, (decision, answer) -> {
                    if (answer.answer().isOf(membership(answer.member()))) {
                        welcome(answer.member(), "it was admitted");
                    }
                });
        return ballot.ask(
                List.of(vote.member()), patience(), (node, member) -> node.admit(admission));
    }

    private Membership membership(Member member) {
        return new Membership(options.name(), members.size(), member.index);
    }

    private static void welcome(Member member, String reason) {
        if (!member.isJoined()) {
            member.become(NodeState.JOINED, reason);
        }
    }

    private static void keepOut(List<Vote<NodeStanding>> votes, String why) {
        votes.forEach(vote -> vote.member().become(NodeState.KEPT_OUT, why));
    }

    /** What a stage failed with, without what stages put around it. */
    static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null
                ? failure.getCause()
                : failure;
    }

    /**
     * The longest that a lease can live, on the slowest clock that is allowed; and no less than a
     * roll takes, so that whoever is of age forgot before the others were asked for their counters.
     */
    Duration quarantine() {
        Duration longest =
                options.longestTtl().compareTo(patience()) > 0 ? options.longestTtl() : patience();
        return longest.plus(longest.dividedBy(50)).plusMillis(5);
    }
}
