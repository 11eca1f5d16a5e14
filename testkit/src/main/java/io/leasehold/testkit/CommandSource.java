// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.testkit.Command.Known;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Invents commands from a seed, over so few scopes and holders that they get in each other's way. Lengths of time are
 * whole units and time passes in units and in the smallest steps, so that things often fall due at the same moment.
 * Requests and grants are used again for a while after they are over. Times at which many wait for anything take
 * turns with times at which few wait, mostly for one name, because stores may take another way then.
 */
final class CommandSource {

    /** The longest lock-delay that a request is given. */
    static final int MAX_LOCK_DELAY_UNITS = 2;

    private static final int REMEMBERED = 24;
    private static final int BUSY = 200;
    private static final int HARMLESS_PERCENT = 4;
    private static final List<Scope> SCOPES = List.of(
            Scope.name("a"),
            Scope.name("b"),
            Scope.name("c"),
            Scope.path("/p"),
            Scope.path("/p/q"),
            Scope.path("/p/q/r"),
            Scope.path("/s"),
            Scope.subtree("/p"),
            Scope.subtree("/p/q"),
            Scope.subtree("/"),
            Scope.inode(1),
            Scope.range(1, 0, 10),
            Scope.range(1, 5, 15),
            Scope.range(1, 10, 20));
    private static final List<Scope> NAMES = SCOPES.subList(0, 3);
    private static final List<Holder> HOLDERS =
            List.of(new Holder("x"), new Holder("y"), new Holder("z"));

    private final SplittableRandom random;
    private final SplittableRandom harmless;
    private final Duration unit;
    private final Duration tick;
    private final boolean exact;
    private final List<Command.Acquire> acquires = new ArrayList<>();
    private final List<Known> leases = new ArrayList<>();
    private final List<Command.Complete> completions = new ArrayList<>();
    private int requests;

    CommandSource(DifferentialDriver driver, boolean exact) {
        this.random = new SplittableRandom(driver.seed());
        this.harmless = new SplittableRandom(~driver.seed());
        this.unit = driver.unit();
        this.tick = driver.tick();
        this.exact = exact;
    }

    /** Notes a grant for later use. */
    void learn(Known lease) {
        remember(leases, lease);
    }

    Command next() {
        return !leases.isEmpty() && harmless.nextInt(100) < HARMLESS_PERCENT
                ? harmlessOne()
                : effective();
    }

    /**
     * A command that mostly changes nothing: a check, or a withdrawal under the id of another request. It is drawn
     * from random numbers of its own, so that it comes between the other commands of a seed and changes none of them.
     */
    private Command harmlessOne() {
        Known lease = leases.get(harmless.nextInt(leases.size()));
        List<Scope> own = lease.model().holding().claim().scopes();
        Scope scope = SCOPES.get(harmless.nextInt(SCOPES.size()));
        if (exact
                && harmless
                        .nextBoolean()) { // else tokens of the same moment may be in either order
            return new Command.Check(harmless.nextInt(4) == 0 ? scope : own.get(0), lease);
        }
        Command.Acquire known = acquires.get(harmless.nextInt(acquires.size()));
        LeaseRequest request = known.request();
        LeaseRequest other = new LeaseRequest(
                request.id(), Claim.exclusive(scope), request.holder(), request.terms());
        return harmless.nextBoolean()
                ? new Command.Withdraw(other)
                : new Command.WithdrawUnlessUsed(other.sentBy(request.sender()));
    }

    private Command effective() {
        int choice = random.nextInt(100);
        if (choice < 34 || leases.isEmpty()) {
            return newAcquire();
        } else if (choice < 42) {
            return chance(20) ? anotherRequest(recent(leases)) : repeat();
        } else if (choice < 45) {
            return new Command.Withdraw((chance(20) ? newAcquire() : recent(acquires)).request());
        } else if (choice < 47) {
            return new Command.WithdrawUnlessUsed(repeat().request());
        } else if (choice < 50) {
            Optional<Scope> overlapping =
                    chance(50) ? Optional.of(oneOf(SCOPES)) : Optional.empty();
            int pageSize = 1 + random.nextInt(4);
            return new Command.ListPages(
                    overlapping, exact ? pageSize : LeaseQuery.MAX_LIMIT); // pages take time
        } else if (choice < 65) {
            return new Command.Pass(span());
        }
        return onLease(choice, chance(12) ? forged(recent(leases)) : recent(leases));
    }

    private Command onLease(int choice, Known lease) {
        if (choice < 73) {
            return new Command.Renew(lease, newTtl(), OptionalLong.empty());
        } else if (choice < 77) {
            return new Command.Renew(lease, newTtl(), OptionalLong.of(1 + random.nextInt(3)));
        } else if (choice < 79) {
            return new Command.RenewAll(
                    List.of(lease, recent(leases), recent(leases)), units(1, 6));
        } else if (choice < 84) {
            return new Command.Rotate(lease);
        } else if (choice < 91) {
            return new Command.Release(lease);
        } else if (choice < 94) {
            List<Scope> own = lease.model().holding().claim().scopes();
            return new Command.ForceRelease(oneOf(chance(90) ? own : SCOPES), lease);
        }
        return complete(lease);
    }

    /** A completion, or one that was done before. */
    private Command complete(Known lease) {
        if (chance(30) && !completions.isEmpty()) {
            return recent(completions);
        }
        Command.Complete complete = new Command.Complete(lease, record(), units(0, 4));
        remember(completions, complete);
        return complete;
    }

    /** The id of a lease, used for other scopes, with another mode, holder or ttl. */
    private Command.Acquire anotherRequest(Known lease) {
        Holding holding = lease.model().holding();
        LeaseRequest request = LeaseRequest.of(
                lease.model().id(),
                chance(50) ? claim() : holding.claim(),
                chance(50) ? oneOf(HOLDERS) : holding.holder(),
                chance(50) ? units(1, 6) : lease.model().ttl());
        return new Command.Acquire(
                chance(50) ? request.waitingAtMost(units(1, 6)) : request, Optional.empty());
    }

    /** The length of a renewal, or none. */
    private Optional<Duration> newTtl() {
        return chance(25) ? Optional.empty() : Optional.of(units(1, 6));
    }

    /** A recent request, now and then from another sender. */
    private Command.Acquire repeat() {
        Command.Acquire known = recent(acquires);
        return chance(75)
                ? known
                : new Command.Acquire(known.request().sentBy(random.nextInt(3)), known.since());
    }

    private Command.Acquire newAcquire() {
        boolean busy = requests++ / BUSY % 2 == 0;
        Claim claim = busy || chance(20) ? claim() : Claim.exclusive(oneOf(NAMES));
        LeaseRequest request = LeaseRequest.of(newId(), claim, oneOf(HOLDERS), units(1, 6));
        request = chance(busy ? 55 : 3) ? request.waitingAtMost(units(1, 6)) : request;
        request = chance(10) ? request.withLockDelay(units(1, MAX_LOCK_DELAY_UNITS)) : request;
        request = chance(15) ? request.withRecord(record()) : request;
        request = chance(25) ? request.unlessCompleted() : request;
        request = chance(60) ? request.sentBy(1 + random.nextInt(2)) : request;
        Optional<Known> since =
                leases.isEmpty() || !chance(15) ? Optional.empty() : Optional.of(recent(leases));
        Command.Acquire acquire = new Command.Acquire(request, since);
        remember(acquires, acquire);
        return acquire;
    }

    private Claim claim() {
        Mode mode = chance(60) ? Mode.EXCLUSIVE : Mode.SHARED;
        int count = chance(75) ? 1 : 2 + random.nextInt(2);
        Set<Scope> scopes = new LinkedHashSet<>();
        while (scopes.size() < count) {
            scopes.add(oneOf(SCOPES));
        }
        return new Claim(List.copyOf(scopes), mode);
    }

    /** A grant with something wrong about it: another id, another token, or other scopes. */
    private Known forged(Known lease) {
        LeaseId id = newId();
        int what = random.nextInt(3);
        if (what == 0) {
            return new Known(withId(lease.model(), id), withId(lease.store(), id), lease.forged());
        } else if (what == 1) {
            return new Known(withToken(lease.model()), withToken(lease.store()), lease.forged());
        }
        List<Scope> scopes = new ArrayList<>(lease.model().holding().claim().scopes());
        if (scopes.size() > 1) {
            scopes.remove(scopes.size() - 1);
        } else {
            scopes.add(scopes.get(0).equals(SCOPES.get(0)) ? SCOPES.get(1) : SCOPES.get(0));
        }
        Claim claim = new Claim(scopes, lease.model().holding().claim().mode());
        return new Known(withClaim(lease.model(), claim), withClaim(lease.store(), claim), true);
    }

    private static Grant withId(Grant grant, LeaseId id) {
        return new Grant(grant.holding(), id, grant.ttl());
    }

    /** Far above any token that a run will see. */
    private static Grant withToken(Grant grant) {
        Holding holding = grant.holding();
        FencingToken token = new FencingToken(FencingToken.MAX_VALUE - 1);
        return new Grant(
                new Holding(holding.claim(), holding.holder(), token), grant.id(), grant.ttl());
    }

    private static Grant withClaim(Grant grant, Claim claim) {
        Holding holding = grant.holding();
        return new Grant(
                new Holding(claim, holding.holder(), holding.token()), grant.id(), grant.ttl());
    }

    private Duration span() {
        return switch (random.nextInt(6)) {
            case 0 -> unit.dividedBy(2);
            case 1 -> exact ? tick : unit;
            case 2 -> exact ? unit.minus(tick) : unit;
            case 3 -> units(2, 4);
            default -> unit;
        };
    }

    private Duration units(int least, int most) {
        return unit.multipliedBy(least + random.nextInt(most - least + 1));
    }

    private LeaseRecord record() {
        LeaseRecord.Kind[] kinds = LeaseRecord.Kind.values();
        byte[] bytes = ("record-" + random.nextInt(1000)).getBytes(UTF_8);
        return LeaseRecord.of(kinds[random.nextInt(kinds.length)], bytes);
    }

    private LeaseId newId() {
        return new LeaseId(random.nextLong(), random.nextLong());
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    private <T> T oneOf(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    /** One of the remembered ones, the newest more likely than the oldest. */
    private <T> T recent(List<T> remembered) {
        int age = Math.min(random.nextInt(remembered.size()), random.nextInt(remembered.size()));
        return remembered.get(remembered.size() - 1 - age);
    }

    private static <T> void remember(List<T> remembered, T added) {
        remembered.add(added);
        if (remembered.size() > REMEMBERED) {
            remembered.remove(0);
        }
    }
}
