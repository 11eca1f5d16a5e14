// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.model.Claim;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.NaiveScopes;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvent.Change;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Refused;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * One seeded sequence of commands, given to the table and to the naive model; any difference is an
 * error.
 */
final class Duel {

    private static final Duration RETRY_WINDOW = Duration.ofMillis(300);

    private final String name;
    private final int stripes;
    private final RandomInputs inputs;
    private final NaiveModel model;
    private final LeaseTable table;
    private final List<LeaseRequest> requests = new ArrayList<>();
    private final List<Grant> grants = new ArrayList<>();
    private final List<Completion> completions = new ArrayList<>();
    private final List<LeaseEvent> events = new ArrayList<>();
    private final Map<Integer, Object> answers = new TreeMap<>();
    private List<Object> command = List.of();
    private int steps;
    private int lastAttempt;
    private long lastToken;
    private long now;

    Duel(long seed, int stripes) {
        this.name = "seed " + seed + ", " + stripes + " stripes";
        this.stripes = stripes;
        this.inputs = new RandomInputs(seed);
        TableOptions options = new TableOptions(
                inputs.oneIn(3) ? 6 : 1000, inputs.oneIn(3) ? 2 : 1000, RETRY_WINDOW, 100_000);
        this.model = new NaiveModel(options);
        this.table = new LeaseTable(options, stripes, 0, new Events());
    }

    private record Completion(Grant grant, LeaseRecord record, Duration keepFor) {}

    private final class Events implements LeaseTable.Listener {
        @Override
        public boolean isListening() {
            return true;
        }

        @Override
        public void on(LeaseEvent event) {
            events.add(event);
        }
    }

    private final class Answer implements Reply {
        private final int attempt;

        Answer(int attempt) {
            this.attempt = attempt;
        }

        @Override
        public void settle(Acquisition outcome) {
            note(outcome);
        }

        @Override
        public void fail(LeaseholdException reason) {
            note(reason instanceof LimitExceededException ? NaiveModel.LIMIT : NaiveModel.REPLACED);
        }

        private void note(Object answer) {
            if (answers.put(attempt, answer) != null) {
                throw difference("attempt " + attempt + " was answered twice");
            }
        }
    }

    void run(int length) {
        try {
            for (steps = 1; steps <= length; steps++) {
                step();
            }
        } catch (RuntimeException e) {
            throw new AssertionError(where(), e);
        } catch (AssertionError e) {
            throw e.getMessage() != null && e.getMessage().startsWith(name)
                    ? e
                    : new AssertionError(where(), e);
        }
    }

    private void step() {
        now += inputs.step(now, () -> model.state.turningPoints(RETRY_WINDOW));
        if (stripes
                > 1) { // else expiry in a stripe nobody asks about is noticed late, as it may be
            table.advance(LeaseTable.ALL, now);
            model.settle(now);
        }
        int choice = inputs.below(100);
        if (choice < 40 || grants.isEmpty()) {
            acquire(choice < 8 && !requests.isEmpty() ? again() : another());
        } else if (choice < 46) {
            withdraw(inputs.oneIn(10) ? inputs.request() : inputs.recent(requests));
        } else if (choice < 60) {
            renew();
        } else if (choice < 67) {
            rotate(someGrant());
        } else if (choice < 71) {
            force(someGrant());
        } else if (choice < 84) {
            Grant grant = someGrant();
            command = List.of("release", grant);
            same(table.release(grant, now), model.release(grant, now));
        } else if (choice < 93) {
            complete();
        } else if (choice < 97) {
            list(inputs.query());
        } else {
            command = List.of("advance");
            table.advance(LeaseTable.ALL, now);
            model.settle(now);
        }
        compare();
    }

    private void withdraw(LeaseRequest known) {
        LeaseRequest request = inputs.oneIn(6) ? inputs.withAnotherClaim(known) : known;
        command = List.of("withdraw", request);
        same(table.withdraw(request, now), Set.of(model.withdraw(request, now)));
    }

    private void acquire(LeaseRequest request) {
        command = List.of("acquire", request);
        int attempt = ++lastAttempt;
        try {
            table.acquire(request, now, new Answer(attempt));
        } catch (LimitExceededException e) {
            answers.put(attempt, NaiveModel.LIMIT);
        }
        model.acquire(request, attempt, now);
    }

    private LeaseRequest another() {
        LeaseRequest request = inputs.request();
        requests.add(request);
        return request;
    }

    /** An earlier request, or its id for another. */
    private LeaseRequest again() {
        LeaseRequest request = inputs.recent(requests);
        if (inputs.oneIn(4) && isInUseOrOver(request.id())) {
            return inputs.another(request);
        } else if (stripes == 1
                && inputs.oneIn(4)
                && model.state.waiterOf(request.id()).isPresent()) {
            return inputs.withAnotherClaim(request);
        }
        return request;
    }

    private boolean isInUseOrOver(LeaseId id) {
        return model.state.leaseOf(id).isPresent()
                || model.state
                        .pastOf(id)
                        .filter(over -> now - over.at() < RETRY_WINDOW.toNanos())
                        .isPresent();
    }

    private Grant someGrant() {
        Grant grant = inputs.recent(grants);
        if (model.state.leaseOf(grant.id()).isPresent() && inputs.oneIn(12)) {
            Holding holding = grant.holding();
            Claim other = inputs.likeButNot(holding.claim());
            return new Grant(
                    new Holding(other, holding.holder(), holding.token()), grant.id(), grant.ttl());
        }
        return inputs.oneIn(8) ? inputs.forged(grant) : grant;
    }

    private void renew() {
        RenewalRequest request = inputs.oneIn(4)
                ? RenewalRequest.forItsOwnTtl(someGrant())
                : RenewalRequest.of(someGrant(), inputs.ttl());
        if (inputs.oneIn(3)) {
            request = request.ifVersion(1 + inputs.below(3));
        }
        command = List.of("renew", request);
        Object answer = table.renew(request, now);
        same(answer, model.renew(request, now));
        if (answer instanceof Refused refused) {
            model.events.add(new LeaseEvent.RenewalRefused(
                    refused.reason(), request.grant().holding()));
        }
    }

    private void rotate(Grant grant) {
        command = List.of("rotate", grant);
        Rotation answer = table.rotate(grant, now);
        same(answer, model.rotate(grant, now));
        if (answer instanceof Rotation.Rotated rotated) {
            grants.add(rotated.grant());
        }
    }

    private void force(Grant grant) {
        Claim claim = inputs.oneIn(8) ? inputs.claim() : grant.holding().claim();
        Scope scope = inputs.oneOf(claim.scopes());
        command = List.of("force", scope, grant.token());
        same(
                table.forceRelease(scope, grant.token(), now),
                Set.of(model.forceRelease(scope, grant.token(), now)));
    }

    private void complete() {
        boolean again = !completions.isEmpty() && inputs.oneIn(3);
        Completion completion = again
                ? inputs.recent(completions)
                : new Completion(someGrant(), inputs.record(), inputs.keepFor());
        completions.add(completion);
        complete(completion.grant, completion.record, completion.keepFor);
    }

    private void complete(Grant grant, LeaseRecord record, Duration keepFor) {
        command = List.of("complete", grant, keepFor);
        same(
                table.complete(grant, record, keepFor, now),
                model.complete(grant, record, keepFor, now));
    }

    private void list(LeaseQuery query) {
        command = List.of("list", query);
        Object page = table.list(query, now);
        model.settle(now);
        same(page, Set.of(NaiveListing.of(model.state, query, now)));
    }

    private void compare() {
        if (!answers.keySet().equals(model.answers.keySet())) {
            throw difference("answered are " + answers + ", right is " + model.answers);
        }
        for (Map.Entry<Integer, Object> answer : answers.entrySet()) {
            same(answer.getValue(), model.answers.getOrDefault(answer.getKey(), Set.of()));
            if (answer.getValue() instanceof Acquisition.Granted granted) {
                grants.add(granted.grant());
            }
        }
        if (!events.equals(model.events) && !inOrder(events).equals(inOrder(model.events))) {
            throw difference("the events are " + events + ", right is " + model.events);
        }
        events.forEach(this::checkToken);
        checkWakeUp();
        if (steps % 16 == 0) {
            checkExclusion();
            checkListings();
        }
        answers.clear();
        events.clear();
        model.answers.clear();
        model.events.clear();
    }

    /** The events, with leases that ran out together in one order. */
    private static List<LeaseEvent> inOrder(List<LeaseEvent> events) {
        List<LeaseEvent> ordered = new ArrayList<>();
        List<LeaseEvent.Changed> expired = new ArrayList<>();
        for (LeaseEvent event : events) {
            if (event instanceof LeaseEvent.Changed changed && changed.change() == Change.EXPIRED) {
                expired.add(changed);
            } else {
                ordered.add(event);
            }
        }
        expired.sort(Comparator.comparing(changed -> changed.holding().token()));
        ordered.addAll(0, expired);
        return ordered;
    }

    private void checkToken(LeaseEvent event) {
        if (event instanceof LeaseEvent.Changed changed
                && (changed.change() == Change.GRANTED || changed.change() == Change.ROTATED)) {
            long token = changed.holding().token().value();
            if (token != lastToken + 1) {
                throw difference("token " + token + " was drawn after " + lastToken);
            }
            lastToken = token;
        }
    }

    /**
     * A driver that sleeps until the wake-up time is never late for a waiter, nor woken in vain for
     * ever.
     */
    private void checkWakeUp() {
        long wakeAt = table.wakeAt(LeaseTable.ALL);
        boolean waiting = !model.state.waiters.isEmpty();
        if (waiting
                ? wakeAt <= now || wakeAt > model.state.nextAnswerAt()
                : wakeAt != LeaseTable.NEVER) {
            throw difference("wake-up at " + wakeAt + ", the next answer is due at "
                    + model.state.nextAnswerAt());
        }
    }

    private void checkExclusion() {
        List<LeaseView> views = table.list(LeaseQuery.all(), now).leases();
        for (LeaseView one : views) {
            for (LeaseView other : views) {
                if (!one.holding().token().equals(other.holding().token())
                        && one.state() == LeaseView.State.HELD
                        && other.state() == LeaseView.State.HELD
                        && NaiveScopes.conflict(
                                one.holding().claim(), other.holding().claim())) {
                    throw difference("two conflicting leases: " + one + " and " + other);
                }
            }
        }
    }

    /** What overlaps each scope, and the pages of it. */
    private void checkListings() {
        for (Scope scope : RandomInputs.SCOPES) {
            LeaseQuery query = LeaseQuery.overlapping(scope);
            same(table.list(query, now), Set.of(NaiveListing.of(model.state, query, now)));
            LeaseQuery page = new LeaseQuery(
                    query.overlapping(), Optional.of(inputs.earlierThan(lastToken)), 1);
            same(table.list(page, now), Set.of(NaiveListing.of(model.state, page, now)));
        }
    }

    private void same(Object answer, Set<Object> right) {
        if (!right.contains(answer)) {
            throw difference("the answer is " + answer + ", right is " + right);
        }
    }

    private AssertionError difference(String what) {
        return new AssertionError(where() + ": " + what);
    }

    private String where() {
        return name + ", step " + steps + ", time " + now + ", " + command;
    }
}
