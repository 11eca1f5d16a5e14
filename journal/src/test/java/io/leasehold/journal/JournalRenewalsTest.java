// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.RefusalReason;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Renewals that no file tells of, across starts. */
final class JournalRenewalsTest {

    private static final Duration TTL = Duration.ofSeconds(10);

    private final World world = World.create(1);

    private Duration left() {
        return world.list().stream()
                .map(view -> view.remaining())
                .findFirst()
                .orElse(Duration.ZERO);
    }

    private static long version(Renewal renewal) {
        assertThat(renewal).isInstanceOf(Renewal.Renewed.class);
        return ((Renewal.Renewed) renewal).version();
    }

    @Test
    void aRenewalThatNeverTouchedTheDiskIsHonoured() {
        Grant grant = world.acquire("a", TTL);
        for (int i = 0; i < 5; i++) {
            world.pass(Duration.ofMillis(700));
            long before = world.disk.operations();
            assertThat(world.renew(grant, TTL)).isInstanceOf(Renewal.Renewed.class);
            assertThat(world.disk.operations()).isEqualTo(before);
        }
        world.crashAndReopen();
        assertThat(left()).isGreaterThanOrEqualTo(TTL);
        world.pass(TTL.minusMillis(1));
        assertThat(world.renew(grant, TTL)).isInstanceOf(Renewal.Renewed.class);
    }

    @Test
    void aLongerTtlIsHonouredAndAShorterOneTakesNothingAway() {
        Grant grant = world.acquire("a", TTL);
        Duration longer = TTL.multipliedBy(6);
        assertThat(world.renew(grant, longer)).isInstanceOf(Renewal.Renewed.class);
        assertThat(world.renew(grant, TTL)).isInstanceOf(Renewal.Renewed.class);
        world.crashAndReopen();
        assertThat(left()).isGreaterThanOrEqualTo(longer);
        world.pass(TTL);
        assertThat(world.renew(grant, TTL)).isInstanceOf(Renewal.Renewed.class);
        world.crashAndReopen();
        assertThat(left()).isGreaterThanOrEqualTo(longer.minus(TTL));
    }

    /**
     * Store time advances by the uptime less what was not written yet, at most a second. Only the
     * first start lets the lease run again, for its ttl.
     */
    @Test
    void aLeaseThatNobodyRenewsEndsHoweverOftenTheStoreStarts() {
        Duration uptime = Duration.ofMillis(2_900);
        long progress = uptime.minusSeconds(1).toNanos();
        long bound = 1 + (TTL.toNanos() + progress - 1) / progress;
        Grant grant = world.acquire("a", TTL);
        long starts = 0;
        while (!world.list().isEmpty()) {
            world.pass(uptime);
            if (starts % 2 == 0) {
                world.killAndReopen();
            } else {
                world.crashAndReopen();
            }
            starts++;
            assertThat(starts).isLessThanOrEqualTo(bound);
        }
        assertThat(starts * uptime.toNanos()).isGreaterThanOrEqualTo(TTL.toNanos());
        assertThat(world.renew(grant, TTL)).isEqualTo(new Refused(RefusalReason.EXPIRED));
    }

    @Test
    void aVersionOfThePastIsNeverGoodAgain() {
        Grant grant = world.acquire("a", TTL);
        long last = 1;
        for (int start = 0; start < 5; start++) {
            for (int i = 0; i < 3; i++) {
                RenewalRequest renewal = RenewalRequest.of(grant, TTL);
                assertThat(World.answer(world.store.renew(renewal.ifVersion(last + 1))))
                        .isEqualTo(new Refused(RefusalReason.VERSION_MISMATCH));
                long next = version(world.renew(grant, TTL));
                assertThat(next).isGreaterThan(last);
                assertThat(World.answer(world.store.renew(renewal.ifVersion(last))))
                        .isEqualTo(new Refused(RefusalReason.VERSION_MISMATCH));
                last = next;
            }
            world.crashAndReopen();
        }
    }
}
