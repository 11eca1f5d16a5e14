// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseholdException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Polled;
import io.leasehold.spi.Round;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The requests of this client that wait in the store's queue. The store answers them by a message,
 * or in the reply to another call. Behind that, whoever is first in line asks when the lease in its
 * way would end by itself, the others a little later in case the first is dead, and all ask after
 * the connection for messages was broken or a reply did not arrive. So an answer that is missed
 * costs at most that long.
 *
 * <p>While anybody waits, the store hears of this client every few seconds; it passes over the
 * waiters of one that it no longer hears of.
 */
final class Waits {

    private static final System.Logger LOG = System.getLogger(Waits.class.getName());
    private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(3);

    private final Map<LeaseId, Wait> waits = new ConcurrentHashMap<>();
    private final AtomicBoolean ticking = new AtomicBoolean();
    private final Function<Operation, CompletableFuture<List<Object>>> send;
    private final Answers answers;
    private final Time time;
    private final Duration patience;

    /** None; one whose wait is over is asked about for as long as the patience says. */
    Waits(
            Function<Operation, CompletableFuture<List<Object>>> send,
            Answers answers,
            Time time,
            Duration patience) {
        this.send = send;
        this.answers = answers;
        this.time = time;
        this.patience = patience;
    }

    /** Sends a request that may have to queue, for the first time in the given way. */
    CompletableFuture<Polled<Acquisition>> acquire(
            LeaseRequest request,
            @Nullable Round round,
            Function<Operation, CompletableFuture<List<Object>>> first) {
        CompletableFuture<Polled<Acquisition>> result = new CompletableFuture<>();
        Wait.Attempt attempt = new Wait.Attempt(
                request,
                result,
                round,
                time.nanos() + request.terms().waitAtMost().toNanos());
        // a repeat joins the wait of the first
        Wait wait = waits.compute(
                request.id(),
                (id, known) -> (known == null ? new Wait(this, id) : known).join(attempt));
        wait.send(request, attempt, first);
        result.whenComplete((done, error) -> forgetIfIdle(request.id()));
        startTicking();
        return result;
    }

    /** Takes an answer that came beside another: the id in front, the time behind. */
    void deliver(List<?> fields) {
        Wait wait = waits.get(LeaseId.parse(Wire.string(fields.get(0))));
        if (wait != null) {
            int last = fields.size() - 1;
            wait.deliver(fields.subList(1, last), Wire.number(fields.get(last)));
        }
    }

    /** Takes an answer that came as a message. */
    void deliver(byte[] message) {
        try {
            deliver(Message.fields(message));
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "a message that is none of the store's");
        }
    }

    /** Has everybody ask, because messages may have been missed. */
    void lookAgain() {
        waits.values().forEach(Wait::look);
    }

    /** Has everybody ask before long, because the reply to a call did not arrive. */
    void lookSoon() {
        waits.values().forEach(Wait::lookSoon);
    }

    /** Answers everybody who waits with the reason. */
    void close(LeaseholdException reason) {
        waits.values().forEach(wait -> wait.fail(reason));
    }

    CompletableFuture<List<Object>> send(Operation operation) {
        return send.apply(operation);
    }

    Answers answers() {
        return answers;
    }

    Time time() {
        return time;
    }

    Duration patience() {
        return patience;
    }

    private void forgetIfIdle(LeaseId id) {
        waits.computeIfPresent(id, (key, wait) -> wait.isIdle() ? null : wait);
    }

    private void startTicking() {
        if (ticking.compareAndSet(false, true)) {
            try {
                time.schedule(SIGN_OF_LIFE, this::tick);
            } catch (RuntimeException | Error e) { // unable to create native thread
                ticking.set(false);
                throw e;
            }
        }
    }

    private void tick() {
        ticking.set(false);
        if (!waits.isEmpty()) {
            send(Operation.of('l')).whenComplete((done, error) -> startTicking());
        }
    }
}
