// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Who listens, for how long, and what the server is told of it. */
final class ListeningTest {

    private final VirtualTime time = VirtualTime.create();
    private final List<String> asked = new ArrayList<>();
    private final List<LeaseEvent> heard = new ArrayList<>();
    private boolean broken;
    private final Listening listening = new Listening(new Channels(), "events", this::send, time);

    private CompletableFuture<List<Object>> send(Operation operation) {
        asked.add(Wire.string(operation.words()[0]));
        return broken
                ? CompletableFuture.failedFuture(new StoreUnavailableException("broken"))
                : CompletableFuture.completedFuture(List.of(5L));
    }

    private LeaseEvents.Subscription listen() {
        return listening.add(heard::add).toCompletableFuture().join();
    }

    @Test
    void theServerIsToldWhileSomebodyListens() {
        LeaseEvents.Subscription subscription = listen();
        assertThat(asked).containsExactly("subscribe", "o1");
        time.advance(Duration.ofSeconds(25));
        assertThat(asked).containsExactly("subscribe", "o1", "o1", "o1");
        subscription.close();
        time.advance(Duration.ofMinutes(1));
        assertThat(asked).containsExactly("subscribe", "o1", "o1", "o1", "unsubscribe");
        assertThat(time.pendingTimers()).isZero();
    }

    @Test
    void theServerIsNotToldAfterTheEnd() {
        listen();
        listening.close();
        time.advance(Duration.ofMinutes(1));
        assertThat(asked).containsExactly("subscribe", "o1");
        assertThat(time.pendingTimers()).isZero();
    }

    @Test
    void theServerIsToldThoughNoTimerCouldBeHadForTheFirstListener() {
        TimersThatFail timers = new TimersThatFail(time);
        Listening starved = new Listening(new Channels(), "events", this::send, timers);
        timers.fail = true;
        assertThat(starved.add(heard::add).toCompletableFuture()).isCompletedExceptionally();
        timers.fail = false;
        asked.clear();
        starved.add(heard::add).toCompletableFuture().join();
        time.advance(Duration.ofSeconds(25));
        assertThat(asked).containsExactly("subscribe", "o1", "o1", "o1");
    }

    @Test
    void leavingTwiceDoesNotDeafenAnother() {
        LeaseEvents.Subscription first = listen();
        listen();
        first.close();
        first.close();
        assertThat(asked).doesNotContain("unsubscribe");
    }

    @Test
    void whoWasToldThatItFailedHearsNothing() {
        broken = true;
        assertThat(listening.add(heard::add).toCompletableFuture()).isCompletedExceptionally();
        assertThat(asked).containsExactly("subscribe", "o1", "unsubscribe");
        broken = false;
        listening.message(event(6));
        assertThat(heard).isEmpty();
    }

    @Test
    void whatWasMissedIsCounted() {
        listen();
        listening.message(event(6));
        listening.message(event(9));
        assertThat(heard).hasSize(3);
        assertThat(heard.get(1)).isEqualTo(new LeaseEvent.Missed(2));
    }

    @Test
    void aServerThatForgotHowManyItSentHasSentSomeUnheard() {
        listen();
        listening.message(event(6));
        listening.message(event(2));
        assertThat(heard).hasSize(3);
        assertThat(heard.get(1)).isEqualTo(new LeaseEvent.Missed(1));
    }

    @Test
    void whatIsNoEventIsPassedOver() {
        listen();
        for (String message : List.of("", "5:abc", "3:abc", "1:61:Z3:xna1:b1:1")) {
            listening.message(Wire.text(message));
        }
        assertThat(heard).noneMatch(LeaseEvent.Changed.class::isInstance);
        listening.message(event(7));
        assertThat(heard).hasAtLeastOneElementOfType(LeaseEvent.Changed.class);
    }

    private static byte[] event(int number) {
        return Wire.text("1:" + number + "1:G3:xna1:b1:10:");
    }

    /** Notes who subscribes. */
    private final class Channels extends NoLink {

        @Override
        public CompletionStage<Void> subscribe(String channel) {
            asked.add("subscribe");
            return CompletableFuture.allOf();
        }

        @Override
        public void unsubscribe(String channel) {
            asked.add("unsubscribe");
        }
    }
}
