// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.StoreUnavailableException;
import io.leasehold.quorum.QuorumListener.NodeState;
import io.leasehold.quorum.Votes.Vote;
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
 * <p>A node that has no admission is new or forgot; see {@link Admissions}. There is no thread for
 * it: operations look after it, at most once in a while.
 */
final class Members {

    /** The queue leaves a node that takes this many times as long as half of the others. */
    private static final int TOO_SLOW = 4;

    /** It does not return to one that still takes this many times as long. */
    private static final int STILL_TOO_SLOW = 2;

    /** A node that answers within the patience divided by this is never too slow. */
    static final int WORTH_MOVING = 200;

    /**
     * What the nodes said of themselves.
     *
     * @param known those that belong to the quorum
     * @param strangers those that are new, or have forgotten
     * @param size how many nodes there are
     */
    record Roll(List<Vote<NodeStanding>> known, List<Vote<NodeStanding>> strangers, int size) {

        /** Whether fewer than a majority remember. */
        boolean isAnew() {
            return known.size() < size / 2 + 1;
        }

        boolean isComplete() {
            return known.size() + strangers.size() == size;
        }
    }

    private final List<Member> members = new ArrayList<>();
    private final QuorumOptions options;
    private final Time time;
    private final Admissions admissions;
    private volatile int passedOver; // a bit for each node that is too slow to queue at
    private final AtomicReference<@Nullable CompletableFuture<Void>> roll = new AtomicReference<>();
    private volatile long calledAt;
    private volatile boolean closed;

    Members(List<QuorumNode> nodes, QuorumOptions options, Time time, Safeguards safeguards) {
        if (nodes.size() % 2 == 0 || nodes.size() > 31) {
            throw new IllegalArgumentException(
                    nodes.size() + " nodes; it must be an odd number up to 31");
        }
        for (QuorumNode node : nodes) {
            members.add(new Member(members.size(), node, options, time));
        }
        this.options = options;
        this.time = time;
        this.admissions = new Admissions(this, options, safeguards);
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

    /** The one at which everybody queues: the first that is alive and not much slower than others. */
    Optional<Member> queue() {
        Member first = null;
        for (Member member : members) {
            if (member.isLively()) {
                if (!isTooSlow(member)) {
                    return Optional.of(member);
                }
                first = first == null ? member : first;
            }
        }
        return Optional.ofNullable(first);
    }

    /** Whether half of those that are alive, or more, answer several times faster. */
    private boolean isTooSlow(Member member) {
        int bit = 1 << member.index;
        boolean before = (passedOver & bit) != 0;
        boolean now = false;
        if (member.latency() > patience().toNanos() / WORTH_MOVING) {
            long fast = member.latency() / (before ? STILL_TOO_SLOW : TOO_SLOW);
            int lively = 0;
            int faster = 0;
            for (Member other : members) {
                lively += other.isLively() ? 1 : 0;
                faster += other.isLively() && other.latency() < fast ? 1 : 0;
            }
            now = 2 * faster >= lively;
        }
        if (now != before) {
            passedOver = now ? passedOver | bit : passedOver & ~bit;
        }
        return now;
    }

    /** What is wrong with which nodes, for people. */
    List<String> troubles() {
        return members.stream()
                .filter(member -> !member.isLively())
                .map(member ->
                        "node " + member.index + " is " + member.state() + ": " + member.reason())
                .toList();
    }

    /** Which nodes take no part, for people anywhere: reasons may name addresses. */
    List<String> absences() {
        return members.stream()
                .filter(member -> !member.isLively())
                .map(member ->
                        "node " + member.index + " is " + member.state() + "; the log says why")
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
        CompletableFuture<Void> unused = standings()
                .thenCompose(admissions::follow)
                .whenComplete((done, failure) -> mine.complete(null));
        return mine;
    }

    /** Asks all nodes who they are. Those that belong to the quorum take part from then on. */
    CompletableFuture<Roll> standings() {
        Ballot<NodeStanding, Votes<NodeStanding>> ballot = new Ballot<>(
                this, votes -> votes.isComplete() ? votes : null, (decision, vote) -> {});
        return ballot.ask(members, patience(), (node, member) -> node.standing())
                .thenApply(this::read);
    }

    private Roll read(Votes<NodeStanding> votes) {
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
        return new Roll(known, strangers, members.size());
    }

    Membership membership(Member member) {
        return new Membership(options.name(), members.size(), member.index);
    }

    static void welcome(Member member, String reason) {
        if (!member.isJoined()) {
            member.become(NodeState.JOINED, reason);
        }
    }

    /** What a stage failed with, without what stages put around it. */
    static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null
                ? failure.getCause()
                : failure;
    }
}
