// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.LeaseRecord;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Limits;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.testkit.RealTime;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * One caller's load: leases that are acquired, renewed and rotated now and then, and released,
 * completed or kept. It remembers what it was told, asks again where it was told nothing, and can
 * say at the end whether a store agrees.
 */
final class KillLoad implements Runnable {

    private static final int HELD_AT_MOST = 10;
    private static final int RECORDS = 4;

    private final LeaseStore store;
    private final Grants grants;
    private final AtomicLong repeats;
    private final BooleanSupplier stopped;
    private final String prefix;
    private final SplittableRandom random;
    private final Deque<Grant> held = new ArrayDeque<>();
    private final Queue<Grant> ended = new ConcurrentLinkedQueue<>();
    private final Map<String, Grant> records = new HashMap<>();
    private int count;

    KillLoad(
            LeaseStore store,
            Grants grants,
            AtomicLong repeats,
            BooleanSupplier stopped,
            int number) {
        this.store = store;
        this.grants = grants;
        this.repeats = repeats;
        this.stopped = stopped;
        this.prefix = "load-" + number;
        this.random = new SplittableRandom(number);
    }

    @Override
    public void run() {
        while (!stopped.getAsBoolean()) {
            live();
            while (held.size() > HELD_AT_MOST) {
                release(held.removeFirst());
            }
        }
    }

    /** The life of one lease. */
    private void live() {
        boolean leavesRecord = random.nextInt(4) == 0;
        String name = leavesRecord
                ? prefix + "/record/" + random.nextInt(RECORDS)
                : prefix + "/" + ++count;
        LeaseRequest request = Asking.request(name, Limits.MAX_TTL);
        long askedAt = Grants.now();
        Acquisition answer = Asking.sure(() -> store.acquire(request), repeats);
        // nobody else wants it, and nobody is away for long enough to have it taken back
        assertThat(answer).isInstanceOf(Acquisition.Granted.class);
        Grant grant = ((Acquisition.Granted) answer).grant();
        grants.granted(askedAt, grant.token());
        for (int i = random.nextInt(3); i > 0; i--) {
            grant = random.nextInt(3) > 0 ? renew(grant) : rotate(grant);
        }
        if (leavesRecord) {
            complete(name, grant);
        } else if (random.nextInt(3) > 0) {
            release(grant);
        } else {
            held.add(grant);
        }
    }

    private Grant renew(Grant grant) {
        Renewal answer =
                Asking.sure(() -> store.renew(RenewalRequest.of(grant, Limits.MAX_TTL)), repeats);
        assertThat(answer).isInstanceOf(Renewal.Renewed.class);
        return grant;
    }

    private Grant rotate(Grant grant) {
        long askedAt = Grants.now();
        Rotation answer = Asking.sure(() -> store.rotate(grant), repeats);
        assertThat(answer).isInstanceOf(Rotation.Rotated.class);
        Grant rotated = ((Rotation.Rotated) answer).grant();
        grants.granted(askedAt, rotated.token());
        return rotated;
    }

    private void release(Grant grant) {
        assertThat(Asking.sure(() -> store.release(grant), repeats))
                .isInstanceOf(Ending.Ended.class);
        ended.add(grant);
    }

    private void complete(String name, Grant grant) {
        assertThat(Asking.sure(
                        () -> store.complete(grant, record(grant), Limits.MAX_KEEP_FOR), repeats))
                .isInstanceOf(Ending.Ended.class);
        records.put(name, grant);
    }

    private static LeaseRecord record(Grant grant) {
        return LeaseRecord.of("left under token " + grant.token());
    }

    /** Looks whether the store agrees, and takes from the listing what this caller knows of. */
    void check(LeaseStore after, Map<Long, LeaseView> listed) {
        for (Grant grant : held) {
            LeaseView view = take(listed, grant);
            assertThat(view.state()).isEqualTo(LeaseView.State.HELD);
            assertThat(view.holding().claim()).isEqualTo(grant.holding().claim());
            assertThat(RealTime.answer(after.renew(RenewalRequest.of(grant, Limits.MAX_TTL))))
                    .isInstanceOf(Renewal.Renewed.class);
        }
        for (Grant grant : records.values()) {
            LeaseView view = take(listed, grant);
            assertThat(view.state()).isEqualTo(LeaseView.State.COMPLETED);
            assertThat(view.record()).isEqualTo(Optional.of(record(grant)));
        }
        for (Grant grant : ended) {
            assertThat(listed)
                    .as("%s was released", grant)
                    .doesNotContainKey(grant.token().value());
        }
    }

    private static LeaseView take(Map<Long, LeaseView> listed, Grant grant) {
        LeaseView view = listed.remove(grant.token().value());
        if (view == null) {
            throw new AssertionError(grant.holding() + " is lost");
        }
        return view;
    }
}
