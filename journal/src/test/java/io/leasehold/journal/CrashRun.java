// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseView;
import io.leasehold.testkit.DiskFault;
import io.leasehold.testkit.SimulatedDisk;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;

/**
 * One run of callers, a fault at one operation of the disk, and what a start makes of it; often
 * another crash, also while it starts, and always another start.
 */
final class CrashRun {

    private static final int STEPS = 45;
    private static final int MORE_STEPS = 8;

    private final long at;
    private final DiskFault fault;
    private final SimulatedDisk disk;
    private final SplittableRandom random;
    private final Callers callers;
    private final World world;
    private long points;

    CrashRun(long seed, long at, DiskFault fault) {
        this.at = at;
        this.fault = fault;
        this.disk = Images.disk(seed, seed * 1_000_003 + at * 31 + fault.name().hashCode());
        this.random = new SplittableRandom(seed ^ at << 20 ^ fault.name().hashCode());
        this.world = World.closed(disk);
        this.callers = new Callers(world, seed);
    }

    /** How many operations a run has without any fault. */
    static long operations(long seed) {
        CrashRun run = new CrashRun(seed, Long.MAX_VALUE / 4, DiskFault.KILL);
        run.disk.failAt(run.at, run.fault);
        boolean unused = run.live(STEPS);
        return run.disk.operations();
    }

    /** How many crash points there were: 0 if the fault does not concern that operation. */
    long run() {
        disk.failAt(at, fault);
        boolean hit = live(STEPS);
        if (!hit) {
            return 0;
        }
        points++;
        recover();
        if (random.nextInt(3) > 0) {
            crashAgain();
        }
        startTwice();
        return points;
    }

    /** Opens the journal and has callers use it until the fault has struck, and a bit more. */
    private boolean live(int steps) {
        try {
            world.start();
            for (int i = 0; i < steps && !isDown(); i++) {
                callers.act();
                if (disk.operations() > at && disk.faults() == 0) {
                    return false;
                }
            }
        } catch (StoreUnavailableException e) {
            assertThat(disk.faults()).as("refused without a cause").isPositive();
        }
        callers.ensureSound();
        return disk.faults() > 0;
    }

    /** Whether nothing can come any more; a store that has stopped stays so. */
    private boolean isDown() {
        if (disk.isDown()) {
            return true;
        }
        if (disk.faults() == 0) {
            return false;
        }
        boolean stopped = isStopped(world.store.list(LeaseQuery.all()));
        if (stopped) {
            LeaseRequest late = World.request("late", Duration.ofSeconds(1));
            assertThat(isStopped(world.store.acquire(late))).isTrue();
            assertThat(isStopped(world.store.withdraw(late))).isTrue();
        }
        return stopped;
    }

    private static boolean isStopped(CompletionStage<?> probe) {
        return probe.toCompletableFuture().isCompletedExceptionally()
                && World.failure(probe) instanceof StoreUnavailableException failure
                && String.valueOf(failure.getMessage()).contains("has stopped");
    }

    /** Ends what is left of the process, one way or the other, and opens the journal. */
    private void recover() {
        if (!disk.isDown()) {
            if (random.nextBoolean()) {
                disk.kill();
            } else {
                disk.crash();
            }
        } else if (random.nextInt(3) == 0) {
            disk.crash();
        }
        callers.crashed();
        world.reopen();
        Verdict.look(callers);
    }

    /** Crashes while it starts or soon after. */
    private void crashAgain() {
        Verdict.repeat(callers, random);
        for (int i = random.nextInt(MORE_STEPS); i > 0; i--) {
            callers.act();
        }
        callers.ensureSound();
        disk.kill();
        disk.restart();
        callers.crashed();
        disk.failAt(
                random.nextInt(1, 60),
                random.nextBoolean() ? DiskFault.POWER_LOSS : DiskFault.KILL);
        long before = disk.faults();
        try {
            world.start();
            for (int i = 0; i < MORE_STEPS && !disk.isDown(); i++) {
                callers.act();
            }
        } catch (StoreUnavailableException e) {
            assertThat(disk.isDown()).as("refused without a cause").isTrue();
        }
        points += disk.faults() - before;
        callers.ensureSound();
        recover();
    }

    private void startTwice() {
        List<LeaseView> first = world.list();
        world.killAndReopen();
        assertThat(world.list()).isEqualTo(first);
        Verdict.look(callers);
        Verdict.repeat(callers, random);
        Verdict.look(callers);
    }
}
