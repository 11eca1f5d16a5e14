// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.journal.Trail.Line;
import io.leasehold.journal.Trail.Step;
import io.leasehold.model.Claim;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Rotation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What processes that were killed knew of their leases, and whether a store agrees. What they were
 * told must be so; what they had asked for and were not told may be so or not, and is found out by
 * asking once more, which the store owes the same answer.
 */
final class Ledger {

    private static final int REMEMBERED = 300;

    /** A lease as it was known to its process; pending is what it had asked for last. */
    private static final class Known {

        private final LeaseId id;
        private final Claim claim;
        private long token; // 0 until it is known to be granted
        private long floor; // a new token is above it
        private boolean ended;
        private @Nullable Step pending;

        Known(LeaseId id, Claim claim) {
            this.id = id;
            this.claim = claim;
        }

        Grant grant() {
            return LoadWorker.grant(id, claim, token);
        }

        boolean isKept() {
            return claim.scopes().get(0).toString().startsWith("name:record/");
        }

        @Override
        public String toString() {
            return claim + " token " + token + (ended ? " ended" : "")
                    + (pending == null ? "" : ", asked to " + pending);
        }
    }

    /** How much there was to be checked. */
    static final class Counts {
        long grants;
        long rotations;
        long endings;
        long records;
        long unknown; // asked for and not answered
        long done; // of these, done all the same
        long unavailable;

        void add(Counts other) {
            grants += other.grants;
            rotations += other.rotations;
            endings += other.endings;
            records += other.records;
            unknown += other.unknown;
            done += other.done;
            unavailable += other.unavailable;
        }
    }

    private final Map<LeaseId, Known> leases = new LinkedHashMap<>();
    private final List<Known> over = new ArrayList<>(); // some of those that ended long ago
    private final Map<Scope, Known> records = new HashMap<>(); // the last one of each name
    private final Set<Long> tokens = new HashSet<>(); // all that were ever seen
    private final Counts counts = new Counts();
    private long highest; // token

    Counts counts() {
        return counts;
    }

    // ---- what a process left

    /** Takes in what the next process did. */
    void take(List<Line> trail) {
        for (Line line : trail) {
            if (line.answered()) {
                answered(line);
            } else {
                asked(line);
            }
        }
    }

    private void asked(Line line) {
        Known lease = leases.computeIfAbsent(line.id(), id -> new Known(id, line.claim()));
        lease.pending = line.step();
        lease.floor = highest;
    }

    private void answered(Line line) {
        Known lease = leases.get(line.id());
        if (lease == null || lease.pending != line.step()) {
            throw new IllegalStateException("not what " + lease + " had asked for: " + line);
        }
        lease.pending = null;
        if (line.token() <= 0) {
            counts.unavailable += line.token() == Line.UNAVAILABLE ? 1 : 0;
            if (line.step() == Step.ACQUIRE) {
                leases.remove(line.id());
            }
            return;
        }
        switch (line.step()) {
            case ACQUIRE -> {
                granted(lease, line.token());
                counts.grants++;
            }
            case ROTATE -> {
                granted(lease, line.token());
                counts.rotations++;
            }
            case RENEW -> assertThat(line.token()).isEqualTo(lease.token);
            case RELEASE, COMPLETE -> {
                ended(lease, line.step());
                counts.endings++;
            }
        }
    }

    private void ended(Known lease, Step step) {
        lease.ended = true;
        if (step == Step.COMPLETE) {
            records.merge(
                    lease.claim.scopes().get(0),
                    lease,
                    (one, other) -> one.token > other.token ? one : other);
        }
    }

    private void granted(Known lease, long token) {
        assertThat(token).as("token of %s", lease).isGreaterThan(lease.floor);
        assertThat(tokens.add(token)).as("token %s is new", token).isTrue();
        lease.token = token;
        highest = Math.max(highest, token);
    }

    // ---- what the store says

    /** Looks whether the store agrees, settles what is unknown, and ends some of the leases. */
    void check(LeaseStore store, SplittableRandom random) {
        Map<Long, LeaseView> listed = list(store);
        Map<Long, LeaseView> strange = new HashMap<>(listed);
        strange.keySet().removeAll(tokens);
        for (Known lease : List.copyOf(leases.values())) {
            if (lease.token > 0) {
                check(lease, store, listed, strange);
            }
        }
        for (Known lease : List.copyOf(leases.values())) {
            if (lease.token == 0) {
                askAgain(lease, store, strange);
            }
        }
        assertThat(strange).as("what nobody had asked for").isEmpty();
        over.forEach(lease -> assertOver(lease, store, listed));
        checkRecords(list(store));
        forget(store, random);
    }

    private void check(
            Known lease,
            LeaseStore store,
            Map<Long, LeaseView> listed,
            Map<Long, LeaseView> strange) {
        if (lease.ended) {
            assertOver(lease, store, listed);
            return;
        }
        Step pending = lease.pending;
        lease.pending = null;
        LeaseView view = listed.get(lease.token);
        boolean isThere = isHeld(view);
        if (pending == null || pending == Step.RENEW) {
            if (view == null || !isThere) {
                throw new AssertionError(lease + " is lost");
            }
            assertThat(view.holding().claim()).isEqualTo(lease.claim);
            assertThat(now(store.renew(LoadWorker.renewal(lease.grant()))))
                    .as("renewal of %s", lease)
                    .isInstanceOf(Renewal.Renewed.class);
            return;
        }
        counts.unknown++;
        counts.done += isThere ? 0 : 1;
        if (pending == Step.ROTATE) {
            Rotation answer = now(store.rotate(lease.grant()));
            assertThat(answer).as("rotation of %s", lease).isInstanceOf(Rotation.Rotated.class);
            resolve(lease, ((Rotation.Rotated) answer).grant(), isThere, strange);
            return;
        }
        Ending answer = now(
                pending == Step.COMPLETE
                        ? LoadWorker.complete(store, lease.grant())
                        : store.release(lease.grant()));
        assertThat(answer).as("%s of %s", pending, lease).isInstanceOf(Ending.Ended.class);
        ended(lease, pending);
    }

    /** Nobody knows whether it was granted. */
    private void askAgain(Known lease, LeaseStore store, Map<Long, LeaseView> strange) {
        counts.unknown++;
        lease.pending = null;
        Acquisition answer = now(store.acquire(LoadWorker.request(lease.id, lease.claim)));
        if (answer instanceof Acquisition.Granted granted) {
            boolean isNew = !strange.containsKey(granted.grant().token().value());
            counts.done += isNew ? 0 : 1;
            resolve(lease, granted.grant(), isNew, strange);
        } else {
            assertThat(answer).as("%s", lease).isInstanceOf(Acquisition.Held.class);
            leases.remove(lease.id);
        }
    }

    /** A grant that is made now is above all others; one that was made before was listed. */
    private void resolve(Known lease, Grant grant, boolean isNew, Map<Long, LeaseView> strange) {
        long token = grant.token().value();
        LeaseView view = strange.remove(token);
        if (isNew) {
            lease.floor = highest;
        } else {
            assertThat(view).as("%s as %s was listed", lease, grant).isNotNull();
        }
        assertThat(grant.holding().claim()).isEqualTo(lease.claim);
        granted(lease, token);
    }

    private static void assertOver(Known lease, LeaseStore store, Map<Long, LeaseView> listed) {
        assertThat(isHeld(listed.get(lease.token)))
                .as("%s is still there", lease)
                .isFalse();
        assertThat(now(store.renew(LoadWorker.renewal(lease.grant()))))
                .as("renewal of %s", lease)
                .isInstanceOf(Refused.class);
    }

    private void checkRecords(Map<Long, LeaseView> listed) {
        for (Known lease : records.values()) {
            LeaseView view = listed.get(lease.token);
            if (view == null) {
                throw new AssertionError("the record of " + lease + " is lost");
            }
            assertThat(view.record()).isEqualTo(Optional.of(LoadWorker.record(lease.id)));
            counts.records++;
        }
    }

    /** Ends about half of the leases; those that are over are looked after for a while. */
    private void forget(LeaseStore store, SplittableRandom random) {
        for (Known lease : List.copyOf(leases.values())) {
            if (!lease.ended && (lease.isKept() || random.nextBoolean())) {
                assertThat(now(store.release(lease.grant()))).isInstanceOf(Ending.Ended.class);
                lease.ended = true;
            }
            if (lease.ended) {
                leases.remove(lease.id);
                over.add(lease);
            }
        }
        while (over.size() > REMEMBERED) {
            over.remove(random.nextInt(over.size()));
        }
    }

    private static boolean isHeld(@Nullable LeaseView view) {
        return view != null && view.state() == LeaseView.State.HELD;
    }

    private static Map<Long, LeaseView> list(LeaseStore store) {
        Map<Long, LeaseView> all = new HashMap<>();
        LeaseQuery query = LeaseQuery.all();
        boolean more = true;
        while (more) {
            var page = now(store.list(query));
            page.leases().forEach(view -> all.put(view.holding().token().value(), view));
            more = page.more();
            if (more) {
                query = query.after(
                        page.leases().get(page.leases().size() - 1).holding().token());
            }
        }
        return all;
    }

    private static <T> T now(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
