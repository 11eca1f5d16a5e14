// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.StoreId;
import io.leasehold.testkit.RealTime;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** When the listeners of a change are told, and what calls and answers do meanwhile. */
final class StoreIdentityTest {

    private static final StoreId BEFORE = new StoreId(1, 1);
    private static final StoreId AFTER = new StoreId(2, 2);
    private static final int BEHIND_NUMBERS = 1 + 4 * Double.BYTES;

    private final StoreIdentity identity = new StoreIdentity();

    private boolean deliver(StoreId id) {
        return identity.deliver(List.of(Wire.text("I"), Wire.text(id.toString())));
    }

    /** Which id a call would be sent with. */
    private StoreId sent() {
        byte[] settings =
                ByteBuffer.allocate(BEHIND_NUMBERS + StoreIdentity.LENGTH).array();
        return StoreId.parse(new String(
                identity.addTo(settings),
                BEHIND_NUMBERS,
                StoreIdentity.LENGTH,
                StandardCharsets.US_ASCII));
    }

    @Test
    void noCallIsSentWithTheNewIdBeforeTheListenersHaveReturned() {
        CompletableFuture<StoreId> sentMeanwhile = new CompletableFuture<>();
        var unused = identity.subscribe(id -> sentMeanwhile.complete(sent()));
        assertThat(deliver(BEFORE)).isTrue();
        assertThat(deliver(AFTER)).isTrue();
        assertThat(sentMeanwhile).isCompletedWithValue(BEFORE);
        assertThat(sent()).isEqualTo(AFTER);
        assertThat(identity.now()).contains(AFTER);
    }

    @Test
    void noAnswerUnderTheNewIdIsDeliveredBeforeTheListenersHaveReturned() {
        CountDownLatch inListener = new CountDownLatch(1);
        CompletableFuture<Boolean> mayReturn = new CompletableFuture<>();
        var unused = identity.subscribe(id -> {
            inListener.countDown();
            assertThat(RealTime.answer(mayReturn)).isTrue();
        });
        assertThat(deliver(BEFORE)).isTrue();
        FutureTask<Boolean> first = new FutureTask<>(() -> deliver(AFTER));
        FutureTask<Boolean> second = new FutureTask<>(() -> deliver(AFTER));
        new Thread(first, "first").start();
        RealTime.until("the listener runs", () -> inListener.getCount() == 0);
        Thread waiting = new Thread(second, "second");
        waiting.start();
        RealTime.until(
                "it waits or is over",
                () -> second.isDone() || waiting.getState() == Thread.State.WAITING);
        assertThat(second.isDone()).isFalse();

        mayReturn.complete(true);

        RealTime.until("both are over", () -> first.isDone() && second.isDone());
    }
}
