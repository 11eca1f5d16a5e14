// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.RefusalReason;
import io.leasehold.spi.Acquisition.Completed;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Acquisition.Held;
import io.leasehold.spi.Ending.Ended;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal.Renewed;
import io.leasehold.spi.Rotation.Rotated;
import io.leasehold.spi.TokenCheck;
import io.leasehold.spi.Validity;
import io.leasehold.testkit.Command.Known;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Decides whether a store's answer is as good as the table's. It must be the same but for the tokens' values, a
 * tolerance in time, and the choice among several holders that are in the way.
 */
final class Judge {

    private final TokenMap tokens;
    private final Duration tolerance;
    private final Supplier<List<LeaseView>> alive;

    /** The supplier lists what the table holds; it is asked only when the answers differ. */
    Judge(TokenMap tokens, Duration tolerance, Supplier<List<LeaseView>> alive) {
        this.tokens = tokens;
        this.tolerance = tolerance;
        this.alive = alive;
    }

    /** Whether the answer to the command will do; the queued claims are those of everyone who waits. */
    boolean accepts(Command command, Object expected, Object actual, Collection<Claim> queued) {
        if (command instanceof Command.Acquire acquire) {
            return acquired(acquire, expected, actual, queued);
        } else if (command instanceof Command.Renew renew) {
            return settled(renew.lease(), expected, actual);
        } else if (command instanceof Command.RenewAll all) {
            return renewed(all, expected, actual);
        } else if (command instanceof Command.Rotate rotate) {
            return settled(rotate.lease(), expected, actual);
        } else if (command instanceof Command.Release release) {
            return settled(release.lease(), expected, actual);
        } else if (command instanceof Command.Complete complete) {
            return settled(complete.lease(), expected, actual);
        } else if (command instanceof Command.ListPages) {
            return listed(expected, actual);
        } else if (command instanceof Command.Check) {
            return checked(expected, actual);
        }
        return expected.equals(actual);
    }

    private boolean acquired(
            Command.Acquire acquire, Object expected, Object actual, Collection<Claim> queued) {
        if (expected instanceof Granted model && actual instanceof Granted store) {
            return same(model.grant(), store.grant())
                    && model.version() == store.version()
                    && same(model.validity(), store.validity());
        } else if (expected instanceof Held model && actual instanceof Held store) {
            return tokens.same(model.blocker(), store.blocker())
                    ? close(model.remaining(), store.remaining())
                            && model.record().equals(store.record())
                            && (model.inLockDelay() == store.inLockDelay() || !tolerance.isZero())
                    : isInTheWay(store.blocker(), acquire.request().claim(), queued);
        } else if (expected instanceof Completed model && actual instanceof Completed store) {
            return tokens.same(model.token(), store.token())
                    ? model.record().equals(store.record())
                            && close(model.keptFor(), store.keptFor())
                    : isKept(store, acquire.request().claim());
        }
        return same(expected, actual);
    }

    private boolean renewed(Command.RenewAll all, Object expected, Object actual) {
        if (!(expected instanceof List<?> model
                && actual instanceof List<?> store
                && model.size() == store.size())) {
            return false;
        }
        for (int i = 0; i < model.size(); i++) {
            if (!settled(all.leases().get(i), model.get(i), store.get(i))) {
                return false;
            }
        }
        return true;
    }

    private boolean settled(Known lease, Object expected, Object actual) {
        if (expected instanceof Renewed model && actual instanceof Renewed store) {
            return model.version() == store.version() && same(model.validity(), store.validity());
        } else if (expected instanceof Rotated model && actual instanceof Rotated store) {
            return same(model.grant(), store.grant())
                    && model.version() == store.version()
                    && same(model.validity(), store.validity());
        } else if (expected instanceof Refused model && actual instanceof Refused store) {
            return model.equals(store) || isAlsoTrue(model.reason(), store.reason(), lease);
        }
        return same(expected, actual)
                || (lease.forged() && isHarmless(expected) && isHarmless(actual));
    }

    /** Wrong scopes must be called so while the lease lives; after that, any answer without effect will do. */
    private static boolean isHarmless(Object answer) {
        return answer instanceof Ended
                || (answer instanceof Refused refused
                        && refused.reason() != RefusalReason.SCOPE_MISMATCH);
    }

    /** With several holders in place of a lease, either of two reasons is true. */
    private boolean isAlsoTrue(RefusalReason model, RefusalReason store, Known lease) {
        if (lease.forged()) {
            return model != RefusalReason.SCOPE_MISMATCH;
        }
        Holding past = lease.model().holding();
        return switch (store) {
            case NOT_HOLDER, TOKEN_MISMATCH ->
                alive.get().stream()
                        .filter(row -> row.state() == LeaseView.State.HELD)
                        .map(LeaseView::holding)
                        .filter(holding -> holding.claim().conflictsWith(past.claim()))
                        .anyMatch(holding -> holding.holder().equals(past.holder())
                                == (store == RefusalReason.TOKEN_MISMATCH));
            default -> false;
        };
    }

    private boolean listed(Object expected, Object actual) {
        if (!(expected instanceof List<?> model
                && actual instanceof List<?> store
                && model.size() == store.size())) {
            return false;
        }
        long before = 0;
        for (Object element : store) {
            LeaseView row = (LeaseView) element;
            if (row.holding().token().value() <= before
                    || model.stream().noneMatch(candidate -> same((LeaseView) candidate, row))) {
                return false;
            }
            before = row.holding().token().value();
        }
        return true;
    }

    private boolean checked(Object expected, Object actual) {
        return expected instanceof TokenCheck model
                && actual instanceof TokenCheck store
                && model.standing() == store.standing()
                && (model.newest() == 0
                        ? store.newest() == 0
                        : store.newest() != 0
                                && tokens.same(
                                        new FencingToken(model.newest()),
                                        new FencingToken(store.newest())));
    }

    private boolean same(LeaseView model, LeaseView store) {
        return tokens.same(model.holding(), store.holding())
                && model.state() == store.state()
                && close(model.age(), store.age())
                && close(model.remaining(), store.remaining())
                && model.waiters() == store.waiters()
                && model.record().equals(store.record());
    }

    /** Whether the blocker is a known grant that conflicts with the claim, or with one that waits in front of it. */
    private boolean isInTheWay(Holding blocker, Claim claim, Collection<Claim> queued) {
        if (tokens.modelOf(blocker).isEmpty()) {
            return false;
        }
        Set<Claim> reached = new HashSet<>(Set.of(claim));
        boolean grown = true;
        while (grown) {
            grown = queued.stream()
                    .filter(waiting -> reached.stream().anyMatch(waiting::conflictsWith))
                    .toList()
                    .stream()
                    .anyMatch(reached::add);
        }
        return reached.stream().anyMatch(blocker.claim()::conflictsWith);
    }

    private boolean isKept(Completed store, Claim claim) {
        return alive.get().stream()
                .filter(row -> row.state() == LeaseView.State.COMPLETED)
                .filter(row -> tokens.same(row.holding().token(), store.token()))
                .filter(row ->
                        row.holding().claim().scopes().stream().anyMatch(claim.scopes()::contains))
                .anyMatch(row -> row.record().filter(store.record()::equals).isPresent());
    }

    private boolean same(Grant model, Grant store) {
        return tokens.same(model.holding(), store.holding())
                && model.id().equals(store.id())
                && model.ttl().equals(store.ttl());
    }

    /** Where time is real, a request may be in the store for long; but its lease ends when it should. */
    private boolean same(Validity model, Validity store) {
        return tolerance.isZero()
                ? model.equals(store)
                : close(end(model), end(store))
                        && store.remaining().compareTo(model.remaining().plus(tolerance)) <= 0;
    }

    private static Duration end(Validity validity) {
        return validity.inStore().plus(validity.remaining());
    }

    private static boolean same(Object expected, Object actual) {
        return expected instanceof LeaseholdException
                ? expected.getClass() == actual.getClass()
                : expected.equals(actual);
    }

    private boolean close(Duration model, Duration store) {
        return model.minus(store).abs().compareTo(tolerance) <= 0;
    }
}
