// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.Mode;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Refused;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.table.TableOptions;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bad input is refused at the edge, before anything is kept of it, with an error that says what is
 * allowed.
 */
final class BadInputTest {

    private static final Class<? extends Exception> ILLEGAL = IllegalArgumentException.class;
    private static final Class<? extends Exception> LIMIT = LimitExceededException.class;
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final Duration BEFORE_ALL_TIME = Duration.ofSeconds(Long.MIN_VALUE);
    private static final Scope NAME = Scope.name("orders");
    private static final LeaseRequest REQUEST =
            LeaseRequest.of(new LeaseId(1, 2), Claim.exclusive(NAME), new Holder("api-3"), TTL);
    private static final Grant UNKNOWN = new Grant(
            new Holding(REQUEST.claim(), REQUEST.holder(), new FencingToken(1)),
            new LeaseId(8, 9),
            TTL);
    private static final MemoryLeaseStore STORE = MemoryLeaseStore.create();

    private static Arguments row(
            String input, ThrowingCallable call, Class<? extends Exception> error, String says) {
        return arguments(input, call, error, says);
    }

    private static LeaseRequest ofTtl(Duration ttl) {
        return LeaseRequest.of(REQUEST.id(), REQUEST.claim(), REQUEST.holder(), ttl);
    }

    private static TableOptions options(int leases, int waiters, Duration window, int remembered) {
        return new TableOptions(leases, waiters, window, remembered);
    }

    private static LeaseQuery page(int limit) {
        return new LeaseQuery(Optional.empty(), Optional.empty(), limit);
    }

    static Stream<Arguments> scopes() {
        List<Scope> many = LongStream.range(0, 65).mapToObj(Scope::inode).toList();
        return Stream.of(
                row("empty name", () -> Scope.name(""), ILLEGAL, "name is empty"),
                row("long name", () -> Scope.name("x".repeat(513)), ILLEGAL, "at most 512"),
                row("huge name", () -> Scope.name("x".repeat(1 << 20)), ILLEGAL, "at most 512"),
                row(
                        "control character",
                        () -> Scope.name("a\nb"),
                        ILLEGAL,
                        "'a?b' has a control character at index 1"),
                row(
                        "half a character",
                        () -> Scope.name("\uD83D"),
                        ILLEGAL,
                        "unpaired surrogate at index 0"),
                row("relative path", () -> Scope.path("a"), ILLEGAL, "start it with '/'"),
                row(
                        "path upwards",
                        () -> Scope.subtree("/a/.."),
                        ILLEGAL,
                        "resolve it before leasing"),
                row(
                        "end before start",
                        () -> Scope.range(1, 9, 8),
                        ILLEGAL,
                        "the end must be above the start"),
                row(
                        "end at start",
                        () -> Scope.range(1, 9, 9),
                        ILLEGAL,
                        "the end must be above the start"),
                row(
                        "negative start",
                        () -> Scope.range(1, -1, 8),
                        ILLEGAL,
                        "starts at -1, below 0"),
                row(
                        "overflown end",
                        () -> Scope.range(1, 1, Long.MAX_VALUE + 1),
                        ILLEGAL,
                        "the end must be above"),
                row(
                        "inode above 64 bits",
                        () -> Scope.parse("inode:99999999999999999999"),
                        ILLEGAL,
                        "unsigned"),
                row(
                        "unknown kind",
                        () -> Scope.parse("table:x"),
                        ILLEGAL,
                        "none of name:, path:, subtree:"),
                row("no scopes", () -> Claim.exclusive(), ILLEGAL, "at least one scope"),
                row(
                        "scope twice",
                        () -> Claim.shared(NAME, NAME),
                        ILLEGAL,
                        "names a scope twice: name:orders"),
                row(
                        "65 scopes",
                        () -> new Claim(many, Mode.SHARED),
                        ILLEGAL,
                        "at most 64 are allowed"),
                row("empty holder", () -> new Holder(""), ILLEGAL, "holder is empty"),
                row("token 0", () -> new FencingToken(0), ILLEGAL, "outside 1 to 9007199254740991"),
                row(
                        "record too large",
                        () -> LeaseRecord.of(new byte[65_537]),
                        LIMIT,
                        "at most 65536"));
    }

    static Stream<Arguments> durations() {
        return Stream.of(
                row("ttl 0", () -> ofTtl(Duration.ZERO), ILLEGAL, "ttl PT0S is below PT0.1S"),
                row(
                        "ttl -1 s",
                        () -> ofTtl(Duration.ofSeconds(-1)),
                        ILLEGAL,
                        "ttl PT-1S is below PT0.1S"),
                row(
                        "ttl 99 ms",
                        () -> ofTtl(Duration.ofMillis(99)),
                        ILLEGAL,
                        "ttl PT0.099S is below PT0.1S"),
                row(
                        "ttl 100 ms - 1 ns",
                        () -> ofTtl(Duration.ofMillis(100).minusNanos(1)),
                        ILLEGAL,
                        "is below PT0.1S"),
                row(
                        "ttl 24 h + 1 ns",
                        () -> ofTtl(Duration.ofHours(24).plusNanos(1)),
                        LIMIT,
                        "is above PT24H"),
                row("ttl forever", () -> ofTtl(FOREVER), LIMIT, "is above PT24H"),
                row(
                        "ttl before all time",
                        () -> ofTtl(BEFORE_ALL_TIME),
                        ILLEGAL,
                        "is below PT0.1S"),
                row(
                        "renewal 99 ms",
                        () -> RenewalRequest.of(UNKNOWN, Duration.ofMillis(99)),
                        ILLEGAL,
                        "below PT0.1S"),
                row(
                        "renewal forever",
                        () -> RenewalRequest.of(UNKNOWN, FOREVER),
                        LIMIT,
                        "is above PT24H"),
                row(
                        "wait -1 ns",
                        () -> REQUEST.waitingAtMost(Duration.ofNanos(-1)),
                        ILLEGAL,
                        "is below PT0S"),
                row(
                        "wait 10 min + 1 ns",
                        () -> REQUEST.waitingAtMost(Duration.ofMinutes(10).plusNanos(1)),
                        LIMIT,
                        "is above PT10M"),
                row("wait forever", () -> REQUEST.waitingAtMost(FOREVER), LIMIT, "is above PT10M"),
                row(
                        "lock-delay -1 ns",
                        () -> REQUEST.withLockDelay(Duration.ofNanos(-1)),
                        ILLEGAL,
                        "lock-delay"),
                row(
                        "lock-delay 61 s",
                        () -> REQUEST.withLockDelay(Duration.ofSeconds(61)),
                        LIMIT,
                        "is above PT1M"),
                row(
                        "lock-delay forever",
                        () -> REQUEST.withLockDelay(FOREVER),
                        LIMIT,
                        "is above PT1M"),
                row(
                        "retention -1 ns",
                        () -> keepFor(Duration.ofNanos(-1)),
                        ILLEGAL,
                        "retention PT-0.000000001S"),
                row(
                        "retention 400 d + 1 ns",
                        () -> keepFor(Duration.ofDays(400).plusNanos(1)),
                        LIMIT,
                        "above PT9600H"),
                row("retention forever", () -> keepFor(FOREVER), LIMIT, "is above PT9600H"));
    }

    static Stream<Arguments> options() {
        return Stream.of(
                row("page of 0", () -> page(0), ILLEGAL, "page of 0 leases; it must be 1 to 1000"),
                row("page of -1", () -> page(-1), ILLEGAL, "it must be 1 to 1000"),
                row("page of 1001", () -> page(1001), ILLEGAL, "it must be 1 to 1000"),
                row("no leases", () -> options(0, 1, TTL, 1), ILLEGAL, "maxLeases 0 is below 1"),
                row(
                        "-1 waiters",
                        () -> options(1, -1, TTL, 1),
                        ILLEGAL,
                        "maxWaitersPerScope -1 is below 0"),
                row(
                        "-1 remembered",
                        () -> options(1, 1, TTL, -1),
                        ILLEGAL,
                        "maxRemembered -1 is below 0"),
                row(
                        "window -1 ns",
                        () -> options(1, 1, Duration.ofNanos(-1), 1),
                        ILLEGAL,
                        "retryWindow PT-0.0"),
                row(
                        "window forever",
                        () -> options(1, 1, FOREVER, 1),
                        ILLEGAL,
                        "is not within 0 to PT9600H"));
    }

    private static void keepFor(Duration duration) throws Throwable {
        try {
            STORE.complete(UNKNOWN, LeaseRecord.of("x"), duration)
                    .toCompletableFuture()
                    .join();
        } catch (CompletionException e) {
            throw Objects.requireNonNull(e.getCause());
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"scopes", "durations", "options"})
    void isRefusedWithTheReason(
            String input, ThrowingCallable call, Class<? extends Exception> error, String says) {
        assertThatThrownBy(call).as(input).isExactlyInstanceOf(error).hasMessageContaining(says);
    }

    @Test
    void whatIsJustWithinTheLimitsIsAccepted() {
        assertThat(ofTtl(Duration.ofMillis(100)).terms().ttl()).isEqualTo(Duration.ofMillis(100));
        assertThat(ofTtl(Duration.ofHours(24)).terms().ttl()).isEqualTo(Duration.ofDays(1));
        assertThat(REQUEST.waitingAtMost(Duration.ofMinutes(10)).terms().waitAtMost())
                .hasMinutes(10);
        assertThat(REQUEST.withLockDelay(Duration.ofSeconds(60)).terms().lockDelay())
                .hasMinutes(1);
        assertThat(page(1000).limit()).isEqualTo(1000);
        assertThat(Scope.range(1, Long.MAX_VALUE - 1, Long.MAX_VALUE)).isNotNull();
        assertThat(Collections.nCopies(1, NAME)).isEqualTo(REQUEST.claim().scopes());
    }

    @Test
    void aLeaseThatNeverWasIsNotFound() {
        Refused notFound = new Refused(RefusalReason.NOT_FOUND);

        assertThat(STORE.renew(RenewalRequest.of(UNKNOWN, TTL))).isCompletedWithValue(notFound);
        assertThat(STORE.rotate(UNKNOWN)).isCompletedWithValue(notFound);
        assertThat(STORE.release(UNKNOWN)).isCompletedWithValue(notFound);
        assertThat(STORE.complete(UNKNOWN, LeaseRecord.of("x"), TTL))
                .isCompletedWithValue(notFound);
        assertThat(STORE.withdraw(ofTtl(TTL))).isCompletedWithValue(new Ending.Ended());
    }
}
