// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.Scope;
import io.leasehold.protocol.v1.WatchReply;
import io.leasehold.spi.LeaseEvent;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Watchers that are slower than what happens. */
final class WatchRingTest {

    private static final int SIZE = 4;

    private final WatchRing ring = new WatchRing("boot", SIZE, Runnable::run);
    private final WatchRing.Watcher watcher =
            ring.watch(WatchRing.Cursor.parse(""), Optional.empty());
    private long token;

    @BeforeEach
    void open() {
        ring.open();
    }

    private void happens(int times) {
        for (int i = 0; i < times; i++) {
            ring.add(new LeaseEvent.Changed(
                    LeaseEvent.Change.GRANTED,
                    new Holding(
                            Claim.exclusive(Scope.name("a")),
                            new Holder("test"),
                            new FencingToken(++token))));
        }
    }

    private WatchReply next() {
        CompletableFuture<WatchReply> next = watcher.next().toCompletableFuture();
        assertThat(next).isCompleted();
        return next.join();
    }

    private long nextToken() {
        return next().getChanged().getHolding().getToken();
    }

    @Test
    void whoIsAFullRingBehindMissesNothing() {
        assertThat(next().hasStarted()).isTrue();
        happens(SIZE);
        for (long expected = 1; expected <= SIZE; expected++) {
            assertThat(nextToken()).isEqualTo(expected);
        }
    }

    @Test
    void whoFallsFurtherBehindIsToldToReadTheStateAnewAndGoesOnFromThere() {
        assertThat(next().hasStarted()).isTrue();
        happens(1);
        assertThat(nextToken()).isEqualTo(1);
        happens(SIZE + 1);
        assertThat(next().hasResync()).isTrue();
        happens(1);
        assertThat(nextToken()).isEqualTo(token);
    }
}
