// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Time;
import io.leasehold.spi.Validity;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A process that takes leases, uses them for a while and gives them back, and believes in them for
 * as long as its own clock says, by rule R12. When it dies, another one takes its place.
 */
final class SimulatedClient {

    private static final double DRIFT = 0.01;
    private static final long DELTA_NANOS = 5_000_000;
    private static final List<Claim> CLAIMS = List.of(
            Claim.exclusive(Scope.name("a")),
            Claim.exclusive(Scope.name("a")),
            Claim.exclusive(Scope.name("b")),
            Claim.exclusive(Scope.name("a"), Scope.name("b")),
            Claim.shared(Scope.name("a")));

    private final Cluster cluster;
    private final Holder holder;
    private final SplittableRandom random;
    private List<Wire> wires = List.of();
    private Time clock;
    private QuorumLeaseStore store;
    private int life;
    private boolean stopping;
    private boolean idle = true;
    private long deadline;
    private @Nullable Grant held;
    private @Nullable Grant rotating;
    private long rotationFloor;

    SimulatedClient(Cluster cluster, String name) {
        this.cluster = cluster;
        this.holder = new Holder(name);
        this.random = cluster.random().split();
        this.clock = cluster.clock();
        this.wires = cluster.wires();
        this.store = cluster.open(wires, clock);
    }

    void begin() {
        later(Duration.ofMillis(random.nextInt(20)), this::acquire);
    }

    /** Loses all it knows, in the middle of whatever it is doing. */
    void die() {
        life++;
        wires.forEach(Wire::cut);
        if (held != null) {
            cluster.history().disbelieve(held.id());
            held = null;
        }
        wires = cluster.wires();
        clock = cluster.clock();
        store = cluster.open(wires, clock);
        cluster.history().note("client died");
        begin();
    }

    /** Takes nothing new from now on. */
    void stop() {
        stopping = true;
    }

    boolean isIdle() {
        return idle;
    }

    // ---- what it does

    private void acquire() {
        idle = stopping;
        if (stopping) {
            return;
        }
        Claim claim = CLAIMS.get(random.nextInt(CLAIMS.size()));
        LeaseId id = new LeaseId(random.nextLong(), random.nextLong());
        Duration ttl = Duration.ofMillis(500 + random.nextInt(2500));
        LeaseRequest request = LeaseRequest.of(id, claim, holder, ttl);
        request = random.nextInt(3) == 0
                ? request
                : request.waitingAtMost(Duration.ofMillis(1 + random.nextInt(1500)));
        acquire(request, 1, cluster.history().floor());
    }

    /** The floor is from before the first attempt: a repeat is the same request. */
    private void acquire(LeaseRequest request, int attempt, long floor) {
        cluster.history().begin("acquire");
        long sentAt = clock.nanos();
        ask(store.acquire(request), (answer, failure) -> {
            cluster.history()
                    .note(answer == null ? "no answer" : answer.getClass().getSimpleName());
            if (answer instanceof Granted granted) {
                granted(granted, sentAt, floor);
            } else if (answer == null && attempt < 3 && random.nextInt(3) == 0) {
                acquire(request, attempt + 1, floor);
            } else if (answer == null) {
                cluster.history().begin("withdraw");
                ask(store.withdraw(request), (ending, lost) -> begin());
            } else {
                begin();
            }
        });
    }

    private void granted(Granted granted, long sentAt, long floor) {
        Grant grant = granted.grant();
        cluster.history().token(grant.id(), grant.token(), floor);
        held = grant;
        deadline = deadline(sentAt, granted.validity());
        if (isValid()) {
            believe(grant);
            write();
            use(random.nextInt(5));
        } else {
            cluster.history().note("granted too late");
            end();
        }
    }

    private void use(int steps) {
        if (held == null || !isValid()) {
            cluster.history().note("lost");
            end();
        } else if (steps == 0) {
            write();
            end();
        } else {
            long longest = random.nextInt(8) < cluster.weather().longHolds()
                    ? held.ttl().toNanos() / 2
                    : 20_000_000;
            Duration pause = Duration.ofNanos(random.nextLong(longest));
            later(pause, () -> {
                write();
                if (held != null && isValid()) {
                    if (random.nextInt(6) == 0) {
                        rotate(held, steps);
                    } else {
                        renew(held, steps);
                    }
                } else {
                    use(0);
                }
            });
        }
    }

    private void renew(Grant grant, int steps) {
        cluster.history().begin("renew");
        long sentAt = clock.nanos();
        ask(store.renew(RenewalRequest.of(grant, grant.ttl())), (answer, failure) -> {
            if (answer instanceof Renewal.Renewed renewed) {
                if (isValid()) {
                    long extended = deadline(sentAt, renewed.validity());
                    deadline = extended - deadline > 0 ? extended : deadline;
                }
            } else if (answer instanceof Refused) {
                cluster.history().note("renewal refused");
                deadline = clock.nanos();
            } else {
                cluster.history().note("renewal unknown");
            }
            use(steps - 1);
        });
    }

    private void rotate(Grant grant, int steps) {
        if (!grant.equals(rotating)) { // otherwise it is a repeat
            rotating = grant;
            rotationFloor = cluster.history().floor();
        }
        long floor = rotationFloor;
        cluster.history().begin("rotate");
        ask(store.rotate(grant), (answer, failure) -> {
            if (answer instanceof Rotation.Rotated rotated) {
                cluster.history().token(grant.id(), rotated.grant().token(), floor);
                held = rotated.grant();
                if (isValid()) {
                    believe(rotated.grant());
                }
            }
            use(steps - 1);
        });
    }

    private void end() {
        Grant grant = held;
        held = null;
        if (grant == null) {
            begin();
            return;
        }
        cluster.history().disbelieve(grant.id());
        int how = random.nextInt(10);
        if (how == 0) {
            cluster.history().note("abandoned");
            begin();
        } else if (how == 1) {
            cluster.history().begin("complete");
            ask(
                    store.complete(grant, LeaseRecord.of("done"), Duration.ofSeconds(1)),
                    (answer, failure) -> begin());
        } else {
            cluster.history().begin("release");
            ask(store.release(grant), (answer, failure) -> begin());
        }
    }

    /** Writes under its token, also when it should know better. */
    private void write() {
        Grant grant = held;
        if (grant != null && grant.holding().claim().mode() == Mode.EXCLUSIVE) {
            for (Scope scope : grant.holding().claim().scopes()) {
                cluster.history().write(scope, grant.id(), grant.token());
            }
        }
    }

    // ---- time

    private void believe(Grant grant) {
        int mine = life;
        FencingToken token = grant.token();
        cluster.history()
                .believe(new History.Belief(
                        grant.id(),
                        grant.holding().claim(),
                        token,
                        () -> life == mine && isValid()));
    }

    private boolean isValid() {
        return deadline - clock.nanos() > 0;
    }

    private static long deadline(long sentAt, Validity validity) {
        long length = validity.inStore().plus(validity.remaining()).toNanos();
        return sentAt + (long) (length * (1 - 2 * DRIFT)) - DELTA_NANOS;
    }

    private <T> void ask(CompletionStage<T> stage, BiConsumer<@Nullable T, Throwable> then) {
        int mine = life;
        CompletionStage<T> unused = stage.whenComplete((answer, failure) -> {
            if (mine == life) {
                then.accept(answer, failure);
            }
        });
    }

    private void later(Duration delay, Runnable task) {
        int mine = life;
        cluster.after(delay, () -> {
            if (mine == life) {
                task.run();
            }
        });
    }
}
