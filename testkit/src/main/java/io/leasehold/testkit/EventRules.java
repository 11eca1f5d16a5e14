// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static io.leasehold.model.RefusalReason.EXPIRED;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvent.Change;
import io.leasehold.spi.LeaseEvent.Changed;
import io.leasehold.spi.LeaseEvent.RenewalRefused;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeaseRequest;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Listeners hear of every change, in the order in which it happened. */
@Timeout(60)
abstract class EventRules extends ContractRules {

    private final BlockingQueue<LeaseEvent> events = new LinkedBlockingQueue<>();

    @Test
    void everyChangeOfALeaseIsToldInOrder() throws InterruptedException {
        try (LeaseEvents.Subscription subscription = store().subscribe(events::add)) {
            Grant first = alice.holds("a");
            alice.renews(first);
            Grant rotated = alice.rotated(first);
            alice.releases(rotated);
            Grant second = bob.holds("a");
            bob.completes(second, "done", ttl());
            expect(Change.GRANTED, first);
            expect(Change.RENEWED, first);
            expect(Change.ROTATED, rotated);
            expect(Change.RELEASED, rotated);
            expect(Change.GRANTED, second);
            expect(Change.COMPLETED, second);
        }
    }

    @Test
    void anExpiryIsToldBeforeTheGrantThatFollowsIt() throws InterruptedException {
        Grant first = alice.holds("a");
        try (LeaseEvents.Subscription subscription = store().subscribe(events::add)) {
            passAllOf(ttl());
            Grant second = bob.holds("a");
            expect(Change.EXPIRED, first);
            expect(Change.GRANTED, second);
        }
    }

    @Test
    void aHandOverIsToldAsReleaseAndGrant() throws InterruptedException {
        Grant first = alice.holds("a");
        Pending waiter = bob.waits("a");
        try (LeaseEvents.Subscription subscription = store().subscribe(events::add)) {
            alice.releases(first);
            expect(Change.RELEASED, first);
            expect(Change.GRANTED, waiter.grant());
        }
    }

    @Test
    void aWithdrawnLeaseIsToldAsReleased() throws InterruptedException {
        LeaseRequest request = alice.request("a");
        Grant grant = alice.holds(request);
        try (LeaseEvents.Subscription subscription = store().subscribe(events::add)) {
            alice.withdraws(request);
            expect(Change.RELEASED, grant);
        }
    }

    @Test
    void aRefusedRenewalIsTold() throws InterruptedException {
        Grant grant = alice.holds("a");
        try (LeaseEvents.Subscription subscription = store().subscribe(events::add)) {
            passAllOf(ttl());
            alice.renews(grant);
            expect(Change.EXPIRED, grant);
            assertThat(next()).isEqualTo(new RenewalRefused(EXPIRED, grant.holding()));
        }
    }

    @Test
    void repeatsAndFailedTriesAreNoEvents() throws InterruptedException {
        LeaseRequest request = alice.request("a");
        Grant first = alice.holds(request);
        try (LeaseEvents.Subscription subscription = store().subscribe(events::add)) {
            alice.holds(request);
            bob.tries("a");
            alice.releases(first);
            alice.releases(first);
            Grant second = bob.holds("a");
            expect(Change.RELEASED, first);
            expect(Change.GRANTED, second);
        }
    }

    @Test
    void aFailingListenerHarmsNobody() throws InterruptedException {
        LeaseEvents broken = event -> {
            throw new IllegalStateException("a listener that fails on purpose");
        };
        LeaseEvents gone = event -> {
            throw new NoClassDefFoundError("a listener that can't be loaded, on purpose");
        };
        try (LeaseEvents.Subscription first = store().subscribe(broken);
                LeaseEvents.Subscription second = store().subscribe(gone);
                LeaseEvents.Subscription third = store().subscribe(events::add)) {
            Grant grant = alice.holds("a");
            expect(Change.GRANTED, grant);
            assertThat(alice.releases(grant)).isEqualTo(ENDED);
            expect(Change.RELEASED, grant);
        }
    }

    @Test
    void eventsTellNoSecret() throws InterruptedException {
        try (LeaseEvents.Subscription subscription = store().subscribe(events::add)) {
            Grant grant = alice.holds("a");
            assertThat(next().toString()).doesNotContainIgnoringCase(grant.id().reveal());
        }
    }

    @Test
    void nothingIsToldAfterTheSubscriptionEnded() throws InterruptedException {
        store().subscribe(events::add).close();
        BlockingQueue<LeaseEvent> others = new LinkedBlockingQueue<>();
        try (LeaseEvents.Subscription subscription = store().subscribe(others::add)) {
            alice.holds("a");
            assertThat(others.poll(10, TimeUnit.SECONDS)).isNotNull();
            assertThat(events).isEmpty();
        }
    }

    private void expect(Change change, Grant grant) throws InterruptedException {
        assertThat(next()).isEqualTo(new Changed(change, grant.holding()));
    }

    private LeaseEvent next() throws InterruptedException {
        LeaseEvent event = events.poll(10, TimeUnit.SECONDS);
        assertThat(event).as("the next event").isNotNull();
        return event;
    }
}
