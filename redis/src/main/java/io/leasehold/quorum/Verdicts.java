// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.quorum.Settlement.Drawn;
import io.leasehold.quorum.Settlement.Settled;
import io.leasehold.quorum.Votes.Vote;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Acquisition.Completed;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Acquisition.Held;
import io.leasehold.spi.Grant;
import io.leasehold.spi.TokenState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes one answer to an acquire of several. */
final class Verdicts {

    /**
     * A lease that a majority has under one token.
     *
     * @param grant as the member has it that knows most of its renewals, with the agreed token
     * @param version the highest
     * @param until when a majority has it at least, by the clock of this process
     * @param fresh whether any of it is new, and not the repeat of what its caller may rely upon
     */
    record Lease(Grant grant, long version, long until, boolean fresh) {}

    private Verdicts() {}

    /** Who granted, each under its own token. */
    static Map<Member, Drawn> grants(Votes<Acquisition> votes, Map<Member, TokenState> states) {
        Map<Member, Drawn> grants = new LinkedHashMap<>();
        for (Vote<Acquisition> vote : votes.all()) {
            if (vote.answer() instanceof Granted granted) {
                TokenState state = states.getOrDefault(vote.member(), TokenState.NONE);
                grants.put(vote.member(), new Drawn(granted.grant(), state));
            }
        }
        return grants;
    }

    /** What those who agreed on the token granted; nothing if they are no majority. */
    static Optional<Lease> lease(Votes<Acquisition> votes, Settled settled) {
        List<Long> ends = new ArrayList<>();
        @Nullable Granted newest = null;
        boolean fresh = false;
        for (Vote<Acquisition> vote : votes.all()) {
            if (vote.answer() instanceof Granted granted
                    && settled.members().contains(vote.member())) {
                ends.add(Context.endOf(vote.sentAt(), granted.validity()));
                newest = newest == null || granted.version() > newest.version() ? granted : newest;
                fresh |= isFresh(granted);
            }
        }
        if (newest == null || ends.size() < votes.majority()) {
            return Optional.empty();
        }
        return Optional.of(new Lease(
                Settlement.withToken(newest.grant(), settled.token()),
                newest.version(),
                Settlement.majorityUntil(ends, votes.majority()),
                fresh));
    }

    private static boolean isFresh(Granted granted) {
        return granted.version() == 1
                && granted.validity().remaining().equals(granted.grant().ttl());
    }

    /**
     * The blocker under the token that most members know it by. One that has not yet heard of the
     * agreed token names a lower one; one that granted too late to agree may name a higher one for
     * good. Between as many of each, the lower: whoever waits for the blocker's record then gets it.
     */
    static Held withAgreedToken(Held held, Votes<Acquisition> votes) {
        Held agreed = held;
        long most = 0;
        for (Held each : votes.of(Held.class)) {
            long same = namedAs(each, votes);
            boolean lower = each.blocker().token().isOlderThan(agreed.blocker().token());
            if (isSameHolder(each, held) && (same > most || (same == most && lower))) {
                most = same;
                agreed = each;
            }
        }
        return new Held(agreed.blocker(), held.remaining(), held.record(), held.inLockDelay());
    }

    /** Whether a majority knows the blocker by one token. */
    static boolean isTokenAgreed(Held held, Votes<Acquisition> votes) {
        return namedAs(withAgreedToken(held, votes), votes) >= votes.majority();
    }

    private static long namedAs(Held held, Votes<Acquisition> votes) {
        return votes.of(Held.class).stream()
                .filter(other -> other.blocker().equals(held.blocker()))
                .count();
    }

    private static boolean isSameHolder(Held one, Held other) {
        return one.blocker().claim().equals(other.blocker().claim())
                && one.blocker().holder().equals(other.blocker().holder());
    }

    /** Who answered with this record. */
    static Set<Member> having(Votes<Acquisition> votes, Completed record) {
        Set<Member> having = new LinkedHashSet<>();
        for (Vote<Acquisition> vote : votes.all()) {
            if (vote.answer() instanceof Completed completed
                    && completed.token().equals(record.token())) {
                having.add(vote.member());
            }
        }
        return having;
    }

    /** The record with the highest token. */
    static Completed newest(List<Completed> records) {
        Completed newest = records.get(0);
        for (Completed record : records) {
            if (newest.token().isOlderThan(record.token())) {
                newest = record;
            }
        }
        return newest;
    }
}
