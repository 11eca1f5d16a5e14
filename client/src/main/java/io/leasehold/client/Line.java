// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import io.grpc.Status;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreId;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.protocol.FromWire;
import io.leasehold.protocol.v1.Answer;
import io.leasehold.protocol.v1.InfoReply;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.StorePin;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The way to the servers: one connection at a time, made anew when it breaks, and what waits to be
 * sent or answered. Callers put their questions into the outbox; the store's thread takes all that
 * have come and sends them in one message, as long as the stream has room. While there is no
 * connection, questions are turned away at once.
 *
 * <p>When the server says that it is stopping and there is another one, questions go to that as soon
 * as it is connected. Those that were sent before are still answered by the first.
 *
 * <p>A question that was never sent is unavailable; once it was sent and the connection broke, or
 * the answer takes too long, its outcome is unknown. Nothing is sent twice: whoever asked decides
 * whether to repeat it.
 *
 * <p>Thread-safe. Fields without a word belong to the store's thread.
 */
final class Line {

    private final RemoteOptions options;
    private final Time time;
    private final Loop loop = new Loop();
    private final Channels channels;
    private final Outbox outbox = new Outbox();
    private final Watches watches;
    private final Pauses pauses;
    private final StorePin pin;
    private final OpenQuestions openQuestions = new OpenQuestions();
    private final Handover handover;
    // whether the thread is going to look into the outbox
    private final AtomicBoolean called = new AtomicBoolean();
    // completes when there was a first connection, or no server was to be had
    private final CompletableFuture<Line> opened = new CompletableFuture<>();
    // why nothing can be sent; null while there is a connection
    private volatile @Nullable LeaseholdException down =
            new StoreUnavailableException("there is no connection yet");
    private volatile InfoReply info = InfoReply.getDefaultInstance();
    private volatile boolean closed;
    private @Nullable Connection connection;
    private @Nullable Session session;
    // to a server that is stopping, until all that was sent to it is answered
    private @Nullable Leaving leaving;
    private Time.@Nullable Timer retry;
    private Time.@Nullable Timer sweep;

    private Line(RemoteOptions options) {
        this.options = options;
        this.time = options.time();
        try {
            this.channels = new Channels(options, loop);
        } catch (IllegalArgumentException e) {
            loop.close();
            throw e;
        }
        this.pauses = new Pauses(options.address().servers().size(), options.random());
        this.pin = new StorePin(Set.copyOf(options.address().servers()).size());
        this.watches = new Watches(options, loop);
        this.handover =
                new Handover(options, channels, loop, new ConnectionEvents(), this::whyForeign);
    }

    /** A connection that takes no more questions. */
    private record Leaving(Connection connection, Session session) {}

    /**
     * Connects to the first server that answers.
     *
     * @throws LeaseholdException if none does
     */
    static Line open(RemoteOptions options) {
        options.check();
        Line line = new Line(options);
        line.loop.run(line::connectWithCertificates);
        try {
            return Waiting.until(line.opened);
        } catch (LeaseholdException e) {
            line.close();
            throw e;
        }
    }

    /** What the server said of itself when the connection was made. */
    InfoReply info() {
        return info;
    }

    /** Which store the leases are in. */
    StorePin pin() {
        return pin;
    }

    /** Why nothing is acquired for now, if another store has taken the place of ours. */
    Optional<StoreUnavailableException> pauseAfterChange() {
        return pin.refusal(time.nanos());
    }

    // ---- questions

    <T> CompletableFuture<T> ask(Question<T> question) {
        LeaseholdException reason = down;
        if (reason != null) {
            question.fail(anew(reason));
        } else if (!openQuestions.add(question)) {
            over(
                    question,
                    new StoreUnavailableException(
                            "too many operations are under way: the server can't keep up"));
        } else {
            question.askedAt(time.nanos(), options.patience());
            outbox.add(question);
            callThread();
        }
        return question.answer();
    }

    private void callThread() {
        if (called.compareAndSet(false, true) && !loop.later(this::send)) {
            turnAway();
        }
    }

    /** Sends what has come, as long as there is room. */
    private void send() {
        called.set(false);
        Session current = session;
        if (current == null) {
            turnAway();
            return;
        }
        while (current.isReady()) {
            List<Question<?>> batch = outbox.nextBatch();
            if (batch.isEmpty()) {
                return;
            }
            current.send(batch);
        }
    }

    private void turnAway() {
        LeaseholdException reason = down;
        LeaseholdException why = reason == null ? closed() : reason;
        for (Question<?> next = outbox.takeAny(); next != null; next = outbox.takeAny()) {
            over(next, anew(why));
        }
    }

    private void over(Question<?> question, LeaseholdException reason) {
        openQuestions.remove(question);
        question.fail(reason);
    }

    /** Every caller gets an exception of its own, so that each shows where it was thrown. */
    private static LeaseholdException anew(LeaseholdException reason) {
        return reason instanceof StoreUnavailableException
                ? new StoreUnavailableException(String.valueOf(reason.getMessage()), reason)
                : reason;
    }

    // ---- the connection

    /** Reads the certificates and connects; with the last good ones if that takes too long. */
    private void connect() {
        if (closed) {
            return;
        }
        retry = later(options.patience(), this::connectWithCertificates);
        channels.readCertificates(this::connectWithCertificates);
    }

    private void connectWithCertificates() {
        if (closed || connection != null) {
            return;
        }
        cancelRetry();
        List<RemoteAddress.Server> servers = options.address().servers();
        RemoteAddress.Server server = servers.get(pauses.failures() % servers.size());
        Connection attempt =
                Connection.open(server, channels.open(server), loop, new ConnectionEvents());
        connection = attempt;
        retry = later(
                options.patience(),
                () -> attempt.broken(Status.UNAVAILABLE.withDescription(
                        "no answer within " + options.patience())));
        attempt.greet(options.address().namespace());
    }

    private final class ConnectionEvents implements Connection.Events {

        @Override
        public void up(Connection from, InfoReply reply) {
            if (reply.getStopping() && pauses.isFirstRound()) {
                down(from, new StoreUnavailableException(from.server() + " is about to stop"));
                return;
            }
            Optional<LeaseholdException> foreign = whyForeign(from, reply);
            if (foreign.isPresent()) {
                down(from, foreign.get());
                return;
            }
            cancelRetry();
            leave();
            info = reply;
            pauses.cameUp();
            connection = from;
            Session started = Session.start(from.channel(), loop, time, new SessionEvents(from));
            if (connection != from) {
                // it broke at once, and the next attempt is under way
                return;
            }
            session = started;
            down = null;
            opened.complete(Line.this);
            if (sweep == null) {
                sweepLater();
            }
            watches.begin(from.channel());
            send();
        }

        @Override
        public void down(Connection from, LeaseholdException why) {
            Leaving left = leaving;
            if (left != null && left.connection == from) {
                end(left, why);
                return;
            }
            drop(why);
            pauses.failed();
            if (pauses.isRoundOver()) {
                opened.completeExceptionally(why);
            }
            retry = later(pauses.next(), Line.this::connect);
        }
    }

    private final class SessionEvents implements Session.Events {

        private final Connection of;

        SessionEvents(Connection of) {
            this.of = of;
        }

        @Override
        public void ready() {
            send();
        }

        @Override
        public void answered(Question<?> question, Answer answer) {
            Optional<StoreId> told = FromWire.storeId(answer);
            Optional<StoreId> ours = pin.store();
            if (heard(of, told) != StorePin.Verdict.OURS) {
                refuse(of, question, answer, foreign(of, ours, told));
                return;
            }
            pauses.succeeded();
            Optional<StoreUnavailableException> pause = pauseAfterChange();
            if (pause.isPresent() && answer.getAcquired().hasGranted()) {
                // it was asked for before the change
                of.giveBack(question.acquire(), options.patience());
                over(question, pause.get());
                return;
            }
            openQuestions.remove(question);
            question.answered(answer);
            endIfAllAreAnswered();
        }

        @Override
        public void stopping() {
            if (of == connection) {
                handover.begin(of.server());
            }
        }

        @Override
        public void ended(Status status) {
            of.broken(status);
        }
    }

    // ---- another store in place of ours

    private StorePin.Verdict heard(Connection from, Optional<StoreId> told) {
        return pin.heard(from.server().toString(), told, time.nanos());
    }

    /** Why a server is not taken that has another store than ours; empty if it has ours. */
    private Optional<LeaseholdException> whyForeign(Connection from, InfoReply reply) {
        Optional<StoreId> told = FromWire.storeId(reply.getStoreId());
        Optional<StoreId> ours = pin.store();
        return heard(from, told) == StorePin.Verdict.FOREIGN
                ? Optional.of(foreign(from, ours, told))
                : Optional.empty();
    }

    private static StoreUnavailableException foreign(
            Connection from, Optional<StoreId> ours, Optional<StoreId> told) {
        return new StoreUnavailableException(StorePin.mismatch(
                from.server().toString(), ours.orElseThrow(), told.orElseThrow()));
    }

    /** Does not take the answer of another store, and leaves the server that gave it. */
    private void refuse(
            Connection of, Question<?> question, Answer answer, StoreUnavailableException why) {
        if (of == connection) {
            down = why;
            turnAway();
        }
        if (answer.getAcquired().hasGranted()) {
            of.giveBack(question.acquire(), options.patience());
        }
        over(question, why);
        of.leave(Status.UNAVAILABLE.withDescription(why.getMessage()));
    }

    // ---- from a server that is stopping to another one

    /** Keeps the connection that there is, for the answers. */
    private void leave() {
        Connection of = connection;
        Session left = session;
        if (of != null && left != null) {
            endLeaving();
            leaving = new Leaving(of, left);
            connection = null;
            session = null;
            endIfAllAreAnswered();
        }
    }

    private void endIfAllAreAnswered() {
        Leaving left = leaving;
        if (left != null && left.session.isAnswered()) {
            endLeaving();
        }
    }

    private void endLeaving() {
        Leaving left = leaving;
        if (left != null) {
            end(left, new StoreUnavailableException(left.connection.server() + " is stopping"));
        }
    }

    private void end(Leaving left, LeaseholdException why) {
        leaving = null;
        left.session.cancel();
        left.connection.close();
        left.session.takeAll().forEach(question -> over(question, lost(why)));
    }

    /** Gives the connection up, and tells all that depended on it. */
    private void drop(LeaseholdException why) {
        down = why;
        cancelRetry();
        handover.end();
        Session lost = session;
        session = null;
        Connection gone = connection;
        connection = null;
        watches.interrupt();
        if (lost != null) {
            lost.cancel();
        }
        if (gone != null) {
            gone.close();
        }
        turnAway();
        if (lost != null) {
            lost.takeAll().forEach(question -> over(question, lost(why)));
        }
    }

    /** What was sent may have happened, also when it is this store that ends the connection. */
    private LeaseholdException lost(LeaseholdException why) {
        return new OutcomeUnknownException(
                "the connection ended before the answer came: " + why.getMessage(), why);
    }

    private void cancelRetry() {
        if (retry != null) {
            retry.cancel();
            retry = null;
        }
    }

    private Time.Timer later(Duration pause, Runnable task) {
        return time.schedule(pause, () -> loop.run(task));
    }

    // ---- answers that don't come

    private void sweepLater() {
        sweep = later(options.patience().dividedBy(4), this::sweep);
    }

    private void sweep() {
        if (closed) {
            return;
        }
        long now = time.nanos();
        outbox.take(question -> question.isOverdue(now))
                .forEach(question -> over(
                        question,
                        new StoreUnavailableException(
                                "the operation could not be sent within " + options.patience()
                                        + ": the server does not take what comes before it")));
        Leaving left = leaving;
        if (left != null) {
            sweep(left.connection, left.session, now);
            endIfAllAreAnswered();
        }
        Session current = session;
        Connection of = connection;
        if (current != null && of != null) {
            sweep(of, current, now);
        }
        sweepLater();
    }

    private void sweep(Connection of, Session current, long now) {
        List<Question<?>> overdue = current.takeOverdue(now);
        boolean silent = overdue.stream().anyMatch(question -> !current.heardSince(question));
        overdue.forEach(question -> over(
                question,
                new OutcomeUnknownException(
                        of.server() + " did not answer within " + options.patience())));
        if (silent) {
            of.broken(Status.UNAVAILABLE.withDescription(
                    "the server has not been heard for " + options.patience()));
        }
    }

    // ---- events

    /** Tells the listener of what happens from the return of this call on. */
    LeaseEvents.Subscription subscribe(LeaseEvents listener) {
        LeaseholdException reason = down;
        if (reason != null) {
            throw anew(reason);
        }
        Watch watch = watches.add(listener);
        if (loop.isThisThread()) {
            return watch::close;
        }
        time.schedule(
                options.patience(),
                () -> watch.started()
                        .completeExceptionally(new StoreUnavailableException(
                                "no events within " + options.patience())));
        try {
            return Waiting.until(watch.started())::close;
        } catch (LeaseholdException e) {
            watch.close();
            throw e;
        }
    }

    // ---- the end

    /** Idempotent, never throws. */
    void close() {
        closed = true;
        CompletableFuture<Boolean> dropped = new CompletableFuture<>();
        boolean running = loop.later(() -> {
            drop(closed());
            endLeaving();
            if (sweep != null) {
                sweep.cancel();
            }
            opened.completeExceptionally(closed());
            dropped.complete(true);
        });
        if (!running) {
            return;
        }
        if (loop.isThisThread()) {
            loop.close();
            return;
        }
        if (dropped.completeOnTimeout(false, 2, TimeUnit.SECONDS).join()) {
            channels.awaitEnd();
        }
        channels.afterLookUps(loop::close);
    }

    private static StoreUnavailableException closed() {
        return new StoreUnavailableException("the store is closed");
    }
}
