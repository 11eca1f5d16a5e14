// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.LeaseholdException;
import io.leasehold.model.RefusalReason;
import io.leasehold.quorum.Votes.Vote;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Renewal.Renewed;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Renews leases at all members, many with one question to each, and repairs: a member that does not
 * have a lease that a majority has just renewed is given it.
 *
 * <p>The repair is for the majority after this one. It counts for nothing in the renewal that
 * brought it about: only members that had the lease all the time show that nobody else had it.
 */
final class Renewals {

    private final Context context;
    private final Members members;
    private final List<RenewalRequest> requests;
    private final long arrivedAt;
    // what was told to be left of each lease at most; only from the ballot's mailbox
    private final Duration[] longest;

    Renewals(Context context, List<RenewalRequest> requests) {
        this.context = context;
        this.members = context.members();
        this.requests = List.copyOf(requests);
        this.arrivedAt = members.time().nanos();
        this.longest = new Duration[requests.size()];
        Arrays.fill(longest, Duration.ZERO);
    }

    CompletableFuture<List<Renewal>> send() {
        Ballot<List<Renewal>, List<Renewal>> ballot =
                new Ballot<>(members, this::decide, this::repair);
        return ballot.ask(
                members.joined(), members.patience(), (node, member) -> node.renewAll(requests));
    }

    /**
     * One answer for each lease. A lease about which there is no majority must not keep the others
     * from being renewed: it gets an answer from which nothing follows, unless it is alone.
     */
    private @Nullable List<Renewal> decide(Votes<List<Renewal>> votes) {
        List<Renewal> answers = new ArrayList<>(requests.size());
        int undecided = 0;
        for (int i = 0; i < requests.size(); i++) {
            Renewal answer = judge(single(votes, i), i);
            if (answer == null) {
                if (!votes.isComplete()) {
                    return null;
                }
                undecided++;
                answers.add(new Renewed(0, new Validity(Duration.ZERO, Duration.ZERO)));
            } else {
                answers.add(answer);
            }
        }
        if (undecided > 0 && undecided == requests.size()) {
            LeaseholdException none = votes.noMajority("renewal");
            throw none;
        }
        return answers;
    }

    private @Nullable Renewal judge(Votes<Renewal> votes, int index) {
        if (votes.isMajority(Renewed.class)) {
            long version = 0;
            List<Long> ends = new ArrayList<>();
            for (Vote<Renewal> vote : votes.all()) {
                if (vote.answer() instanceof Renewed renewed) {
                    version = Math.max(version, renewed.version());
                    ends.add(Context.endOf(vote.sentAt(), renewed.validity()));
                    noteLength(index, renewed.validity().remaining());
                }
            }
            return new Renewed(version, validity(ends));
        }
        return Refusals.decided(votes);
    }

    private void noteLength(int index, Duration remaining) {
        longest[index] = remaining.compareTo(longest[index]) > 0 ? remaining : longest[index];
    }

    private Validity validity(List<Long> ends) {
        long now = members.time().nanos();
        long left = Settlement.majorityUntil(ends, members.majority()) - now;
        return new Validity(Duration.ofNanos(now - arrivedAt), Duration.ofNanos(Math.max(0, left)));
    }

    private Votes<Renewal> single(Votes<List<Renewal>> votes, int index) {
        Votes<Renewal> single = new Votes<>(members.size());
        for (Vote<List<Renewal>> vote : votes.all()) {
            single.add(new Vote<>(vote.member(), vote.answer().get(index), vote.sentAt()));
        }
        if (votes.isComplete()) {
            single.close();
        }
        return single;
    }

    private void repair(List<Renewal> decided, Vote<List<Renewal>> vote) {
        for (int i = 0; i < requests.size(); i++) {
            if (decided.get(i) instanceof Renewed renewed
                    && renewed.version() > 0
                    && vote.answer().get(i) instanceof Refused refused
                    && isRepairable(refused.reason())) {
                Grant grant = requests.get(i).grant();
                Duration ttl = requests.get(i).ttl().orElse(longest[i]);
                context.restore(vote.member(), lease(grant, ttl), grant.token());
            }
        }
    }

    private static boolean isRepairable(RefusalReason reason) {
        return reason == RefusalReason.NOT_FOUND
                || reason == RefusalReason.EXPIRED
                || reason == RefusalReason.TOKEN_MISMATCH;
    }

    private static LeaseRequest lease(Grant grant, Duration ttl) {
        return LeaseRequest.of(
                grant.id(), grant.holding().claim(), grant.holding().holder(), ttl);
    }
}
