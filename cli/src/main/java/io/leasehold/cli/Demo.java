// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.Environment;
import io.leasehold.FencedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LeaseholdOptions;
import io.leasehold.LockOptions;
import io.leasehold.cli.DemoStep.Kind;
import io.leasehold.cli.DemoStep.Run;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Scope;
import io.leasehold.model.StaleTokenException;
import io.leasehold.spi.Time;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.PausableTime;
import io.leasehold.testkit.VirtualTime;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The story of the paused client, told by the real code on simulated time: a lease runs out under
 * client A, client B takes over, A wakes up and writes.
 */
final class Demo implements AutoCloseable {

    private static final Duration TTL = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofSeconds(15);

    private final Run run;
    private final VirtualTime time = VirtualTime.create();
    private final PausableTime timeOfA = PausableTime.on(time);
    private final MemoryLeaseStore store = MemoryLeaseStore.create(TableOptions.defaults(), time);
    private final Leasehold a = client("A", timeOfA);
    private final Leasehold b = client("B", time);
    private final long[] balance = {100};
    private final MemoryGuard<long[]> guard = MemoryGuard.around("the balance", balance);
    private final List<DemoStep> steps = new ArrayList<>();

    private Demo(Run run) {
        this.run = run;
    }

    /** Both runs, the unguarded first. */
    static List<DemoStep> run() {
        List<DemoStep> all = new ArrayList<>();
        for (Run run : Run.values()) {
            try (Demo demo = new Demo(run)) {
                demo.play();
                all.addAll(demo.steps);
            }
        }
        return all;
    }

    private Leasehold client(String name, Time timeOfClient) {
        Environment environment = new Environment(timeOfClient, Runnable::run, new SecureRandom());
        return Leasehold.on(
                store,
                LeaseholdOptions.defaults()
                        .withHolder(name)
                        .withEnvironment(environment)
                        .withStoreLeftOpen());
    }

    private void play() {
        try (Lease lease = lock(a).acquire(Duration.ZERO)) {
            step("A", lease, "acquires the lock");
            long seen = read(lease);
            step("A", lease, "reads " + seen + ", to add 50");
            pass(Duration.ofSeconds(1));
            timeOfA.pause();
            step("A", lease, "is paused by its garbage collector; its renewals stop");
            takeOver();
            lease.onLost(loss -> step("A", lease, "learns that its lease is lost"));
            step("A", lease, "wakes up and, knowing nothing, writes " + (seen + 50));
            lateWrite(lease, seen + 50);
        }
        result();
    }

    /** B waits for the lock, gets it when A's lease runs out, and adds 25. */
    private void takeOver() {
        var acquired = lock(b).acquireAsync(Duration.ofMinutes(1));
        say("B", Optional.empty(), Kind.STEP, "asks for the lock and waits");
        pass(TTL.minusSeconds(1));
        try (Lease lease = acquired.join()) {
            step("B", lease, "gets the lock: A's lease has run out");
            long seen = read(lease);
            write(lease, seen + 25);
            step("B", lease, "reads " + seen + ", adds 25, writes " + (seen + 25));
        }
        pass(PAUSE.minus(TTL).plusSeconds(1));
    }

    private void lateWrite(Lease lease, long value) {
        try {
            write(lease, value);
            say("A", Optional.of(lease), Kind.TROUBLE, "the write is taken; B's 25 are gone");
            timeOfA.resume();
        } catch (StaleTokenException e) {
            say("A", Optional.of(lease), Kind.RESCUE, "the write is refused: " + e.getMessage());
            timeOfA.resume();
            startOver();
        }
    }

    /** What a refused client does: acquire again, read again, write again. */
    private void startOver() {
        try (Lease lease = lock(a).acquire(Duration.ZERO)) {
            step("A", lease, "acquires the lock again");
            long seen = read(lease);
            write(lease, seen + 50);
            step("A", lease, "reads " + seen + ", adds 50, writes " + (seen + 50));
        }
    }

    private void result() {
        String verdict =
                balance[0] == 175 ? "100 + 25 + 50, nothing lost" : "but 100 + 25 + 50 = 175";
        say("", Optional.empty(), Kind.RESULT, "the balance is " + balance[0] + ": " + verdict);
    }

    private long read(Lease lease) {
        if (run == Run.GUARDED) {
            guard.seal(lease.token());
        }
        return balance[0];
    }

    private void write(Lease lease, long value) {
        if (run == Run.GUARDED) {
            guard.write(lease.token(), guarded -> guarded[0] = value);
        } else {
            balance[0] = value;
        }
    }

    private static FencedLock lock(Leasehold client) {
        return client.lock(LockOptions.defaults().withTtl(TTL), Scope.name("ledger/42"));
    }

    private void pass(Duration span) {
        time.advance(span);
    }

    private void step(String actor, Lease lease, String text) {
        say(actor, Optional.of(lease), Kind.STEP, text);
    }

    private void say(String actor, Optional<Lease> lease, Kind kind, String text) {
        steps.add(new DemoStep(
                run, Duration.ofNanos(time.nanos()), actor, lease.map(Lease::token), text, kind));
    }

    @Override
    public void close() {
        a.close();
        b.close();
        store.close();
    }
}
