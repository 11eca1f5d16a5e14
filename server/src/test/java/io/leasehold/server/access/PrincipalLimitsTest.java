// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.leasehold.protocol.v1.Failure;
import io.leasehold.server.api.CallFailedException;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class PrincipalLimitsTest {

    private static final Principal ORDERS = principal("orders");
    private static final Duration TTL = Duration.ofSeconds(30);

    private final VirtualTime time = VirtualTime.create();
    private final PrincipalLimits limits =
            new PrincipalLimits(new EdgeLimits.PerPrincipal(3, 4, 2, 10), time);

    private static Principal principal(String name) {
        TokenEntry entry =
                new TokenEntry(name, Optional.empty(), List.of(AccessRule.parse("*=acquire")));
        return new LivePrincipal(name, () -> Optional.of(entry));
    }

    private void grant(String key) {
        limits.ask(ORDERS, key);
        limits.holds(ORDERS, key, TTL);
        limits.answered(ORDERS, key);
    }

    private Failure refusalOf(Runnable action) {
        return catchThrowableOfType(CallFailedException.class, action::run).failure();
    }

    @Test
    void oneLeaseTooManyIsRefusedUntilOneIsReleased() {
        grant("a");
        grant("b");
        grant("c");
        Failure failure = refusalOf(() -> limits.ask(ORDERS, "d"));
        assertThat(failure.getKind()).isEqualTo(Failure.Kind.LIMIT_EXCEEDED);
        assertThat(failure.getLimit()).isEqualTo("leases per principal");
        assertThat(failure.getLimitValue()).isEqualTo(3);
        assertThat(failure.getMessage()).contains("orders has 3 leases");
        limits.ended(ORDERS, "a");
        assertThatCode(() -> grant("d")).doesNotThrowAnyException();
    }

    @Test
    void aRepeatOfAnAcquireIsNoSecondLease() {
        grant("a");
        grant("b");
        grant("c");
        assertThatCode(() -> grant("a")).doesNotThrowAnyException();
    }

    @Test
    void acquiresUnderWayCountAsIfTheyWereGranted() {
        limits.ask(ORDERS, "a");
        limits.ask(ORDERS, "b");
        limits.ask(ORDERS, "c");
        assertThat(refusalOf(() -> limits.ask(ORDERS, "d")).getLimit())
                .isEqualTo("leases per principal");
        limits.answered(ORDERS, "c");
        assertThatCode(() -> limits.ask(ORDERS, "d")).doesNotThrowAnyException();
    }

    @Test
    void whatHasExpiredCountsNoMoreAndWhatWasRenewedDoes() {
        grant("a");
        grant("b");
        grant("c");
        time.advance(Duration.ofSeconds(20));
        limits.holds(ORDERS, "a", TTL);
        limits.holds(ORDERS, "b", TTL);
        time.advance(Duration.ofSeconds(10));
        grant("d");
        time.advance(Duration.ofSeconds(2));
        assertThat(refusalOf(() -> limits.ask(ORDERS, "e")).getLimit())
                .isEqualTo("leases per principal");
    }

    @Test
    void onePrincipalsLimitIsNotAnothers() {
        grant("a");
        grant("b");
        grant("c");
        assertThatCode(() -> limits.ask(principal("billing"), "x")).doesNotThrowAnyException();
    }

    @Test
    void oneCallTooManyIsRefusedUntilOneEnds() {
        for (int i = 0; i < 4; i++) {
            limits.beginCall(ORDERS);
        }
        assertThat(refusalOf(() -> limits.beginCall(ORDERS)).getLimit())
                .isEqualTo("calls per principal");
        limits.endCall(ORDERS);
        assertThatCode(() -> limits.beginCall(ORDERS)).doesNotThrowAnyException();
    }

    @Test
    void oneWatchTooManyIsRefusedUntilOneEndsAndOtherCallsAreNot() {
        limits.beginWatch(ORDERS);
        limits.beginWatch(ORDERS);
        Failure failure = refusalOf(() -> limits.beginWatch(ORDERS));
        assertThat(failure.getKind()).isEqualTo(Failure.Kind.LIMIT_EXCEEDED);
        assertThat(failure.getLimit()).isEqualTo("watches per principal");
        assertThat(failure.getLimitValue()).isEqualTo(2);
        assertThatCode(() -> limits.beginCall(ORDERS)).doesNotThrowAnyException();
        assertThatCode(() -> limits.beginWatch(principal("billing"))).doesNotThrowAnyException();
        limits.endWatch(ORDERS);
        assertThatCode(() -> limits.beginWatch(ORDERS)).doesNotThrowAnyException();
    }

    @Test
    void aWatchIsACallUnderWay() {
        limits.beginWatch(ORDERS);
        for (int i = 1; i < 4; i++) {
            limits.beginCall(ORDERS);
        }
        assertThat(refusalOf(() -> limits.beginWatch(ORDERS)).getLimit())
                .isEqualTo("calls per principal");
    }

    @Test
    void nothingIsRememberedOfWhoUsesNothing() {
        for (int i = 0; i < 10_000; i++) {
            Principal one = principal("p" + i);
            limits.beginCall(one);
            limits.beginWatch(one);
            limits.endWatch(one);
            limits.ask(one, "a");
            limits.holds(one, "a", TTL);
            limits.answered(one, "a");
            limits.ended(one, "a");
            limits.endCall(one);
        }
        assertThat(limits.remembered()).isZero();
    }

    @Test
    void repeatsOfAnAcquireAreOneCallAndOneLeaseButNotWithoutEnd() {
        for (int i = 0; i < 64; i++) {
            limits.ask(ORDERS, "a");
        }
        assertThat(refusalOf(() -> limits.ask(ORDERS, "a")).getLimit())
                .isEqualTo("repeats of an acquire");
        limits.ask(ORDERS, "b");
        limits.ask(ORDERS, "c");
        for (int i = 0; i < 64; i++) {
            limits.answered(ORDERS, "a");
        }
        limits.answered(ORDERS, "b");
        limits.answered(ORDERS, "c");
        assertThat(limits.remembered()).isZero();
    }

    @Test
    void anyoneIsNotCounted() {
        for (int i = 0; i < 100; i++) {
            limits.beginCall(Anyone.INSTANCE);
            limits.ask(Anyone.INSTANCE, "a" + i);
        }
        assertThat(limits.remembered()).isZero();
    }
}
