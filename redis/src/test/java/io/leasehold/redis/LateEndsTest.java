// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Refused;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The schedule has lost its entry of a lease, and knows nothing of the loss. */
final class LateEndsTest {

    private static final Duration TTL = Duration.ofSeconds(10);
    private static final Duration LOCK_DELAY = Duration.ofSeconds(3);
    private static final Duration LONG = Duration.ofMinutes(5);

    private static RealRedis redis;

    @BeforeAll
    static void start() {
        redis = new RealRedis(RedisServer.start());
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"name", "path", "shared"})
    void aBlockerWhoseTimeHasPassedIsExpiredOnTheSpot(String kind) {
        try (VirtualRedis virtual = new VirtualRedis(redis.server(), redis.options())) {
            LeaseStore store = virtual.store();
            Scope scope = kind.equals("path") ? Scope.path("/a/b") : Scope.name("a");
            Claim claim = kind.equals("shared") ? Claim.shared(scope) : Claim.exclusive(scope);
            loseTheEndOf(Leases.granted(store.acquire(request(claim))), virtual);
            Claim other =
                    Claim.exclusive(kind.equals("path") ? Scope.subtree("/a") : Scope.name("a"));
            virtual.pass(TTL.plus(LOCK_DELAY).minusNanos(1000));
            assertThat(RealTime.answer(store.acquire(request(other))))
                    .isInstanceOf(Acquisition.Held.class);
            virtual.pass(Duration.ofNanos(1000));
            Leases.granted(store.acquire(request(other)));
        }
    }

    @Test
    void aForcedReleaseExpiresItTooAndTheNextInLineGetsIt() {
        try (VirtualRedis virtual = new VirtualRedis(redis.server(), redis.options())) {
            LeaseStore store = virtual.store();
            Scope scope = Scope.name("forced");
            Grant lost = Leases.granted(store.acquire(request(Claim.exclusive(scope))));
            CompletionStage<Acquisition> next =
                    store.acquire(request(Claim.exclusive(scope)).waitingAtMost(LONG));
            virtual.settle();
            loseTheEndOf(lost, virtual);
            virtual.pass(TTL);
            assertThat(RealTime.answer(store.forceRelease(scope, lost.token())))
                    .as("in its lock-delay")
                    .isEqualTo(new Refused(RefusalReason.EXPIRED));
            virtual.pass(LOCK_DELAY);
            assertThat(RealTime.answer(store.forceRelease(scope, lost.token())))
                    .isNotEqualTo(new Refused(RefusalReason.EXPIRED));
            virtual.pass(Duration.ofSeconds(1));
            assertThat(Leases.granted(next).token()).isGreaterThan(lost.token());
        }
    }

    /** It must neither stay in the way of others nor ask again and again. */
    @Test
    void aWaiterWhoseTimeHasPassedIsAnsweredWhenItAsks() {
        try (VirtualRedis virtual = new VirtualRedis(redis.server(), redis.options())) {
            LeaseStore store = virtual.store();
            Grant held = Leases.grant(store, "waited for", LONG);
            LeaseRequest request = Leases.request("waited for", TTL).waitingAtMost(TTL);
            CompletionStage<Acquisition> waiting = store.acquire(request);
            virtual.settle();
            redis.server().command("ZREM", ends(virtual), "W" + request.id().reveal());
            virtual.pass(TTL.plusSeconds(1));
            assertThat(RealTime.answer(waiting)).isInstanceOf(Acquisition.Held.class);
            RealTime.answer(store.release(held));
            Leases.grant(store, "waited for", TTL);
        }
    }

    private static LeaseRequest request(Claim claim) {
        return LeaseRequest.of(Leases.id(), claim, new Holder("somebody"), TTL)
                .withLockDelay(LOCK_DELAY);
    }

    private static void loseTheEndOf(Grant grant, VirtualRedis virtual) {
        Object removed =
                redis.server().command("ZREM", ends(virtual), grant.id().reveal());
        assertThat(removed).isEqualTo(1L);
    }

    private static String ends(VirtualRedis virtual) {
        return "leasehold:{" + virtual.options().namespace() + "}:ends";
    }
}
