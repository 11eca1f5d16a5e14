// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.Claim;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.quorum.Settlement.Drawn;
import io.leasehold.quorum.Settlement.Settled;
import io.leasehold.quorum.Votes.Vote;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Acquisition.Completed;
import io.leasehold.spi.Acquisition.Gone;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Acquisition.Held;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Polled;
import io.leasehold.spi.Round;
import io.leasehold.spi.Time;
import io.leasehold.spi.TokenState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way to a majority, with every attempt of its caller that still expects an
 * answer.
 *
 * <p>First all members are asked at once, without waiting there. If the one at which everybody
 * queues is not free, all is given back and the request waits there, and there alone; when its turn
 * has come, the others are asked, with a short wait for whoever is about to leave. In the end the
 * members that granted agree on the token. Whatever else happens, all is given back, and after a
 * random pause it begins again, as long as the caller waits.
 *
 * <p>To the members it is one attempt, whose number is part of each round. A member gives back only
 * what this attempt alone has asked for: so a repeat that fails takes nothing from whoever got the
 * lease before.
 *
 * <p>All of it runs in a mailbox; no lock is needed. Answers carry the number of the turn that
 * asked, so that late ones are known.
 */
final class Pursuit {

    private static final Duration LONGEST_PAUSE = Duration.ofMillis(200);
    private static final int MAX_OVERTAKEN = 8;
    private static final int MAX_CONTRADICTED = 5;

    private enum Stage {
        /** All were asked. */
        TRYING,
        /** In the queue of one. */
        WAITING,
        /** At the head of the queue; the others were asked. */
        GATHERING,
        /** A majority granted and its token is being agreed on, or gets the record that was found. */
        SETTLING,
        /** Nothing is held; it begins again in a moment. */
        PAUSING,
        OVER
    }

    /** One request to a member: its turn and round, its number, the member and the send time. */
    private record Question(long turn, Round round, int number, Member member, long sentAt) {}

    final Claim claim;
    private final Context context;
    private final Members members;
    private final Time time;
    private final Mailbox mailbox = new Mailbox();

    // from here on: only from the mailbox
    private LeaseRequest request;
    private final Callers callers;
    private final Set<Member> touched = new LinkedHashSet<>();
    private final Set<Member> awaited = new LinkedHashSet<>();
    private final Map<Member, TokenState> states = new HashMap<>();
    private final long attempt;
    private Votes<Acquisition> votes;
    private Stage stage = Stage.PAUSING;
    private Round round = Round.NONE;
    private long turn;
    private int overtaken;
    private int contradicted;
    private final Set<Member> proposedTo = new HashSet<>();
    private boolean foreign; // another attempt has proposed a token, and may have returned it
    private int pauses;
    private int sent;
    private boolean started;
    private @Nullable Member queue;
    private @Nullable Settled settled;
    private Time.@Nullable Timer timer;
    private @Nullable Vigil vigil;

    Pursuit(Context context, LeaseRequest request) {
        this.claim = request.claim();
        this.context = context;
        this.members = context.members();
        this.time = members.time();
        this.request = request;
        this.attempt = context.newAttempt();
        this.votes = new Votes<>(members.size());
        this.callers = new Callers(time.nanos());
    }

    /** Adds an attempt: the first begins it, a repeat keeps the place and may lengthen the wait. */
    CompletableFuture<Acquisition> join(LeaseRequest repeat) {
        Callers.Attempt attempt = new Callers.Attempt(time.nanos(), new CompletableFuture<>());
        mailbox.post(() -> {
            if (stage == Stage.OVER) {
                context.again(repeat, attempt.reply());
                return;
            }
            if (!repeat.isRepeatOf(request)) {
                attempt.reply().complete(new Gone(RefusalReason.SCOPE_MISMATCH));
                return;
            }
            Duration wait = repeat.terms().waitAtMost();
            callers.join(attempt, wait);
            if (!started) {
                started = true;
                tryAll();
                return;
            }
            boolean news = noteSender(repeat);
            if (stage == Stage.WAITING && queue != null) {
                waitAt(queue, wait);
            } else if (news && stage != Stage.PAUSING) {
                tryAll(); // members have it from one sender alone
            }
        });
        return attempt.reply();
    }

    /** Asks as nobody's once there are two senders; returns whether that is new. */
    private boolean noteSender(LeaseRequest repeat) {
        boolean news = request.sender() != 0 && request.sender() != repeat.sender();
        request = news ? request.sentBy(0) : request;
        return news;
    }

    /** Ends it without a lease, as its caller wants. What members hold is withdrawn elsewhere. */
    void withdraw() {
        mailbox.post(() -> {
            if (end()) {
                callers.answer(new Gone(RefusalReason.NOT_FOUND));
            }
        });
    }

    /** Ends it as {@link #withdraw} does, but not if it has another sender; false then. */
    CompletableFuture<Boolean> withdrawUnlessShared(long sender) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        mailbox.post(() -> {
            boolean shared = stage != Stage.OVER && (sender == 0 || request.sender() != sender);
            if (!shared && end()) {
                callers.answer(new Gone(RefusalReason.NOT_FOUND));
            }
            result.complete(!shared);
        });
        return result;
    }

    void close() {
        mailbox.post(() -> {
            if (end()) {
                callers.fail(new StoreUnavailableException("the quorum store is closed"));
            }
        });
    }

    // ---- asking

    private void tryAll() {
        queue = members.queue().orElse(null);
        begin(Stage.TRYING);
        ask(members.joined(), Duration.ZERO);
    }

    private void queueAt(Member member) {
        begin(Stage.WAITING);
        queue = member;
        waitAt(member, left());
        vigil = new Vigil(
                context,
                mailbox,
                member,
                callers,
                () -> waitAt(member, left()),
                () -> tryAgain(null));
        vigil.begin();
    }

    private void waitAt(Member member, Duration wait) {
        awaited.add(member);
        send(member, wait);
    }

    /** Asks the others in the same round; what the head of the queue said stands. */
    private void gather(Vote<Acquisition> head) {
        next(Stage.GATHERING);
        states.keySet().retainAll(Set.of(head.member()));
        votes.add(head);
        Duration wait = shorter(left(), members.patience());
        List<Member> others = new ArrayList<>(members.joined());
        others.remove(head.member());
        ask(others, wait);
    }

    private void begin(Stage next) {
        next(next);
        round = context.nextRound(attempt);
        states.clear();
    }

    private void next(Stage next) {
        stopTimer();
        stage = next;
        turn++;
        votes = new Votes<>(members.size());
        awaited.clear();
    }

    private void ask(Collection<Member> asked, Duration wait) {
        awaited.addAll(asked);
        asked.forEach(member -> send(member, wait));
        long current = turn;
        Duration patience = wait.plus(members.patience());
        mailbox.post(() -> {
            if (turn == current && isAsking()) {
                judge();
            }
            if (turn == current && isAsking()) {
                timer = time.schedule(patience, () -> mailbox.post(() -> timeOut(current)));
            }
        });
    }

    private void send(Member member, Duration wait) {
        Question question = new Question(turn, round, ++sent, member, time.nanos());
        touched.add(member);
        LeaseRequest asked = request.waitingAtMost(wait);
        CompletableFuture<Polled<Acquisition>> unused = member.ask(
                        wait, node -> node.acquire(asked, question.round))
                .whenComplete(
                        (answer, failure) -> mailbox.post(() -> arrive(question, answer, failure)));
    }

    private boolean isAsking() {
        return stage == Stage.TRYING || stage == Stage.GATHERING;
    }

    // ---- answers

    private void arrive(
            Question question, @Nullable Polled<Acquisition> polled, @Nullable Throwable failure) {
        Member member = question.member;
        Acquisition answer = polled == null ? null : polled.answer();
        if (stage == Stage.OVER || question.turn != turn) {
            if (answer instanceof Granted granted) {
                late(question, granted.grant());
            }
            return;
        }
        if (answer == null && stage == Stage.WAITING && question.number != sent) {
            return; // there is a repeat of it
        }
        if (!awaited.remove(member)) {
            return; // a repeat was answered first, with the same
        }
        if (polled == null || answer == null) {
            failed(member, failure);
            return;
        }
        context.saw(polled.state().asked());
        states.put(member, polled.state());
        foreign |= polled.state().isMarked() && polled.state().mark().attempt() != attempt;
        Vote<Acquisition> vote = new Vote<>(member, answer, question.sentAt);
        votes.add(vote);
        if (stage == Stage.WAITING) {
            turn(vote);
        } else if (isAsking() && (timer != null || awaited.isEmpty())) {
            judge();
        }
    }

    private void failed(Member member, @Nullable Throwable failure) {
        if (failure instanceof LeaseholdException known) {
            votes.addFailure(known);
        }
        if (isAsking() && (timer != null || awaited.isEmpty())) {
            judge();
        } else if (stage == Stage.WAITING && failure instanceof LimitExceededException full) {
            fail(full);
        } else if (stage == Stage.WAITING) {
            member.missed();
            tryAgain(null);
        }
    }

    /** The queue has answered. */
    private void turn(Vote<Acquisition> vote) {
        if (vote.answer() instanceof Held held) {
            refuse(held);
        } else if (vote.answer() instanceof Gone) {
            tryAll();
        } else {
            gather(vote);
        }
    }

    /** A grant that nobody counts on any more, or that came after the decision. */
    private void late(Question question, Grant grant) {
        if (stage == Stage.OVER && settled != null) {
            context.align(question.member, request, grant, settled.token());
        } else if (stage == Stage.OVER || stage == Stage.WAITING || stage == Stage.PAUSING) {
            // of its own round only: a later one may have asked there again
            giveBack(question.member, question.round);
        }
    }

    private void timeOut(long asked) {
        if (asked == turn && isAsking()) {
            for (Member member : awaited) {
                member.missed();
                votes.addFailure(new OutcomeUnknownException(
                        "node " + member.index + " did not answer in time"));
            }
            awaited.clear();
            judge();
        }
    }

    // ---- decisions

    private void judge() {
        boolean complete = awaited.isEmpty();
        if (votes.isMajority(Completed.class)) {
            finishWith(Verdicts.newest(votes.of(Completed.class)));
        } else if (votes.isMajority(Gone.class)) {
            finish(votes.of(Gone.class).get(0));
        } else if (votes.isMajority(Granted.class) && (queueAgrees() || isRepeat())) {
            if (complete || context.settlement().isLikely(Verdicts.grants(votes, states))) {
                settle();
            }
        } else if (stage == Stage.TRYING && queueAnswer() instanceof Held held) {
            if (complete || isEnough(held)) {
                queueUp(held);
            }
        } else if (complete) {
            judgeAll();
        }
    }

    /** Whether the member at which everybody queues has nobody in front, or can't be asked. */
    private boolean queueAgrees() {
        return queue == null || !(awaited.contains(queue) || queueAnswer() instanceof Held);
    }

    /** Whether a majority has the lease under a token that was proposed before. */
    private boolean isRepeat() {
        long marked = states.values().stream().filter(TokenState::isMarked).count();
        return marked >= members.majority();
    }

    private @Nullable Acquisition queueAnswer() {
        Vote<Acquisition> vote = queue == null ? null : votes.of(queue.index);
        return vote == null ? null : vote.answer();
    }

    /** To queue up, a majority is to have answered; to be refused, it is to agree by whom. */
    private boolean isEnough(Held held) {
        return isTimeUp()
                ? Verdicts.isTokenAgreed(held, votes)
                : votes.all().size() >= members.majority();
    }

    private void queueUp(Held held) {
        if (isTimeUp() && isContradicted(held) && contradicted++ < MAX_CONTRADICTED) {
            giveBack();
            beginAgainAfter(pause());
        } else if (isTimeUp()) {
            refuse(held);
        } else if (queue != null) {
            Member head = queue;
            giveBack();
            queueAt(head);
        }
    }

    /**
     * Whether a majority knows nothing of a lease that the queue's node says excludes this one: its
     * release, which a majority has confirmed, may still be on its way there. A lease that does not
     * exclude it is named for those who wait in the queue, and only there.
     */
    private boolean isContradicted(Held held) {
        return votes.isMajority(Granted.class) && held.blocker().claim().conflictsWith(claim);
    }

    /** All have answered, and there is no majority for anything. */
    private void judgeAll() {
        List<Held> held = votes.of(Held.class);
        List<Completed> completed = votes.of(Completed.class);
        if (!completed.isEmpty()
                && completed.size() + votes.count(Granted.class) >= members.majority()) {
            finishWith(Verdicts.newest(completed));
        } else if (stage == Stage.TRYING && !held.isEmpty() && !isTimeUp() && headOf() != null) {
            gather(headOf());
        } else {
            tryAgain(held.isEmpty() ? null : held.get(0));
        }
    }

    /** The answer of the member at which everybody queues, if it let this request through. */
    private @Nullable Vote<Acquisition> headOf() {
        Vote<Acquisition> vote = queue == null ? null : votes.of(queue.index);
        return vote == null || vote.answer() instanceof Held || vote.answer() instanceof Gone
                ? null
                : vote;
    }

    private void settle() {
        Map<Member, Drawn> grants = Verdicts.grants(votes, states);
        if (isOvertaken(grants.values())) {
            tryAll();
            return;
        }
        stopTimer();
        stage = Stage.SETTLING;
        proposedTo.addAll(grants.keySet());
        long current = turn;
        CompletableFuture<Settled> unused = context.settlement()
                .of(grants, round)
                .whenComplete((agreed, failure) -> mailbox.post(() -> {
                    if (stage != Stage.SETTLING || turn != current) {
                        return;
                    }
                    if (agreed == null) {
                        tryAgain(null);
                    } else {
                        conclude(agreed, grants.keySet());
                    }
                }));
    }

    /** Whether so many were asked in a later round that no majority would take a token in this. */
    private boolean isOvertaken(Collection<Drawn> grants) {
        return Settlement.inTime(grants, round) < members.majority() && overtaken++ < MAX_OVERTAKEN;
    }

    /** There is a token; is there still enough time to use it? */
    private void conclude(Settled agreed, Set<Member> asked) {
        Verdicts.Lease lease = Verdicts.lease(votes, agreed).orElse(null);
        long now = time.nanos();
        Duration left = Duration.ofNanos(lease == null ? 0 : Math.max(0, lease.until() - now));
        if (lease == null
                || (lease.fresh() && left.compareTo(Context.drift(lease.grant().ttl())) <= 0)) {
            tryAgain(null);
            return;
        }
        settled = agreed;
        context.noteGrant(request);
        Verdicts.grants(votes, states).forEach((member, drawn) -> {
            if (!asked.contains(member)) {
                // it came after the token was asked for
                context.align(member, request, drawn.grant(), agreed.token());
            }
        });
        if (end()) {
            callers.grant(lease.grant(), lease.version(), left, now);
        }
    }

    // ---- ends

    private void finish(Acquisition answer) {
        Acquisition told =
                answer instanceof Held held ? Verdicts.withAgreedToken(held, votes) : answer;
        giveBack();
        if (end()) {
            callers.answer(told);
        }
    }

    /** Answers with a record as soon as a majority has it. */
    private void finishWith(Completed newest) {
        Set<Member> having = Verdicts.having(votes, newest);
        if (having.size() >= members.majority()) {
            finish(newest);
            return;
        }
        stopTimer();
        stage = Stage.SETTLING;
        long current = turn;
        CompletableFuture<Boolean> unused = context.copies()
                .writeBack(request, newest.token(), having)
                .whenComplete((done, failure) -> mailbox.post(() -> {
                    if (stage == Stage.SETTLING && turn == current) {
                        if (failure == null) {
                            finish(newest);
                        } else {
                            tryAgain(null);
                        }
                    }
                }));
    }

    /** Another lease is in the way here; but a majority elsewhere may hold this one. */
    private void refuse(Held held) {
        if (foreign) {
            fail(unknown(votes.noMajority("request")));
        } else {
            finish(held);
        }
    }

    private void fail(LeaseholdException reason) {
        giveBack();
        if (end()) {
            callers.fail(reason);
        }
    }

    /** Ends it; false if it had ended. */
    private boolean end() {
        if (stage == Stage.OVER) {
            return false;
        }
        stopTimer();
        stage = Stage.OVER;
        context.forget(request.id(), this);
        return true;
    }

    /** Gives all back and begins again after a random pause, if there is time for it. */
    private void tryAgain(@Nullable Held held) {
        LeaseholdException failure = votes.noMajority("request");
        giveBack();
        Duration pause = pause();
        if (left().compareTo(pause) <= 0) {
            if (held != null) {
                refuse(held);
            } else {
                fail(mayBeHeld() ? unknown(failure) : nothingHeld(failure));
            }
            return;
        }
        beginAgainAfter(pause);
    }

    private void beginAgainAfter(Duration pause) {
        begin(Stage.PAUSING);
        long current = turn;
        timer = time.schedule(
                pause,
                () -> mailbox.post(() -> {
                    if (turn == current && stage == Stage.PAUSING) {
                        CompletionStage<Void> unused = members.ready()
                                .whenComplete((ready, none) -> mailbox.post(() -> {
                                    if (turn == current && stage == Stage.PAUSING) {
                                        tryAll();
                                    }
                                }));
                    }
                }));
    }

    /** Whether a majority may have the lease, by this attempt or by an earlier one. */
    private boolean mayBeHeld() {
        return !proposedTo.isEmpty() || foreign;
    }

    private static LeaseholdException unknown(LeaseholdException failure) {
        return new OutcomeUnknownException(
                "no majority of the quorum agreed on a token; the lease may be held", failure);
    }

    private static LeaseholdException nothingHeld(LeaseholdException failure) {
        return failure instanceof OutcomeUnknownException
                ? new StoreUnavailableException(
                        "no majority of the quorum; what was granted is given back", failure)
                : failure;
    }

    private Duration pause() {
        long base = Math.min(LONGEST_PAUSE.toNanos(), 2_000_000L << Math.min(pauses++, 10));
        return Duration.ofNanos(base / 2 + context.below(base));
    }

    /** Takes back what members hold or may hold for this request. */
    private void giveBack() {
        for (Member member : touched) {
            Vote<Acquisition> vote = votes.of(member.index);
            if (vote == null || vote.answer() instanceof Granted || stage == Stage.WAITING) {
                giveBack(member, round);
            }
        }
        touched.clear();
    }

    /**
     * Takes back what this attempt alone got at a member. Not where it has proposed a token: with
     * the lease the member would forget the round, and may then take another token in an earlier
     * one. What is left there ends with the ttl, unless it is asked for again or withdrawn.
     */
    private void giveBack(Member member, Round asked) {
        if (!proposedTo.contains(member)) {
            context.retract(member, request, asked);
        }
    }

    // ---- small things

    private Duration left() {
        return callers.left(time.nanos());
    }

    private boolean isTimeUp() {
        return left().isZero();
    }

    private void stopTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
        if (vigil != null) {
            vigil.end();
            vigil = null;
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
