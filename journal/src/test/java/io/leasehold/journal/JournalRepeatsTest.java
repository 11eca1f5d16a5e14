// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Holder;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.RefusalReason;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Refused;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A repeat is told from another request, and from another completion, after a restart too. */
final class JournalRepeatsTest {

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration LONGER = Duration.ofMinutes(20);
    private static final Duration TICK = Duration.ofMillis(1_100);
    private static final int OLD = 4; // so many segments that a snapshot is due

    private static final LeaseRequest HELD = World.request("held", LONG);

    private final World world = World.on(Images.disk(OLD, 1));
    private final Grant completed = world.acquire("completed", LONG);

    private void leaseAndComplete() {
        Grant held = World.granted(world.store.acquire(HELD));
        world.renew(held, LONGER);
        assertThat(complete("one", LONG)).isEqualTo(new Ending.Ended());
    }

    private Ending complete(String result, Duration keepFor) {
        return World.answer(world.store.complete(completed, LeaseRecord.of(result), keepFor));
    }

    @Test
    void itIsSoWhenItIsReadFromTheLog() {
        leaseAndComplete();
        world.killAndReopen();
        assertTold();
    }

    @Test
    void itIsSoWhenItIsReadFromASnapshot() {
        leaseAndComplete();
        world.pass(TICK);
        assertThat(Images.of(world.disk).keySet().toString()).contains("snapshot");
        world.crashAndReopen();
        assertTold();
    }

    private void assertTold() {
        Acquisition another = new Acquisition.Gone(RefusalReason.SCOPE_MISMATCH);
        assertThat(acquire(new LeaseRequest(
                        HELD.id(), HELD.claim(), new Holder("another"), HELD.terms())))
                .isEqualTo(another);
        assertThat(acquire(LeaseRequest.of(HELD.id(), HELD.claim(), HELD.holder(), LONGER)))
                .isEqualTo(another);
        assertThat(acquire(new LeaseRequest(
                        HELD.id(),
                        World.request("elsewhere", LONG).claim(),
                        HELD.holder(),
                        HELD.terms())))
                .isEqualTo(another);
        assertThat(acquire(HELD)).isInstanceOf(Acquisition.Granted.class);
        assertThat(complete("two", LONG)).isEqualTo(new Refused(RefusalReason.NOT_FOUND));
        assertThat(complete("one", LONGER)).isEqualTo(new Refused(RefusalReason.NOT_FOUND));
        assertThat(complete("one", LONG)).isEqualTo(new Ending.Ended());
    }

    private Acquisition acquire(LeaseRequest request) {
        return World.answer(world.store.acquire(request));
    }
}
