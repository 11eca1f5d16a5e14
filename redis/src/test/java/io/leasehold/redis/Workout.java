// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A bit of everything that two clients of one namespace do, for servers of every kind. */
final class Workout {

    private static final Duration WAIT = Duration.ofSeconds(15);

    private final LeaseStore one;
    private final LeaseStore two;
    private final BlockingQueue<LeaseEvent> events = new LinkedBlockingQueue<>();

    private Workout(LeaseStore one, LeaseStore two) {
        this.one = one;
        this.two = two;
    }

    /** Connects twice with the options, and does all of it. */
    static void on(RedisOptions options) {
        try (RedisLeaseStore one = RedisLeaseStore.connect(options);
                RedisLeaseStore two = RedisLeaseStore.connect(options)) {
            of(one, two);
        }
    }

    static void of(LeaseStore one, LeaseStore two) {
        Workout workout = new Workout(one, two);
        try (LeaseEvents.Subscription listening = one.subscribe(workout.events::add)) {
            Grant last = workout.handOver();
            workout.record(last);
            workout.assertHeard();
            workout.manyKinds();
        }
    }

    /** From the first client to the second, who waits, and on to the first. */
    private Grant handOver() {
        Grant first = Ask.granted(one, Ask.request("ledger"));
        CompletionStage<Acquisition> second =
                two.acquire(Ask.request("ledger").waitingAtMost(WAIT));
        LeaseRequest givenUp = Ask.request("ledger").waitingAtMost(WAIT);
        CompletionStage<Acquisition> third = two.acquire(givenUp);
        assertThat(Ask.answer(two.withdraw(givenUp))).isEqualTo(new Ending.Ended());
        assertThat(Ask.answer(third)).isInstanceOf(Acquisition.Gone.class);
        assertThat(Ask.answer(one.renew(RenewalRequest.of(first, Duration.ofSeconds(30)))))
                .isInstanceOf(Renewal.Renewed.class);
        assertThat(second.toCompletableFuture()).isNotDone();
        assertThat(Ask.answer(one.release(first))).isEqualTo(new Ending.Ended());
        Grant handed = Ask.granted(Ask.answer(second));
        assertThat(handed.token()).isGreaterThan(first.token());
        return handed;
    }

    private void record(Grant grant) {
        Rotation rotation = Ask.answer(two.rotate(grant));
        assertThat(rotation).isInstanceOf(Rotation.Rotated.class);
        Grant rotated = ((Rotation.Rotated) rotation).grant();
        LeaseRecord result = LeaseRecord.of("done");
        assertThat(Ask.answer(two.complete(rotated, result, Duration.ofMinutes(1))))
                .isEqualTo(new Ending.Ended());
        assertThat(Ask.answer(one.acquire(Ask.request("ledger").unlessCompleted())))
                .isInstanceOfSatisfying(
                        Acquisition.Completed.class,
                        completed -> assertThat(completed.record()).isEqualTo(result));
        assertThat(Ask.answer(one.list(LeaseQuery.all())).leases()).hasSize(1);
    }

    private void assertHeard() {
        List<String> changes = new ArrayList<>();
        while (!changes.contains("COMPLETED")) {
            if (next() instanceof LeaseEvent.Changed changed) {
                changes.add(changed.change().name());
            }
        }
        assertThat(changes)
                .containsExactly(
                        "GRANTED", "RENEWED", "RELEASED", "GRANTED", "ROTATED", "COMPLETED");
    }

    private LeaseEvent next() {
        try {
            LeaseEvent event = events.poll(10, TimeUnit.SECONDS);
            if (event == null) {
                throw new AssertionError("an event did not come");
            }
            return event;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void manyKinds() {
        Claim claim = Claim.exclusive(
                Scope.name("a"),
                Scope.path("/var/data"),
                Scope.subtree("/srv"),
                Scope.inode(1),
                Scope.range(2, 0, 100));
        Grant held = Ask.granted(one, Ask.request(claim));
        for (Scope scope :
                List.of(Scope.subtree("/var"), Scope.path("/srv/x/y"), Scope.range(2, 99, 200))) {
            LeaseRequest request = Ask.request(Claim.shared(scope));
            assertThat(Ask.answer(two.acquire(request))).isInstanceOf(Acquisition.Held.class);
        }
        CompletionStage<Acquisition> waits =
                two.acquire(Ask.request(Claim.shared(Scope.range(2, 99, 200))).waitingAtMost(WAIT));
        assertThat(Ask.answer(one.release(held))).isEqualTo(new Ending.Ended());
        Grant shared = Ask.granted(Ask.answer(waits));
        assertThat(Ask.answer(two.release(shared))).isEqualTo(new Ending.Ended());
    }
}
