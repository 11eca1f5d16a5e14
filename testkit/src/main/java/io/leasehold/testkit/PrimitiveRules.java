// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Environment;
import io.leasehold.Leasehold;
import io.leasehold.LeaseholdOptions;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Time;
import io.leasehold.table.TableOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** What the rules of all primitives share: processes on one store, and ways to wait for them. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
abstract class PrimitiveRules {

    private static final long PATIENCE_SECONDS = 20;

    private final List<Peer> peers = new ArrayList<>();
    private final ExecutorService callbacks = Executors.newFixedThreadPool(2);
    private StoreUnderTest opened;
    Peer alice;
    Peer bob;

    /** A client with a network of its own, which can be cut. */
    record Peer(Leasehold leasehold, FaultyStore network) {

        /** Nothing it sends arrives any more, and nothing reaches it: to all others it is dead. */
        void dies() {
            network.cutOff(true);
        }

        void comesBack() {
            network.cutOff(false);
        }
    }

    abstract PrimitivesContract contract();

    @BeforeEach
    final void openStore() {
        opened = contract().open(TableOptions.defaults());
        alice = peer("alice");
        bob = peer("bob");
    }

    @AfterEach
    final void closeAll() {
        peers.forEach(Peer::comesBack);
        CountDownLatch closed = new CountDownLatch(1);
        Thread closer = new Thread(() -> {
            peers.forEach(peer -> peer.leasehold.close());
            closed.countDown();
        });
        closer.setDaemon(true);
        closer.start();
        await(() -> {
            if (opened.time() != Time.system()) {
                opened.pass(ttl().dividedBy(4)); // the answers it waits for may be lost
            }
            return closed.getCount() == 0;
        });
        opened.close();
        callbacks.shutdownNow();
    }

    final Peer peer(String name) {
        FaultyStore network = FaultyStore.to(opened.store(), opened.time());
        Environment environment =
                new Environment(opened.time(), callbacks, new SplittableRandom(name.hashCode()));
        LeaseholdOptions options = LeaseholdOptions.defaults()
                .withHolder(name)
                .withPatience(ttl().dividedBy(4))
                .withCloseGrace(Duration.ZERO) // time may not pass by itself
                .withEnvironment(environment)
                .withStoreLeftOpen();
        Peer peer = new Peer(Leasehold.on(network, options), network);
        peers.add(peer);
        return peer;
    }

    final Duration ttl() {
        return contract().ttl();
    }

    /** Lets all of a lease's time pass, in steps that leave renewals the time to be answered. */
    final void passTtl() {
        pass(ttl().multipliedBy(3).dividedBy(2));
    }

    /** Where time is real, what the steps take beyond their length does not add up. */
    final void pass(Duration span) {
        long end = opened.nanos() + span.toNanos();
        for (int steps = 20; steps > 0; steps--) {
            opened.pass(Duration.ofNanos(Math.max(0, end - opened.nanos()) / steps));
            awaitQuiet();
        }
    }

    /** Lets time pass for as long as it takes other threads to bring something about. */
    final void passUntil(BooleanSupplier condition) {
        await(() -> {
            opened.pass(ttl().dividedBy(20));
            awaitQuiet();
            return condition.getAsBoolean();
        });
    }

    /** Time that is not real waits for other threads; they might need more of it than they have. */
    private void awaitQuiet() {
        if (opened.time() == Time.system()) {
            return;
        }
        CompletableFuture<?>[] both = {new CompletableFuture<>(), new CompletableFuture<>()};
        for (CompletableFuture<?> one : both) {
            callbacks.execute(() -> one.complete(null));
        }
        CompletableFuture.allOf(both).join();
        boolean unused = ForkJoinPool.commonPool().awaitQuiescence(1, TimeUnit.SECONDS);
    }

    final LeaseStore store() {
        return opened.store();
    }

    final List<LeaseView> listed() {
        return Answers.of(opened.store().list(LeaseQuery.all())).leases();
    }

    /** Waits until that many requests queue for the only lease there is. */
    final void awaitWaiters(int count) {
        await(() -> listed().stream().mapToInt(LeaseView::waiters).sum() == count);
    }

    /** Waits for something that other threads are about to bring about. */
    static void await(BooleanSupplier condition) {
        CountDownLatch never = new CountDownLatch(1);
        for (long i = 0; !condition.getAsBoolean(); i++) {
            assertThat(i).as("5 ms that nothing happened").isLessThan(PATIENCE_SECONDS * 200);
            try {
                boolean unused = never.await(5, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** For stubborn work, which no interrupt ends. */
    static void awaitUninterruptibly(CountDownLatch latch) {
        while (true) {
            try {
                boolean unused = latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
                return;
            } catch (InterruptedException e) {
                // not for us: stubborn work goes on
            }
        }
    }

    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    static <X extends Throwable> X failure(CompletableFuture<?> future, Class<X> type) {
        try {
            Object value = future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            throw new AssertionError("no failure but " + value);
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(type);
            return type.cast(Objects.requireNonNull(e.getCause()));
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }
}
