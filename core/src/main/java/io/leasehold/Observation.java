// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Somebody being told who leads. Whenever the store tells of a change it is asked for the present
 * state, and it is asked again when the leader's lease would be over, because an event may get lost
 * and nobody may be there to notice an expiry. Thread-safe; nothing is called under the lock.
 */
public final class Observation implements AutoCloseable {

    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final Client client;
    private final Scope office;
    private final Consumer<Optional<Leader>> listener;
    private final Consumer<Observation> onClose;
    private final Executor callbacks;

    private final ReentrantLock lock = new ReentrantLock(); // guards the fields below
    private boolean closed;
    private boolean asking;
    private boolean askAgain;
    private Optional<Leader> known = Optional.empty();
    private boolean told;
    private long highest;
    private Time.@Nullable Timer timer;
    private LeaseEvents.@Nullable Subscription subscription;

    Observation(
            Client client,
            Scope office,
            Consumer<Optional<Leader>> listener,
            Consumer<Observation> onClose) {
        this.client = client;
        this.office = office;
        this.listener = listener;
        this.onClose = onClose;
        this.callbacks = new Serial(client.executors::callBack);
    }

    static LeaseQuery query(Scope office) {
        return LeaseQuery.overlapping(office);
    }

    static Optional<Leader> leader(LeasePage page) {
        return holding(page).map(Observation::leader);
    }

    private static Optional<LeaseView> holding(LeasePage page) {
        return page.leases().stream()
                .filter(view -> view.state() == LeaseView.State.HELD)
                .findFirst();
    }

    private static Leader leader(LeaseView view) {
        return new Leader(view.holding().holder(), view.holding().token(), view.record());
    }

    /** No more calls begin after this. Idempotent, never throws. */
    @Override
    public void close() {
        LeaseEvents.Subscription ended;
        lock.lock();
        try {
            closed = true;
            ended = subscription;
            if (timer != null) {
                timer.cancel();
            }
        } finally {
            lock.unlock();
        }
        onClose.accept(this);
        if (ended != null) {
            ForeignCode.close(ended);
        }
    }

    boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    void start() {
        LeaseEvents.Subscription made = client.store.subscribe(this::onEvent);
        boolean late;
        lock.lock();
        try {
            subscription = made;
            late = closed;
        } finally {
            lock.unlock();
        }
        if (late) {
            ForeignCode.close(made);
        }
        ask();
    }

    private void onEvent(LeaseEvent event) {
        boolean mayMatter = event instanceof LeaseEvent.Missed
                || (event instanceof LeaseEvent.Changed changed
                        && changed.change() != LeaseEvent.Change.RENEWED
                        && changed.holding().claim().scopes().contains(office));
        if (mayMatter) {
            ask();
        }
    }

    /** One question at a time: a change that comes while one is under way is asked about after. */
    private void ask() {
        lock.lock();
        try {
            if (closed || asking) {
                askAgain = true;
                return;
            }
            asking = true;
            askAgain = false;
        } finally {
            lock.unlock();
        }
        client.ask(client.options.patience(), () -> client.store.list(query(office)))
                .whenComplete((page, error) -> answered(page));
    }

    private void answered(@Nullable LeasePage page) {
        Optional<LeaseView> view = page == null ? Optional.empty() : holding(page);
        Optional<Leader> leader = view.map(Observation::leader);
        boolean again;
        boolean news;
        lock.lock();
        try {
            asking = false;
            again = askAgain && !closed;
            news = page != null && learn(leader);
            if (!closed && !again) {
                lookAfter(view.map(LeaseView::remaining).orElse(LONGEST_PAUSE));
            }
        } finally {
            lock.unlock();
        }
        if (news) {
            callbacks.execute(() -> tell(leader));
        }
        if (again) {
            ask();
        }
    }

    /** Under the lock: whether this is news, and not older than what is known. */
    private boolean learn(Optional<Leader> leader) {
        long token = leader.map(Leader::token).map(FencingToken::value).orElse(highest);
        if (token < highest || (told && leader.equals(known))) {
            return false;
        }
        highest = token;
        known = leader;
        told = true;
        return true;
    }

    private void tell(Optional<Leader> leader) {
        if (!isClosed()) {
            listener.accept(leader);
        }
    }

    private void lookAfter(Duration pause) {
        if (timer != null) {
            timer.cancel();
        }
        Duration least = pause.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : pause;
        timer = client.time.schedule(
                least.compareTo(LONGEST_PAUSE) < 0 ? least : LONGEST_PAUSE, this::ask);
    }
}
