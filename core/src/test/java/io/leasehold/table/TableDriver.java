// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseholdException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseView;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Drives a table by hand: its time is a field, its answers are futures. */
final class TableDriver {

    static final Duration TTL = Duration.ofSeconds(1);

    final LeaseTable table;
    private long now;
    private long lastId;

    TableDriver(int stripes) {
        this(TableOptions.defaults(), stripes, 0);
    }

    TableDriver(TableOptions options, long lastToken) {
        this(options, 1, lastToken);
    }

    /** One whose table is full with so many leases. */
    static TableDriver withRoomFor(int leases, int stripes) {
        return new TableDriver(new TableOptions(leases, 1000, TTL, 1000), stripes, 0);
    }

    private TableDriver(TableOptions options, int stripes, long lastToken) {
        table = new LeaseTable(options, stripes, lastToken, new Deaf());
    }

    private static final class Deaf implements LeaseTable.Listener {
        @Override
        public boolean isListening() {
            return false;
        }

        @Override
        public void on(LeaseEvent event) {
            throw new AssertionError("nobody listens to " + event);
        }

        @Override
        public void record(TableEntry entry) {
            throw new AssertionError("nobody takes down " + entry);
        }
    }

    /** The answer to one attempt; a second answer is an error. */
    static final class Answer extends CompletableFuture<Acquisition> implements Reply {
        @Override
        public void settle(Acquisition outcome) {
            if (!complete(outcome)) {
                throw new AssertionError("answered twice, now with " + outcome);
            }
        }

        @Override
        public void fail(LeaseholdException reason) {
            if (!completeExceptionally(reason)) {
                throw new AssertionError("answered twice", reason);
            }
        }

        /** Never waits: whoever is not answered by now has been forgotten. */
        @Override
        public Acquisition join() {
            if (!isDone()) {
                throw new AssertionError("still not answered");
            }
            return super.join();
        }

        Grant grant() {
            return ((Acquisition.Granted) join()).grant();
        }
    }

    long now() {
        return now;
    }

    void pass(Duration time) {
        now += time.toNanos();
    }

    LeaseRequest request(Claim claim) {
        return LeaseRequest.of(new LeaseId(1, ++lastId), claim, new Holder("h" + lastId), TTL);
    }

    Answer acquire(LeaseRequest request) {
        Answer answer = new Answer();
        table.acquire(request, now, answer);
        return answer;
    }

    Answer acquire(Claim claim) {
        return acquire(request(claim));
    }

    Answer queue(Claim claim, Duration wait) {
        return acquire(request(claim).waitingAtMost(wait));
    }

    void advance() {
        table.advance(LeaseTable.ALL, now);
    }

    List<LeaseView> list() {
        return table.list(LeaseQuery.all(), now).leases();
    }
}
