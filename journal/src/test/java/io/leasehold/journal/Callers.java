// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Callers of a journal who do as a seed tells them, and remember what they were answered. They
 * judge each answer by what they know.
 */
final class Callers {

    private static final List<Duration> TTLS =
            List.of(Duration.ofSeconds(2), Duration.ofSeconds(10), Duration.ofMinutes(1));
    private static final List<Claim> CLAIMS = List.of(
            Claim.exclusive(Scope.name("a")),
            Claim.exclusive(Scope.name("b")),
            Claim.shared(Scope.name("a")),
            Claim.exclusive(Scope.path("/d/x")),
            Claim.shared(Scope.subtree("/d")),
            Claim.exclusive(Scope.range(7, 0, 100), Scope.name("c")),
            Claim.exclusive(Scope.inode(8)),
            Claim.exclusive(Scope.range(7, 50, 200)));

    final World world;
    final Map<String, Deal> deals = new HashMap<>(); // by the label of the holder
    private final List<Deal> order = new ArrayList<>();
    private final Map<Long, String> tokens = new HashMap<>(); // with their holders
    private final SplittableRandom random;
    private final long series;
    private final boolean isHeavy; // records are large, and segments soon full
    private long highest;
    private @Nullable AssertionError problem;

    Callers(World world, long seed) {
        this.world = world;
        this.random = new SplittableRandom(seed);
        this.series = seed;
        this.isHeavy = seed % 3 == 0;
    }

    List<Deal> all() {
        return order;
    }

    /** One command, or some time, or a thread that is held up for a while. */
    void act() {
        int what = random.nextInt(100);
        if (what < 26) {
            acquire();
        } else if (what < 42) {
            withDeal(this::renew);
        } else if (what < 48) {
            withDeal(this::rotate);
        } else if (what < 55) {
            withDeal(this::release);
        } else if (what < 58) {
            withDeal(this::force);
        } else if (what < 70) {
            withDeal(this::complete);
        } else if (what < 75) {
            withdraw();
        } else if (what < 79) {
            ask();
        } else if (what < 85) {
            world.threads.writer.hold();
        } else if (what < 92) {
            housekeep();
        } else {
            world.threads.writer.letGo();
            world.pass(Duration.ofMillis(random.nextInt(50, 2_500)));
        }
        if (random.nextInt(4) == 0) {
            world.threads.writer.letGo();
        }
        ensureSound();
    }

    private void housekeep() {
        if (random.nextBoolean()) {
            world.threads.housekeeper.hold();
        } else if (random.nextBoolean()) {
            boolean unused = world.threads.housekeeper.runOne();
        } else {
            world.threads.housekeeper.letGo();
        }
    }

    /** The store is gone, and with it whatever it had not answered. */
    void crashed() {
        order.forEach(Deal::crashed);
    }

    private interface Act {
        void on(Deal deal);
    }

    /** Takes in an answer; what is wrong about it is told by the next command. */
    private <T> void when(CompletionStage<T> stage, Consumer<T> taking) {
        stage.thenAccept(answer -> {
            try {
                taking.accept(answer);
            } catch (AssertionError e) {
                problem = problem == null ? e : problem;
            }
        });
    }

    /** Fails if an answer was wrong. */
    void ensureSound() {
        if (problem != null) {
            throw problem;
        }
    }

    private void withDeal(Act act) {
        List<Deal> running =
                order.stream().filter(deal -> deal.isRunning() && !deal.waits).toList();
        if (!running.isEmpty()) {
            act.on(running.get(random.nextInt(running.size())));
        }
    }

    /** All zeros, which look like what was never written, or none. */
    private LeaseRecord record(LeaseRecord.Kind kind) {
        byte[] bytes = new byte[isHeavy ? 60_000 : random.nextInt(random.nextInt(1, 20_000))];
        Arrays.fill(bytes, (byte) random.nextInt(3));
        return LeaseRecord.of(kind, bytes);
    }

    private Duration ttl() {
        return TTLS.get(random.nextInt(TTLS.size()));
    }

    // ---- commands

    private void acquire() {
        int number = order.size() + 1;
        LeaseRequest request = LeaseRequest.of(
                new LeaseId(series, number),
                CLAIMS.get(random.nextInt(CLAIMS.size())),
                new Holder("caller-" + series + "-" + number),
                ttl());
        if (random.nextInt(3) == 0) {
            request = request.waitingAtMost(Duration.ofMillis(random.nextInt(100, 5_000)));
        }
        if (isHeavy || random.nextInt(4) == 0) {
            request = request.withRecord(record(LeaseRecord.Kind.VALUE));
        }
        if (random.nextInt(5) == 0) {
            request = request.withLockDelay(Duration.ofSeconds(1));
        }
        if (random.nextInt(4) == 0) {
            request = request.unlessCompleted();
        }
        Deal deal = new Deal(request);
        deals.put(deal.label(), deal);
        order.add(deal);
        send(deal);
    }

    /** Asks for the lease, or asks again. */
    void send(Deal deal) {
        long before = highest;
        boolean sure = deal.isSurelyHeld(world.time.nanos());
        deal.waits = true;
        when(world.store.acquire(deal.request), answer -> {
            deal.waits = false;
            if (answer instanceof Acquisition.Granted granted) {
                granted(deal, granted, before);
            } else {
                assertThat(sure)
                        .as("%s could rely on its lease, and: %s", deal.label(), answer)
                        .isFalse();
                // a lease that ran out may be there once more after a crash, if nobody else has it
                deal.refused = deal.grant == null;
                if (answer instanceof Acquisition.Held held) {
                    saw(held.blocker());
                } else if (answer instanceof Acquisition.Completed completed) {
                    sawRecord(completed.token(), completed.record());
                }
            }
        });
    }

    private void granted(Deal deal, Acquisition.Granted granted, long before) {
        boolean isNew = !tokens.containsKey(granted.grant().token().value());
        assertThat(!isNew || granted.grant().token().value() > before || deal.rotationInDoubt)
                .as("%s was granted after token %d", granted, before)
                .isTrue();
        assertThat(granted.grant().holding().claim()).isEqualTo(deal.request.claim());
        if (deal.grant != null && !deal.rotationInDoubt) {
            assertThat(granted.grant().token()).isEqualTo(deal.surely().token());
        }
        saw(granted.grant().holding());
        deal.grant = granted.grant();
        deal.rotationInDoubt = false;
        deal.repeated(granted.version(), granted.validity(), world.time.nanos());
    }

    void renew(Deal deal) {
        RenewalRequest request = RenewalRequest.of(deal.surely(), ttl());
        boolean conditional = random.nextInt(4) == 0;
        boolean stale = conditional && random.nextBoolean();
        if (conditional) {
            request = request.ifVersion(deal.version - (stale ? 1 : 0));
        }
        boolean sure = !conditional && isSure(deal);
        deal.waits = true;
        when(world.store.renew(request), answer -> {
            deal.waits = false;
            long now = world.time.nanos();
            if (answer instanceof Renewal.Renewed renewed) {
                assertThat(stale).as("renewed on a version of the past").isFalse();
                deal.extended(renewed.version(), renewed.validity(), now);
            } else {
                assertThat(sure)
                        .as("%s could rely on its lease, and: %s", deal.label(), answer)
                        .isFalse();
            }
        });
    }

    private void rotate(Deal deal) {
        long before = deal.rotationInDoubt ? deal.surely().token().value() : highest;
        deal.waits = true;
        deal.rotationInDoubt = true;
        when(world.store.rotate(deal.surely()), answer -> {
            deal.waits = false;
            if (answer instanceof Rotation.Rotated rotated) {
                assertThat(rotated.grant().token().value()).isGreaterThan(before);
                saw(rotated.grant().holding());
                deal.grant = rotated.grant();
                deal.extended(rotated.version(), rotated.validity(), world.time.nanos());
            }
            deal.rotationInDoubt = false;
        });
    }

    void release(Deal deal) {
        boolean sure = deal.over || isSure(deal);
        deal.waits = true;
        deal.endInDoubt = true;
        deal.isReleased = true;
        when(world.store.release(deal.surely()), answer -> ended(deal, answer, sure));
    }

    private void force(Deal deal) {
        boolean sure = isSure(deal);
        List<Scope> scopes = deal.request.claim().scopes();
        Scope scope = scopes.get(random.nextInt(scopes.size()));
        deal.waits = true;
        deal.endInDoubt = true;
        when(
                world.store.forceRelease(scope, deal.surely().token()),
                answer -> ended(deal, answer, sure));
    }

    private void complete(Deal deal) {
        LeaseRecord record = record(LeaseRecord.Kind.FAILURE);
        Duration keepFor = random.nextInt(5) == 0 ? Duration.ZERO : ttl();
        deal.completion = Optional.of(new Deal.Completion(record, keepFor, world.time.nanos()));
        repeatCompletion(deal, deal.completion.get());
    }

    void repeatCompletion(Deal deal, Deal.Completion completion) {
        boolean sure = deal.over || isSure(deal);
        deal.waits = true;
        deal.endInDoubt = true;
        when(
                world.store.complete(deal.surely(), completion.record(), completion.keepFor()),
                answer -> ended(deal, answer, sure));
    }

    private boolean isSure(Deal deal) {
        return deal.isSurelyHeld(world.time.nanos()) && !deal.rotationInDoubt;
    }

    private void ended(Deal deal, Ending answer, boolean sure) {
        assertThat(answer instanceof Ending.Ended || !sure)
                .as("%s could end its lease, and: %s", deal.label(), answer)
                .isTrue();
        deal.waits = false;
        if (answer instanceof Ending.Ended && !deal.over) {
            deal.ended(world.time.nanos());
        }
    }

    private void withdraw() {
        if (order.isEmpty()) {
            return;
        }
        Deal deal = order.get(random.nextInt(order.size()));
        if (deal.over || deal.refused || deal.endInDoubt || deal.rotationInDoubt) {
            return;
        }
        deal.endInDoubt = true;
        when(world.store.withdraw(deal.request), answer -> ended(deal, answer, true));
    }

    private void ask() {
        when(
                world.store.list(LeaseQuery.all()),
                page -> page.leases().forEach(view -> saw(view.holding())));
    }

    // ---- tokens

    /** A token has one holder, for ever. */
    void saw(Holding holding) {
        long token = holding.token().value();
        String before = tokens.putIfAbsent(token, holding.holder().label());
        assertThat(before).as("who had %s", holding).isIn(null, holding.holder().label());
        highest = Math.max(highest, token);
    }

    private void sawRecord(FencingToken token, LeaseRecord record) {
        String label = tokens.get(token.value());
        if (label != null) {
            Deal deal = deals.get(label);
            assertThat(deal == null ? record : deal.completion.orElseThrow().record())
                    .isEqualTo(record);
        }
    }
}
