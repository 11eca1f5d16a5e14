// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.journal.JournalLeaseStore;
import io.leasehold.journal.JournalOptions;
import io.leasehold.model.Claim;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Time;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The journal engine beside what the disk can do by hand: a write and a force for each record, and
 * {@link GroupCommit}. All in turn, on the same disk.
 */
final class JournalSuite {

    private static final List<Integer> CALLERS = List.of(1, 8, 64);
    private static final int MANY = 64;
    private static final String RAW = "write + force";
    private static final String HAND = "group commit by hand";
    private static final String ENGINE = "journal command";
    private static final String RENEWAL = "journal renewal";
    private static final double ALONE_GOAL = 0.8; // of write + force
    private static final double MANY_GOAL = 0.6; // of group commit by hand

    private JournalSuite() {}

    static List<Row> run(Effort effort, PrintStream progress) {
        List<Row> rows = new ArrayList<>();
        try (Scratch scratch = Scratch.under(effort.disk())) {
            rows.addAll(commands(effort, scratch, progress));
            try (JournalLeaseStore store = JournalLeaseStore.open(scratch.file("renewed"))) {
                rows.add(RenewalLoad.measure(Suite.JOURNAL, store, effort, progress));
            }
            rows.addAll(JournalRecovery.run(effort, scratch, progress));
        }
        return rows;
    }

    // ---- commands

    private static List<Row> commands(Effort effort, Scratch scratch, PrintStream progress) {
        Medians medians = new Medians();
        CountingDisk disk = new CountingDisk();
        try (RecordFile raw = new RecordFile(scratch.file("raw"));
                JournalLeaseStore store = JournalLeaseStore.open(
                        scratch.file("journal"), JournalOptions.defaults(), Time.system(), disk)) {
            progress.println("  warming up");
            Duration warmUp = effort.timing().warmUp();
            AtomicInteger numbers = new AtomicInteger();
            IntFunction<Runnable> commands =
                    caller -> new Commands(store, numbers.incrementAndGet());
            IntFunction<Runnable> renewals = caller -> renewals(store, numbers.incrementAndGet());
            Callers unused = Callers.run(MANY, warmUp, commands);
            for (int round = 1; round <= effort.rounds(); round++) {
                progress.printf("  round %d of %d%n", round, effort.rounds());
                Duration length = effort.timing().measurement();
                Callers alone = Callers.run(1, length, caller -> () -> raw.append(1));
                medians.add(RAW, alone.perSecond());
                for (int callers : CALLERS) {
                    byHand(callers, length, scratch, medians);
                    engine(callers, length, commands, disk, medians);
                    Callers renewed = Callers.run(callers, length, renewals);
                    medians.add(RENEWAL + callers, renewed.perSecond());
                }
            }
        }
        List<Row> rows = new ArrayList<>();
        rows.add(Row.of(Suite.JOURNAL, "disk probe: 100 B, " + RAW + ", 1 thread", raw(medians)));
        for (int callers : CALLERS) {
            rows.addAll(rows(callers, medians));
        }
        return rows;
    }

    private static void byHand(int callers, Duration length, Scratch scratch, Medians medians) {
        try (GroupCommit commit = new GroupCommit(scratch.file("by-hand"))) {
            Callers result = Callers.run(callers, length, caller -> commit::commit);
            medians.add(HAND + callers, result.perSecond());
            medians.add(HAND + callers + " batch", commit.batchSize());
        }
    }

    private static void engine(
            int callers,
            Duration length,
            IntFunction<Runnable> commands,
            CountingDisk disk,
            Medians medians) {
        long forces = disk.forces();
        Callers result = Callers.run(callers, length, commands);
        forces = disk.forces() - forces;
        medians.add(ENGINE + callers, result.perSecond());
        medians.add(ENGINE + callers + " batch", (double) result.calls() / forces);
        medians.add(ENGINE + callers + " p50", result.latencies().quantile(0.5));
        medians.add(ENGINE + callers + " p99", result.latencies().quantile(0.99));
    }

    /** Acquires and releases names of its own, in turn: a command a call. */
    private static final class Commands implements Runnable {

        private final JournalLeaseStore store;
        private final Claim claim;
        private final Requests requests;
        private @Nullable Grant held;

        /** What is left over of one caller is in nobody's way: each number is used once. */
        Commands(JournalLeaseStore store, int number) {
            this.store = store;
            this.claim = Requests.named(number);
            this.requests = Requests.of(number, Requests.TTL);
        }

        @Override
        public void run() {
            Grant grant = held;
            if (grant == null) {
                held = Answers.granted(store.acquire(requests.next(claim)));
            } else {
                held = null;
                Ending unused = Answers.ended(store.release(grant));
            }
        }
    }

    /** Keeps a lease of its own. */
    private static Runnable renewals(JournalLeaseStore store, int number) {
        Requests requests = Requests.of(number, Requests.LONG_TTL);
        Grant grant = Answers.granted(store.acquire(requests.next(Requests.named(number))));
        RenewalRequest request = RenewalRequest.of(grant, Requests.LONG_TTL);
        return () -> {
            Renewal unused = Answers.renewed(store.renew(request));
        };
    }

    // ---- rows

    private static List<Row> rows(int callers, Medians medians) {
        Quantity hand = Quantity.perSecond(medians.of(HAND + callers));
        Quantity engine = Quantity.perSecond(medians.of(ENGINE + callers));
        Row commands = row(ENGINE + "s", callers, engine);
        return List.of(
                row(HAND + ", 100 B", callers, hand).beside(RAW, raw(medians)),
                row(HAND + ", batch", callers, batch(HAND + callers, medians)),
                callers == 1
                        ? commands.beside(RAW, raw(medians)).atLeast(ALONE_GOAL)
                        : goal(commands.beside(HAND, hand), callers),
                row(ENGINE + "s, batch", callers, batch(ENGINE + callers, medians)),
                row(ENGINE + ", p50", callers, latency(ENGINE + callers + " p50", medians)),
                row(ENGINE + ", p99", callers, latency(ENGINE + callers + " p99", medians)),
                row(
                        RENEWAL + "s, no disk",
                        callers,
                        Quantity.perSecond(medians.of(RENEWAL + callers))));
    }

    private static Row goal(Row row, int callers) {
        return callers == MANY ? row.atLeast(MANY_GOAL) : row;
    }

    private static Quantity raw(Medians medians) {
        return Quantity.perSecond(medians.of(RAW));
    }

    private static Quantity batch(String what, Medians medians) {
        return new Quantity(medians.of(what + " batch"), Quantity.Unit.PER_FORCE);
    }

    private static Quantity latency(String what, Medians medians) {
        return Quantity.nanoseconds(medians.of(what));
    }

    private static Row row(String what, int callers, Quantity figure) {
        String suffix = callers == 1 ? ", 1 caller" : ", " + callers + " callers";
        return Row.of(Suite.JOURNAL, what + suffix, figure);
    }
}
