// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.model.Claim;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.spi.Grant;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One piece of a table's state. The table tells of each change by the entries that bring an older
 * copy up to date, and gives out a copy of all it holds as entries too; {@link LeaseTable#restore}
 * takes them back in. Waiters are not part of it: they live as long as their callers' connections.
 *
 * <p>To restore an entry twice is to restore it once, and entries about one lease or one scope
 * count in the order in which they were told. So a copy that was taken while changes went on is made
 * good by restoring those changes behind it.
 *
 * <p>All times are store time in nanoseconds. Entries contain lease ids: they are for the engine's
 * own files and never for people.
 */
public sealed interface TableEntry {

    /**
     * A lease, as it stands now.
     *
     * @param grant who holds what, under which token and id, with which ttl
     * @param askedTtl the ttl that its request named, by which a repeat is known; empty if it is not known
     * @param lockDelay what follows its expiry
     * @param record what it publishes
     * @param course where in its life it is
     */
    record Leased(
            Grant grant,
            Optional<Duration> askedTtl,
            Duration lockDelay,
            Optional<LeaseRecord> record,
            Course course)
            implements TableEntry {}

    /**
     * Where in its life a lease is.
     *
     * @param grantedAt when it began
     * @param expiry when it ends, unless renewed
     * @param version 1 at the grant, more with each renewal and rotation
     * @param rotatedFrom the token before the last rotation, 0 if there was none
     * @param phase whether it runs
     */
    record Course(long grantedAt, long expiry, long version, long rotatedFrom, Phase phase) {}

    /** Whether a lease runs, and what a restart makes of it. */
    enum Phase {
        /** It runs; granted or renewed since the last start, so the next one lets it run again. */
        RUNNING,
        /** It runs; nobody renewed it since the last start, so the next one leaves it alone. */
        CARRIED_OVER,
        /** It ran out; its lock-delay is left. */
        LINGERING
    }

    /**
     * A lease or request is over and remembered, so that repeats are recognised.
     *
     * @param id whose
     * @param claim its scopes, which are free now; empty if it has none, or a lock-delay is left
     * @param outcome how it ended
     * @param at when
     */
    record Ended(LeaseId id, Optional<Claim> claim, Outcome outcome, long at)
            implements TableEntry {}

    /**
     * The lock-delay of a lease is over.
     *
     * @param id whose
     * @param claim its scopes, which are free now
     */
    record Cleared(LeaseId id, Claim claim) implements TableEntry {}

    /**
     * A record is kept at some scopes, in place of any other.
     *
     * @param scopes where
     * @param holding who left it
     * @param record what
     * @param completedAt since when
     * @param until until when
     */
    record Kept(
            List<Scope> scopes, Holding holding, LeaseRecord record, long completedAt, long until)
            implements TableEntry {}

    /**
     * No record is kept at some scopes any more.
     *
     * @param scopes where
     */
    record Erased(List<Scope> scopes) implements TableEntry {}
}
