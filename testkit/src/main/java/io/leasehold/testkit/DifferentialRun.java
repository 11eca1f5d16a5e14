// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.model.Claim;
import io.leasehold.model.LeaseholdException;
import io.leasehold.spi.Acquisition.Gone;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Ending.Ended;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal.Renewed;
import io.leasehold.spi.Rotation.Rotated;
import io.leasehold.spi.Validity;
import io.leasehold.table.LeaseTable;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.Command.Known;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One run of a {@link DifferentialDriver}. */
final class DifferentialRun {

    private static final int TOLD = 10;
    private final DifferentialDriver driver;
    private final StoreUnderTest opened;
    private final long origin;
    private final LeaseTable table =
            new LeaseTable(TableOptions.defaults(), 1, 0, LeaseTable.Listener.nobody());
    private final CommandSource source;
    private final TokenMap tokens;
    private final Judge judge;
    private final Calendar calendar;
    private final List<Exchange> open = new ArrayList<>();
    private final Deque<Command> recent = new ArrayDeque<>();
    private final Map<String, Integer> outcomes = new TreeMap<>();
    private long now;
    private int step;

    DifferentialRun(DifferentialDriver driver, StoreUnderTest opened) {
        this.driver = driver;
        this.opened = opened;
        this.origin = opened.nanos();
        this.source = new CommandSource(driver, isExact());
        this.tokens = new TokenMap(driver.tolerance().toNanos());
        this.judge = new Judge(tokens, driver.tolerance(), this::alive);
        this.calendar = new Calendar(driver.tolerance().toNanos());
    }

    DifferentialReport run() {
        for (step = 1; step <= driver.steps(); step++) {
            Command command = source.next();
            if (command instanceof Command.Pass pass) {
                note(command);
                passBy(pass.span().toNanos());
            } else {
                send(command);
            }
        }
        return new DifferentialReport(outcomes, tokens.size(), tokens.highest());
    }

    private boolean isExact() {
        return driver.tolerance().isZero();
    }

    // ---- commands

    private void send(Command command) {
        if (!isExact()) {
            reach(elapsed());
        }
        note(command);
        catchUp();
        Exchange exchange = new Exchange(command, step, now, command.send(opened.store()));
        opened.settle();
        open.add(exchange);
        decide(exchange);
        compare();
    }

    private void decide(Exchange exchange) {
        try {
            exchange.command.decide(table, now, answer -> exchange.expect(answer, now));
        } catch (LeaseholdException e) {
            exchange.expect(e, now);
        }
        if (!exchange.isDecided() && exchange.command instanceof Command.Acquire acquire) {
            calendar.add(now + acquire.request().terms().waitAtMost().toNanos());
        } else if (exchange.command instanceof Command.Complete complete) {
            calendar.add(now + complete.keepFor().toNanos());
        }
    }

    // ---- time

    /** Lets time pass; where clocks are foreign, from one moment at which something ends to the next. */
    private void passBy(long span) {
        long end = elapsed() + span;
        while (!isExact() && elapsed() < end) {
            withdrawTheCrowded();
            reach(calendar.nextBefore(elapsed(), end));
        }
        if (isExact()) {
            reach(end);
        }
    }

    /** Stands by until the given moment, and on until nothing that could end is so near that it is in doubt. */
    private void reach(long moment) {
        long left = Math.max(moment - elapsed(), calendar.untilClear(elapsed()));
        while (left > 0) {
            opened.pass(Duration.ofNanos(left));
            left = calendar.untilClear(elapsed());
        }
        catchUp();
        compare();
    }

    /** Takes back the requests whose waits end so near to something else that the outcome would be chance. */
    private void withdrawTheCrowded() {
        for (Exchange exchange : List.copyOf(open)) {
            if (exchange.command instanceof Command.Acquire acquire && !exchange.isDecided()) {
                LeaseRequest request = acquire.request();
                long deadline = exchange.sentAt() + request.terms().waitAtMost().toNanos();
                if (calendar.isCrowded(deadline)) {
                    send(new Command.Withdraw(request));
                }
            }
        }
    }

    /** Brings the table to the present, stopping wherever a waiter has something to gain or lose. */
    private void catchUp() {
        long target = elapsed();
        for (long wake = table.wakeAt(LeaseTable.ALL);
                wake <= target;
                wake = table.wakeAt(LeaseTable.ALL)) {
            now = wake;
            table.advance(LeaseTable.ALL, wake);
        }
        now = target;
    }

    private long elapsed() {
        return opened.nanos() - origin;
    }

    // ---- answers

    /** Compares whatever was answered since the last time: first the grants, then all that may speak of them. */
    private void compare() {
        List<Claim> queued = new ArrayList<>();
        List<Exchange> answered = new ArrayList<>();
        List<TokenMap.Pair> pairs = new ArrayList<>();
        for (Exchange exchange : open) {
            if (exchange.command instanceof Command.Acquire acquire) {
                queued.add(acquire.request().claim());
            }
            if (exchange.isDecided()) {
                answered.add(exchange);
                pair(exchange, pairs);
            } else if (exchange.isAnswered()) {
                throw difference(exchange, "no answer yet");
            }
        }
        tokens.learn(pairs).ifPresent(wrong -> {
            throw new AssertionError(where() + wrong);
        });
        for (Exchange exchange : answered) {
            if (!judge.accepts(exchange.command, exchange.expected(), actual(exchange), queued)) {
                throw difference(exchange, exchange.expected());
            }
            count(exchange);
        }
        open.removeAll(answered);
        open.forEach(exchange -> exchange.late = true);
    }

    private void pair(Exchange exchange, List<TokenMap.Pair> pairs) {
        Object expected = exchange.expected();
        Object actual = actual(exchange);
        if (expected instanceof Granted model && actual instanceof Granted store) {
            learn(exchange, model.grant(), store.grant(), pairs);
            enter(exchange, model.validity());
        } else if (expected instanceof Rotated model && actual instanceof Rotated store) {
            learn(exchange, model.grant(), store.grant(), pairs);
        } else if (expected instanceof Renewed model) {
            enter(exchange, model.validity());
        } else if (expected instanceof List<?> list) {
            list.forEach(answer -> {
                if (answer instanceof Renewed model) {
                    enter(exchange, model.validity());
                }
            });
        }
    }

    private void learn(Exchange exchange, Grant model, Grant store, List<TokenMap.Pair> pairs) {
        pairs.add(new TokenMap.Pair(
                model.holding(), store.token(), exchange.decidedAt(), exchange.late));
        source.learn(new Known(model, store, false));
    }

    /** Notes when the lease will end, without and with the longest lock-delay that it may have. */
    private void enter(Exchange exchange, Validity validity) {
        long end = exchange.decidedAt() + validity.remaining().toNanos();
        for (int delay = 0; delay <= CommandSource.MAX_LOCK_DELAY_UNITS; delay++) {
            calendar.add(end + delay * driver.unit().toNanos());
        }
    }

    private Object actual(Exchange exchange) {
        return exchange.actual(driver.patience().toNanos());
    }

    private List<LeaseView> alive() {
        return table.list(LeaseQuery.all(), now).leases();
    }

    private void count(Exchange exchange) {
        String late = exchange.step < step ? "late " : "";
        outcomes.merge(late + nameOf(exchange.expected()), 1, Integer::sum);
    }

    private static String nameOf(Object answer) {
        if (answer instanceof Refused refused) {
            return "Refused " + refused.reason();
        } else if (answer instanceof Gone gone) {
            return "Gone " + gone.reason();
        } else if (answer instanceof List<?> || answer instanceof Ended) {
            return answer instanceof Ended ? "Ended" : "List";
        }
        return answer.getClass().getSimpleName();
    }

    // ---- reports

    private void note(Command command) {
        recent.addLast(command);
        if (recent.size() > TOLD) {
            recent.removeFirst();
        }
    }

    private AssertionError difference(Exchange exchange, Object expected) {
        return new AssertionError(where() + "a different answer to the command of step "
                + exchange.step + "\n  command:  "
                + exchange.command + "\n  expected: " + expected + "\n  actual:   "
                + actual(exchange)
                + "\n  the last commands: " + recent);
    }

    private String where() {
        return "seed " + driver.seed() + ", step " + step + ", at " + Duration.ofNanos(now) + ": ";
    }
}
