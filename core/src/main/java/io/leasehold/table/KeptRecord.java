// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.internal.TimerHeap;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseRecord;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.NodeRecord;

import java.time.Duration;
import java.util.List;

/** What a completed lease left at one of its scopes. */
final class KeptRecord implements TimerHeap.Timed {

    final ScopeNode node;
    final Holding holding;
    final LeaseRecord record;
    final long completedAt;
    private final long until;
    private int slot = TimerHeap.NOWHERE;

    KeptRecord(ScopeNode node, Holding holding, LeaseRecord record, long completedAt, long until) {
        this.node = node;
        this.holding = holding;
        this.record = record;
        this.completedAt = completedAt;
        this.until = until;
    }

    /** Whether the request takes this record instead of a lease. */
    boolean contents(LeaseRequest request) {
        return request.terms()
                .unlessCompletedSince()
                .filter(since -> !holding.token().isOlderThan(since))
                .isPresent();
    }

    TableEntry.Kept entry() {
        return new TableEntry.Kept(List.of(node.scope), holding, record, completedAt, until);
    }

    NodeRecord copy(long now) {
        return new NodeRecord(
                node.scope,
                holding,
                record,
                Duration.ofNanos(now - completedAt),
                Duration.ofNanos(until - now));
    }

    Acquisition.Completed answer(long now) {
        return new Acquisition.Completed(record, holding.token(), Duration.ofNanos(until - now));
    }

    @Override
    public long dueAt() {
        return until;
    }

    @Override
    public int slot() {
        return slot;
    }

    @Override
    public void slot(int slot) {
        this.slot = slot;
    }
}
