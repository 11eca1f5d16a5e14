// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Validity;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Exceptions say what was refused and by whom, in fields and in words, and never give a secret
 * away.
 */
final class ExceptionsTest {

    private static final LeaseId SECRET = LeaseId.parse("0123456789abcdef02468ace13579bdf");
    private static final Claim ORDERS = Claim.exclusive(Scope.name("orders"));
    private static final Holding HOLDING =
            new Holding(ORDERS, new Holder("api-3"), new FencingToken(7));
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Grant GRANT = new Grant(HOLDING, SECRET, TTL);
    private static final Validity VALIDITY = new Validity(Duration.ZERO, TTL);

    static Stream<Object> whatKnowsTheSecret() {
        LeaseRequest request = LeaseRequest.of(SECRET, ORDERS, HOLDING.holder(), TTL)
                .withRecord(LeaseRecord.of("0123456789abcdef02468ace13579bdf"));
        return Stream.of(
                SECRET,
                request,
                request.waitingAtMost(TTL).withLockDelay(TTL).unlessCompleted(),
                GRANT,
                RenewalRequest.of(GRANT, TTL).ifVersion(3),
                new Acquisition.Granted(GRANT, 1, VALIDITY),
                new Rotation.Rotated(GRANT, 2, VALIDITY),
                new LeaseEvent.Changed(LeaseEvent.Change.GRANTED, GRANT.holding()),
                new LeaseLostException(GRANT.holding(), "it ran out"),
                LockTimeoutException.heldBy(GRANT.holding(), TTL, ORDERS));
    }

    @ParameterizedTest
    @MethodSource("whatKnowsTheSecret")
    void nothingPrintsALeaseIdOrARecord(Object value) {
        assertThat(value.toString())
                .doesNotContain("0123456789abcdef", "02468ace13579bdf")
                .doesNotContain(Long.toString(SECRET.high()), Long.toString(SECRET.low()))
                .doesNotContain(Integer.toString(SECRET.hashCode()));
    }

    @Test
    void aHoldingPrintsAsTheTailOfALogLine() {
        assertThat(HOLDING).hasToString("scope=name:orders token=7 holder=api-3");
    }

    @Test
    void aTimeoutSaysWhoHoldsTheLockAndForHowLongStill() {
        LockTimeoutException timeout =
                LockTimeoutException.heldBy(HOLDING, Duration.ofMillis(12_449), ORDERS);

        assertThat(timeout)
                .hasMessage("lock 'orders' is held by api-3 for another 12.4 s (token 7)");
        assertThat(timeout.heldBy()).contains(HOLDING);
        assertThat(timeout.claim()).isEqualTo(ORDERS);
    }

    @Test
    void aTimeoutSaysThatNobodyHoldsALockInItsLockDelay() {
        LockTimeoutException timeout =
                LockTimeoutException.inLockDelay(HOLDING, Duration.ofMillis(12_449), ORDERS);

        assertThat(timeout)
                .hasMessage("lock 'orders' is in the lock-delay after the lease of api-3 expired,"
                        + " for another 12.4 s (token 7)");
        assertThat(timeout.heldBy()).contains(HOLDING);
    }

    @Test
    void aTimeoutSaysThroughWhichOtherScopeTheLockIsHeld() {
        Claim all = Claim.exclusive(Scope.subtree("/"));
        Holding blocker = new Holding(all, new Holder("backup"), new FencingToken(9));

        assertThat(LockTimeoutException.heldBy(
                        blocker, Duration.ofMillis(90), Claim.shared(Scope.path("/a"))))
                .hasMessage(
                        "lock 'path:/a (shared)' is held by backup through subtree:/ for another 0.0 s (token 9)");
    }

    @Test
    void aGrantThatCameTooLateSaysWhatToDo() {
        LockTimeoutException tooSlow = LockTimeoutException.tooSlow(ORDERS);

        assertThat(tooSlow)
                .hasMessageContaining("'orders'")
                .hasMessageEndingWith("choose a longer one");
        assertThat(tooSlow.heldBy()).isEmpty();
    }

    @Test
    void aStaleTokenExceptionHasBothNumbers() {
        StaleTokenException stale =
                new StaleTokenException("ledger", new FencingToken(3), new FencingToken(5));

        assertThat(stale).hasMessage("stale token 3: ledger has seen token 5");
        assertThat(stale.token().value()).isEqualTo(3);
        assertThat(stale.mark().value()).isEqualTo(5);
    }

    @Test
    void aLostLeaseSaysWhichAndWhy() {
        Throwable cause = new IllegalStateException("why");
        LeaseLostException lost =
                new LeaseLostException(HOLDING, "the store refused its renewal", cause);

        assertThat(lost)
                .hasMessage(
                        "lease lost: the store refused its renewal; scope=name:orders token=7 holder=api-3")
                .hasCause(cause);
        assertThat(lost.holding()).isEqualTo(HOLDING);
    }

    @Test
    void theRestCarryTheirFactsToo() {
        LimitExceededException limit = new LimitExceededException("waiters per scope", 10, "full");
        assertThat(limit.limit()).isEqualTo("waiters per scope");
        assertThat(limit.maximum()).isEqualTo(10);

        IdempotencyConflictException conflict =
                new IdempotencyConflictException("k\n" + "x".repeat(100));
        assertThat(conflict).hasMessageContaining("was used before with another payload");
        assertThat(conflict.getMessage()).doesNotContain("\n").hasSizeLessThan(120);
        assertThat(conflict.key()).startsWith("k\n");

        InterruptedException interrupt = new InterruptedException();
        assertThat(new LockInterruptedException(ORDERS, interrupt))
                .hasMessage("interrupted while waiting for lock 'orders'")
                .hasCause(interrupt);

        assertThat(new StoreUnavailableException("down")).hasMessage("down").hasNoCause();
        assertThat(new OutcomeUnknownException("no answer", interrupt)).hasCause(interrupt);
        assertThat(Optional.of(new OutcomeUnknownException("no answer")))
                .get()
                .isInstanceOf(LeaseholdException.class);
    }
}
