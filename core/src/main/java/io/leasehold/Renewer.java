// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.HeldLease.State;
import io.leasehold.internal.TimerHeap;
import io.leasehold.listener.LeaseEnded;
import io.leasehold.listener.RenewalEnded;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.RefusalReason;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps all leases of one {@link Leasehold} alive, and knows when one is lost.
 *
 * <p>Each lease is renewed at a third of its ttl, give or take a tenth, together with all others
 * that are due by then. An attempt that brings no answer is followed by the next after half of what
 * is left, so attempts never end before the deadline does. At the deadline the lease is lost, with
 * no word from the store needed; a refusal by the store ends it at once. A lost lease stays lost: a
 * late reply changes nothing.
 *
 * <p>The lock guards the schedule and every change of a lease's state. It is never held while the
 * store or a listener is called.
 */
final class Renewer {

    private static final System.Logger LOG = System.getLogger(Leasehold.class.getName());
    private static final int BATCH = 512;

    /** A renewal of a lease, and how long after its plan it was sent. */
    private record Sending(HeldLease lease, RenewalRequest request, Duration late) {}

    /** Renewals that are due within this time of each other go out together. */
    private static final long TOGETHER_NANOS = 10_000_000;

    private static final long SHORTEST_PAUSE_NANOS = 10_000_000;
    private static final double JITTER = 0.1;
    private static final String CLOSING = "this Leasehold is being closed";

    private final Client client;
    private final ReentrantLock lock = new ReentrantLock();
    private final TimerHeap<HeldLease> schedule = new TimerHeap<>();

    /** Losses that are yet to be told, without the lock. */
    private final List<Runnable> losses = new ArrayList<>();

    /** Not the source of lease ids: that is secure, and one number of it costs as much as a grant. */
    private final SplittableRandom jitter;

    private Time.@Nullable Timer timer;
    private long timerDue;
    private boolean closed;

    Renewer(Client client) {
        this.client = client;
        this.jitter = new SplittableRandom(client.random.nextLong());
    }

    /** Starts to renew; false if it is too late because the {@code Leasehold} was closed. */
    boolean add(HeldLease lease) {
        return locked(() -> {
            if (!closed) {
                lease.look(nextRenewal(lease, client.time.nanos()));
                schedule.add(lease);
                setTimer();
            }
            return !closed;
        });
    }

    /** Ends renewal for good; false if the lease was closed before. */
    boolean close(HeldLease lease, LeaseEnded.Cause cause) {
        return locked(() -> {
            boolean first = lease.close(cause);
            schedule.remove(lease);
            setTimer();
            return first;
        });
    }

    /** The end of the lease, for the listener; to one of those who ask for it. */
    Optional<LeaseEnded> takeEnd(HeldLease lease) {
        return locked(() -> lease.takeEnd(client.time.nanos()));
    }

    /**
     * Takes no more leases, and tells the bodies that run under those it has. Leases without one are
     * to be released now; the others are renewed until their bodies return.
     */
    Handover close() {
        return locked(() -> {
            closed = true;
            List<HeldLease> idle = new ArrayList<>();
            List<Handover.Running> running = new ArrayList<>();
            schedule.forEach(lease -> {
                if (lease.hasBody()) {
                    boolean own = lease.isBody(Thread.currentThread());
                    running.add(new Handover.Running(lease, own, lease.awaitHandover()));
                } else {
                    idle.add(lease);
                }
                tellToEnd(lease, CLOSING);
            });
            return new Handover(idle, running);
        });
    }

    /**
     * Tells the body under a lease to end. It keeps the lease until it has returned; if there is
     * none, which is what false says, none can begin and the lease may be released.
     */
    boolean end(HeldLease lease, String why) {
        return locked(() -> {
            boolean running = lease.state == State.HELD && lease.hasBody();
            tellToEnd(lease, why);
            return running;
        });
    }

    private void tellToEnd(HeldLease lease, String why) {
        if (lease.state != State.HELD || lease.ending) {
            return;
        }
        lease.end(why);
        if (lease.canBeTold()) {
            LeaseLostException news = new LeaseLostException(lease.grant.holding(), why);
            losses.add(() -> lease.lost.complete(news));
        }
    }

    /** Whether it is one of the leases that are held through this {@code Leasehold}. */
    boolean isOwn(Holding holding) {
        return holding.holder().equals(client.options.holder())
                && locked(() ->
                        schedule.anyMatch(lease -> lease.grant.token().equals(holding.token())));
    }

    /** Whether the thread runs a body under any lease that is held. */
    boolean isBody(Thread thread) {
        return locked(() -> schedule.anyMatch(lease -> lease.isBody(thread)));
    }

    /** Whether the lease may be relied upon now; sees to it that it is lost if not. */
    boolean isValid(HeldLease lease) {
        if (lease.state != State.HELD) {
            return false;
        }
        if (!lease.deadline.hasPassed(client.time)) {
            return !lease.ending;
        }
        locked(() -> loseIfOverdue(lease));
        return false;
    }

    /** Renews one lease now, whatever the schedule says. */
    CompletionStage<Renewal> renewNow(HeldLease lease) {
        Deadline.Sent sent = Deadline.Sent.now(client.time);
        RenewalRequest request = lease.renewalAt(sent.nanos(), client.options.clockBounds());
        return client.store.renew(request).thenApply(renewal -> {
            answered(new Sending(lease, request, Duration.ZERO), sent, renewal);
            return renewal;
        });
    }

    /** Holds back renewals while the token changes, so that none is sent under the old one. */
    Grant beginRotation(HeldLease lease) {
        return locked(lease::beginRotation);
    }

    void endRotation(HeldLease lease, Grant before, Optional<Grant> after) {
        locked(() -> {
            lease.endRotation(before, after);
            return true;
        });
    }

    /** The store has spoken: the lease is lost. */
    void refused(HeldLease lease, String what, RefusalReason reason) {
        locked(() -> {
            if (lease.state == State.HELD) {
                lose(
                        lease,
                        "the store refused to " + what + " it: " + reason,
                        LeaseEnded.Cause.REFUSED);
            }
            return true;
        });
    }

    /** The store has forgotten them, or another one has taken its place: all leases are lost. */
    void loseAll(String why) {
        locked(() -> {
            List<HeldLease> held = new ArrayList<>();
            schedule.forEach(held::add);
            for (HeldLease lease : held) {
                if (lease.state == State.HELD) {
                    lose(lease, why, LeaseEnded.Cause.STORE_CHANGED);
                }
            }
            setTimer();
            return true;
        });
    }

    /**
     * From here on this thread works under the lease, which it has in hand, and is interrupted when
     * the lease ends first, if that is wanted. False if the lease is lost or given back by now.
     */
    boolean bodyBegins(HeldLease lease) {
        return begins(lease, true);
    }

    /**
     * The same for work that does not have the lease, only its token. It ends by the release or the
     * completion of the lease.
     */
    boolean workBegins(HeldLease lease) {
        return begins(lease, false);
    }

    /** It may have waited for a thread for longer than the lease lasted. */
    private boolean begins(HeldLease lease, boolean hasLease) {
        return locked(
                () -> !loseIfOverdue(lease) && lease.beginBody(Thread.currentThread(), hasLease));
    }

    /** The body is done; true if it was interrupted because the lease ended first. */
    boolean bodyEnds(HeldLease lease) {
        return locked(lease::endBody);
    }

    // ---- the timer

    private void run() {
        List<HeldLease> due = locked(() -> {
            List<HeldLease> taken = new ArrayList<>();
            dropTimer(); // not only this one: it may run although another has replaced it
            long now = client.time.nanos();
            while (schedule.isDue(now + TOGETHER_NANOS)) {
                HeldLease lease = schedule.first();
                schedule.remove(lease);
                taken.add(lease);
            }
            taken.removeIf(lease -> !isToBeRenewed(lease, now));
            setTimer();
            return taken;
        });
        for (int from = 0; from < due.size(); from += BATCH) {
            send(List.copyOf(due.subList(from, Math.min(due.size(), from + BATCH))));
        }
    }

    /**
     * Puts a lease that is due back on the schedule, unless it is lost, and says whether to renew
     * it now.
     */
    private boolean isToBeRenewed(HeldLease lease, long now) {
        if (loseIfOverdue(lease)) {
            return false;
        }
        boolean renew = lease.renewAt - now <= TOGETHER_NANOS;
        lease.renewing(now);
        long pause = Math.max(SHORTEST_PAUSE_NANOS, lease.deadline.leftAt(now) / 2);
        lease.look(renew ? now + pause : lease.renewAt);
        schedule.add(lease);
        return renew && !lease.isRotating();
    }

    private void send(List<HeldLease> leases) {
        Deadline.Sent sent = Deadline.Sent.now(client.time);
        List<Sending> sendings = new ArrayList<>(leases.size());
        List<RenewalRequest> requests = new ArrayList<>(leases.size());
        for (HeldLease lease : leases) {
            RenewalRequest request = lease.renewalAt(sent.nanos(), client.options.clockBounds());
            sendings.add(new Sending(lease, request, lease.late()));
            requests.add(request);
        }
        Client.call(() -> client.store.renewAll(requests)).whenComplete((answers, error) -> {
            for (int i = 0; i < sendings.size(); i++) {
                if (error != null) {
                    failed(sendings.get(i).lease, error);
                    tell(sendings.get(i), null);
                } else {
                    answered(sendings.get(i), sent, answers.get(i));
                }
            }
        });
    }

    // ---- answers

    private void answered(Sending sending, Deadline.Sent sent, Renewal renewal) {
        HeldLease lease = sending.lease;
        Grant asked = sending.request.grant();
        boolean settle = locked(() -> {
            if (loseIfOverdue(lease)) {
                return false;
            }
            if (renewal instanceof Renewal.Renewed renewed) {
                Deadline extended = client.deadline(sent, renewed.validity());
                lease.deadline = lease.limited(lease.deadline.orLater(extended));
                reschedule(lease, nextRenewal(lease, client.time.nanos()));
            } else if (renewal instanceof Refused refused && !lease.isOutdated(asked, refused)) {
                lose(
                        lease,
                        "the store refused to renew it: " + refused.reason(),
                        LeaseEnded.Cause.REFUSED);
            } else if (renewal instanceof Refused) {
                return lease.isUnsettled() && !lease.isRotating();
            }
            return false;
        });
        tell(sending, renewal);
        if (settle) {
            settle(lease, asked);
        }
    }

    /** Tells the listener of an answer, or that there was none. */
    private void tell(Sending sending, @Nullable Renewal renewal) {
        State state = sending.lease.state;
        if (!client.listener.isPresent() || state == State.CLOSED) {
            return;
        }
        RenewalEnded.Outcome outcome = RenewalEnded.Outcome.FAILED;
        Optional<RefusalReason> refusal = Optional.empty();
        if (renewal instanceof Renewal.Renewed && state == State.HELD) {
            outcome = RenewalEnded.Outcome.RENEWED;
        } else if (renewal instanceof Refused refused && state == State.LOST) {
            outcome = RenewalEnded.Outcome.REFUSED;
            refusal = Optional.of(refused.reason());
        }
        RenewalEnded ended =
                new RenewalEnded(sending.request.grant().holding(), outcome, refusal, sending.late);
        client.listener.later(listener -> listener.onRenewal(ended));
    }

    /**
     * Learns the token that a rotation drew whose answer never came, and renews under it: repeated,
     * a rotation answers with what it drew. Without an answer the next renewal brings us here again.
     */
    private void settle(HeldLease lease, Grant before) {
        Client.call(() -> client.store.rotate(before)).whenComplete((rotation, error) -> {
            if (error != null) {
                failed(lease, error);
                return;
            }
            locked(() -> {
                if (rotation instanceof Rotation.Rotated rotated) {
                    lease.adopt(rotated.grant());
                    reschedule(lease, client.time.nanos());
                } else if (rotation instanceof Refused refused
                        && lease.state == State.HELD
                        && !lease.isRotating()
                        && lease.grant.equals(before)) {
                    lose(
                            lease,
                            "the store refused to rotate it: " + refused.reason(),
                            LeaseEnded.Cause.REFUSED);
                }
                return true;
            });
        });
    }

    private void failed(HeldLease lease, Throwable error) {
        LOG.log(
                System.Logger.Level.DEBUG,
                () -> "renewal failed, will be tried again; " + lease.grant.holding(),
                error);
        locked(() -> {
            if (!loseIfOverdue(lease)) {
                long now = client.time.nanos();
                reschedule(
                        lease,
                        now + Math.max(SHORTEST_PAUSE_NANOS, lease.deadline.leftAt(now) / 8));
            }
            return true;
        });
    }

    /** Under the lock: sees to it that an overdue lease is lost; true if it is no longer held. */
    private boolean loseIfOverdue(HeldLease lease) {
        if (lease.state == State.HELD && lease.deadline.hasPassed(client.time)) {
            lose(lease, overdue(lease), causeOf(lease));
        }
        return lease.state != State.HELD;
    }

    private static String overdue(HeldLease lease) {
        return lease.options.holdAtMost().isPresent()
                ? "it was not renewed in time, or held for as long as it may"
                : "it was not renewed in time";
    }

    private LeaseEnded.Cause causeOf(HeldLease overdue) {
        return overdue.holdableAt(client.time.nanos()) <= 0
                ? LeaseEnded.Cause.HELD_TOO_LONG
                : LeaseEnded.Cause.NOT_RENEWED;
    }

    private void lose(HeldLease lease, String why, LeaseEnded.Cause cause) {
        lease.lose(why, cause);
        schedule.remove(lease);
        LeaseLostException loss = new LeaseLostException(lease.grant.holding(), why);
        losses.add(() -> {
            // by this thread: our own dependents can't wait for listeners, which are told elsewhere
            lease.lost.complete(loss);
            lease.handedOver();
            client.executors.tellLoss(
                    () -> LOG.log(System.Logger.Level.WARNING, loss.getMessage()));
            client.tellEnd(lease, client.listener::later);
        });
    }

    // ---- the schedule

    private long nextRenewal(HeldLease lease, long now) {
        long left = lease.deadline.leftAt(now);
        if (lease.holdableAt(now) <= left) {
            return lease.deadline.nanos() + 2 * TOGETHER_NANOS; // never: no renewal can extend it
        }
        double share = 1 - JITTER + 2 * JITTER * jitter.nextDouble();
        return now + Math.min((long) (lease.options.ttl().toNanos() / 3.0 * share), left / 2);
    }

    private void reschedule(HeldLease lease, long nextRenewal) {
        lease.look(nextRenewal);
        if (lease.slot() != TimerHeap.NOWHERE) {
            schedule.update(lease);
            setTimer();
        }
    }

    private <T> T locked(Supplier<T> change) {
        T result;
        List<Runnable> caused;
        lock.lock();
        try {
            result = change.get();
            caused = losses.isEmpty() ? List.of() : List.copyOf(losses);
            losses.clear();
        } finally {
            lock.unlock();
        }
        caused.forEach(Runnable::run);
        return result;
    }

    private void setTimer() {
        if (timer != null && !schedule.isEmpty() && timerDue - schedule.first().dueAt() <= 0) {
            return; // it fires in time; an early one sets the next
        }
        dropTimer();
        if (!schedule.isEmpty()) {
            timerDue = schedule.first().dueAt();
            long delay = Math.max(0, timerDue - client.time.nanos());
            timer = client.time.schedule(Duration.ofNanos(delay), this::run);
        }
    }

    private void dropTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
