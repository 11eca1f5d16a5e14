// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.LeaseholdException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.quorum.Votes.Vote;
import io.leasehold.spi.QuorumNode;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Puts one question to several members at the same time and decides as soon as the answers allow.
 * All questions are sent before the first answer is looked at.
 */
final class Ballot<T, R> {

    /** What the answers so far amount to; null if more are needed, never once they are complete. */
    @FunctionalInterface
    interface Rule<T, R> {
        @Nullable
        R decide(Votes<T> votes);
    }

    /** What to do with an answer that came in time to be part of the decision, or after it. */
    @FunctionalInterface
    interface Aftermath<T, R> {
        void follow(R decision, Vote<T> vote);
    }

    private static final System.Logger LOG = System.getLogger(Ballot.class.getName());

    private final Time time;
    private final Rule<T, R> rule;
    private final Aftermath<T, R> aftermath;
    private final Mailbox mailbox = new Mailbox();
    private final Votes<T> votes; // here and below: only from the mailbox
    private final Set<Member> awaited = new LinkedHashSet<>();
    private @Nullable R decision;
    private Time.@Nullable Timer timer;
    private final CompletableFuture<R> result = new CompletableFuture<>();

    Ballot(Members members, Rule<T, R> rule, Aftermath<T, R> aftermath) {
        this.time = members.time();
        this.rule = rule;
        this.aftermath = aftermath;
        this.votes = new Votes<>(members.size());
    }

    /** Asks those who take part, each the question for it, and waits for at most so long. */
    CompletableFuture<R> ask(
            Collection<Member> asked,
            Duration patience,
            BiFunction<QuorumNode, Member, CompletionStage<T>> question) {
        mailbox.post(() -> {
            List<Member> all = List.copyOf(asked);
            awaited.addAll(all);
            for (Member member : all) {
                long sentAt = time.nanos();
                member.ask(node -> question.apply(node, member))
                        .whenComplete((answer, failure) ->
                                mailbox.post(() -> arrive(member, sentAt, answer, failure)));
            }
            // behind the answers that are there already
            mailbox.post(() -> begin(patience));
        });
        return result;
    }

    private void begin(Duration patience) {
        decideIfPossible();
        if (decision == null) {
            timer = time.schedule(patience, () -> mailbox.post(this::timeOut));
        }
    }

    private void arrive(
            Member member, long sentAt, @Nullable T answer, @Nullable Throwable failure) {
        boolean inTime = awaited.remove(member);
        if (answer == null) {
            if (inTime && failure instanceof LeaseholdException known) {
                votes.addFailure(known);
            }
        } else {
            Vote<T> vote = new Vote<>(member, answer, sentAt);
            if (decision != null) {
                follow(decision, vote);
                return;
            }
            votes.add(vote);
        }
        if (timer != null || awaited.isEmpty()) {
            decideIfPossible();
        }
    }

    private void timeOut() {
        if (decision == null) {
            for (Member member : awaited) {
                member.missed();
                votes.addFailure(new OutcomeUnknownException(
                        "node " + member.index + " did not answer in time"));
            }
            awaited.clear();
            decideIfPossible();
        }
    }

    private void decideIfPossible() {
        if (decision != null) {
            return;
        }
        if (awaited.isEmpty()) {
            votes.close();
        }
        try {
            decision = rule.decide(votes);
        } catch (LeaseholdException e) {
            stopTimer();
            result.completeExceptionally(e);
            return;
        } catch (RuntimeException | Error e) { // nobody else completes the result
            stopTimer();
            result.completeExceptionally(
                    new OutcomeUnknownException("the answers of the nodes can't be judged", e));
            return;
        }
        if (decision != null) {
            stopTimer();
            R decided = decision;
            votes.all().forEach(vote -> follow(decided, vote));
            result.complete(decided);
        }
    }

    /** What fails here keeps nobody from the decision. */
    private void follow(R decided, Vote<T> vote) {
        try {
            aftermath.follow(decided, vote);
        } catch (RuntimeException | Error e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "node " + vote.member().index + " could not be told of a decision",
                    e);
        }
    }

    private void stopTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
