// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.model.Mode;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.testkit.Faults;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class ValidateTest {

    private final World world = World.create();
    private final Node one = world.client("one");
    private final Node two = world.client("two");

    @Test
    void trueWhileTheStoreKnowsTheLease() {
        Lease lease = one.holds("ledger");
        assertThat(lease.validate()).isTrue();
        world.pass(World.TTL.multipliedBy(2));
        assertThat(lease.validate()).isTrue();
    }

    @Test
    void falseAfterTheStoreForgotIt() {
        Lease lease = one.holds("ledger");
        world.store.withdraw(one.wire.acquires.get(0));
        assertThat(lease.isValid()).as("nobody has told it yet").isTrue();
        assertThat(lease.validate()).isFalse();
        two.holds("ledger");
        assertThat(lease.validate()).isFalse();
    }

    @Test
    void falseWithoutAskingAfterItExpired() {
        Lease lease = one.holds("ledger");
        one.network.cutOff(true);
        world.pass(World.TTL);
        assertThat(lease.validate()).isFalse();
    }

    @Test
    void aFailingStoreIsReportedAsSuch() {
        Lease lease = one.holds("ledger");
        one.network.change(Faults.none().turningAway(1));
        assertThatThrownBy(lease::validate).isInstanceOf(StoreUnavailableException.class);
        one.network.cutOff(true);
        OtherThread<Boolean> asking = OtherThread.calls(lease::validate).awaitBlocked();
        world.pass(World.PATIENCE);
        assertThat(asking.failure()).isInstanceOf(OutcomeUnknownException.class);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aLeaseIsFoundAmongThousandsThatShareTheScope() {
        LockOptions shared = LockOptions.defaults().withMode(Mode.SHARED);
        Lease last = one.lock("ledger", shared).acquire(Duration.ZERO);
        for (int i = 0; i < 1200; i++) {
            last = one.lock("ledger", shared).acquire(Duration.ZERO);
        }
        assertThat(last.validate()).isTrue();
    }
}
