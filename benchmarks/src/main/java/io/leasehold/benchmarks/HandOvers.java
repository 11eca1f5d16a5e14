// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.Election;
import io.leasehold.Leasehold;
import io.leasehold.LeaseholdOptions;
import io.leasehold.Term;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * An office that goes round: each leader resigns at once. Measured is from a resignation to the
 * body of the next leader. Every candidate has a {@code Leasehold} of its own, as in a process of
 * its own; enough of them stand for office for somebody to be next in line.
 */
final class HandOvers {

    private static final int CANDIDATES = 8;

    /** Kept so that its level is: an election tells of each term. */
    private static final Logger LOG = Logger.getLogger(Election.class.getName());

    private final Latencies latencies = new Latencies(); // one leader at a time, in order
    private final CountDownLatch over = new CountDownLatch(1);
    private final long end;
    private long resignedAt;

    private HandOvers(Duration length) {
        this.end = Time.system().nanos() + length.toNanos();
    }

    static Latencies run(Duration length) {
        LOG.setLevel(Level.WARNING);
        HandOvers round = new HandOvers(length);
        LeaseholdOptions options = LeaseholdOptions.defaults().withStoreLeftOpen();
        List<Leasehold> processes = new ArrayList<>();
        try (MemoryLeaseStore store = MemoryLeaseStore.create()) {
            for (int i = 0; i < CANDIDATES; i++) {
                Leasehold process = Leasehold.on(store, options);
                processes.add(process);
                Election unused = process.election("office", round::lead);
            }
            round.over.await();
            processes.forEach(Leasehold::close);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
        return round.latencies;
    }

    /** The store orders this between the leaders. After the end nothing is added any more. */
    private void lead(Term term) {
        long now = Time.system().nanos();
        if (now - end >= 0 && latencies.count() > 0) {
            over.countDown();
            return;
        }
        if (resignedAt != 0) {
            latencies.add(now - resignedAt);
        }
        resignedAt = Time.system().nanos();
        term.resign();
    }
}
