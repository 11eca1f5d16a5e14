// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Somebody sets the clock of the server back. Store time then stands still, at the time of the last
 * change, until the clock has caught up; tokens go on from the last one.
 */
final class ClockSetBackTest {

    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration SOME = Duration.ofSeconds(10);
    private static final Duration REST = TTL.minus(SOME);
    private static final Duration HOUR = Duration.ofHours(1);

    private RealRedis redis;
    private VirtualRedis virtual;
    private LeaseStore store;

    @BeforeEach
    void start() {
        redis = new RealRedis(RedisServer.start());
        virtual = new VirtualRedis(redis.server(), redis.options());
        store = virtual.store();
    }

    @AfterEach
    void stop() {
        virtual.close();
        redis.close();
    }

    @Test
    void aLeaseHasNoMoreLeftThanBeforeAndEndsWhenTheClockHasCaughtUp() {
        Grant grant = Leases.grant(store, "a", TTL);
        virtual.pass(SOME);
        changeSomething();
        assertThat(left()).isEqualTo(REST);
        virtual.setBack(HOUR);
        assertThat(left()).isEqualTo(REST);
        assertThat(blocked("a")).isEqualTo(REST);
        virtual.pass(HOUR);
        assertThat(left()).as("store time has stood still").isEqualTo(REST);
        virtual.pass(REST.minusNanos(1_000));
        assertThat(blocked("a")).isEqualTo(Duration.ofNanos(1_000));
        virtual.pass(Duration.ofNanos(1_000));
        assertThat(RealTime.answer(store.renew(RenewalRequest.of(grant, TTL))))
                .isEqualTo(new Refused(RefusalReason.EXPIRED));
        assertThat(Leases.grant(store, "a", TTL).token()).isGreaterThan(grant.token());
    }

    /** With a listener the script takes the general way for all operations. */
    @Test
    void theSameHoldsWhenSomebodyListens() {
        try (LeaseEvents.Subscription subscription = store.subscribe(event -> {})) {
            aLeaseHasNoMoreLeftThanBeforeAndEndsWhenTheClockHasCaughtUp();
        }
    }

    @Test
    void whatIsGrantedOrRenewedMeanwhileLastsForItsTtlOfStoreTime() {
        Grant renewed = Leases.grant(store, "renewed", TTL);
        virtual.pass(SOME);
        changeSomething();
        virtual.setBack(HOUR);
        Grant granted = Leases.grant(store, "granted", TTL);
        assertThat(RealTime.answer(store.renew(RenewalRequest.of(renewed, TTL))))
                .isInstanceOfSatisfying(
                        Renewal.Renewed.class,
                        answer -> assertThat(answer.validity().remaining()).isEqualTo(TTL));
        virtual.pass(HOUR.plus(TTL).minusNanos(1_000));
        assertThat(Leases.list(store))
                .extracting(LeaseView::remaining)
                .containsExactly(Duration.ofNanos(1_000), Duration.ofNanos(1_000));
        assertThat(granted.token()).isGreaterThan(renewed.token());
        virtual.pass(Duration.ofNanos(1_000));
        assertThat(Leases.list(store)).isEmpty();
    }

    @Test
    void recordsAndLockDelaysEndByStoreTimeToo() {
        Grant done = Leases.grant(store, "done", TTL);
        RealTime.answer(store.complete(done, LeaseRecord.of("result"), TTL));
        LeaseRequest delayed = Leases.request("delayed", SOME).withLockDelay(REST);
        Leases.granted(store.acquire(delayed));
        virtual.pass(SOME);
        changeSomething();
        virtual.setBack(HOUR);
        assertThat(left()).as("of the record").isEqualTo(REST);
        assertThat(blocked("delayed")).isEqualTo(REST);
        virtual.pass(HOUR.plus(REST));
        assertThat(Leases.list(store)).isEmpty();
        Leases.grant(store, "delayed", TTL);
    }

    @Test
    void whoeverWaitsIsNextWhenTheLeaseIsReleased() {
        Grant grant = Leases.grant(store, "a", TTL);
        CompletionStage<Acquisition> waiting =
                store.acquire(Leases.request("a", TTL).waitingAtMost(TTL));
        virtual.settle();
        virtual.setBack(HOUR);
        assertThat(RealTime.answer(store.release(grant))).isEqualTo(new Ending.Ended());
        Grant next = Leases.granted(waiting);
        assertThat(next.token()).isGreaterThan(grant.token());
        assertThat(left()).isEqualTo(TTL);
    }

    @Test
    void tokensGoOnFromTheLastOne() {
        FencingToken last = Leases.grant(store, "first", TTL).token();
        virtual.setBack(HOUR);
        for (int i = 0; i < 3; i++) {
            FencingToken next = Leases.grant(store, "name-" + i, TTL).token();
            assertThat(next).isGreaterThan(last);
            last = next;
        }
    }

    @Test
    void tokensStayAboveWhatTheClientHasSeenThoughTheServerForgotEverything() {
        Grant before = Leases.grant(store, "a", TTL);
        Grant rotated = rotated(before);
        virtual.setBack(HOUR);
        virtual.flush();
        assertThat(Leases.list(store)).isEmpty();
        Grant after = Leases.grant(store, "a", TTL);
        assertThat(after.token()).isGreaterThan(rotated.token());
        assertThat(RealTime.answer(store.forceRelease(Scope.name("a"), rotated.token())))
                .isEqualTo(new Refused(RefusalReason.NOT_HOLDER));
    }

    @Test
    void theSameHoldsForWaitersAndRotations() {
        Grant before = Leases.grant(store, "a", TTL);
        virtual.setBack(HOUR);
        virtual.flush();
        try (LeaseEvents.Subscription subscription = store.subscribe(event -> {})) {
            Grant holder = Leases.grant(store, "a", TTL);
            CompletionStage<Acquisition> waiting =
                    store.acquire(Leases.request("a", TTL).waitingAtMost(TTL));
            virtual.settle();
            Grant rotated = rotated(holder);
            assertThat(RealTime.answer(store.release(rotated))).isEqualTo(new Ending.Ended());
            Grant next = Leases.granted(waiting);
            assertThat(holder.token()).isGreaterThan(before.token());
            assertThat(rotated.token()).isGreaterThan(holder.token());
            assertThat(next.token()).isGreaterThan(rotated.token());
        }
    }

    /** The server remembers the time of the last change, and only that. */
    private void changeSomething() {
        Grant other = Leases.grant(store, "other", TTL);
        assertThat(RealTime.answer(store.release(other))).isEqualTo(new Ending.Ended());
    }

    private Grant rotated(Grant grant) {
        return ((Rotation.Rotated) RealTime.answer(store.rotate(grant))).grant();
    }

    /** How long the only lease or record still lasts. */
    private Duration left() {
        List<LeaseView> rows = Leases.list(store).stream()
                .filter(row -> row.state() != LeaseView.State.LOCK_DELAY)
                .toList();
        assertThat(rows).hasSize(1);
        return rows.get(0).remaining();
    }

    /** How long whoever asks for the name is told to be in its way. */
    private Duration blocked(String name) {
        Acquisition answer = RealTime.answer(store.acquire(Leases.request(name, TTL)));
        assertThat(answer).isInstanceOf(Acquisition.Held.class);
        return ((Acquisition.Held) answer).remaining();
    }
}
