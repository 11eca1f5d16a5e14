// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Environment;
import io.leasehold.FencedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LeaseholdOptions;
import io.leasehold.LockOptions;
import io.leasehold.listener.LeaseholdListener;
import io.leasehold.model.Scope;
import io.leasehold.spi.Time;
import io.leasehold.testkit.Faults;
import io.leasehold.testkit.FaultyStore;
import io.leasehold.testkit.PausableTime;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;

/** One client process: its clocks, its network to the store, a tap on that, and the library. */
final class Node {

    final PausableTime process;
    final FaultyStore network;
    final WireTap wire;
    final Leasehold leasehold;

    private Node(
            PausableTime process, FaultyStore network, WireTap wire, LeaseholdOptions options) {
        this.process = process;
        this.network = network;
        this.wire = wire;
        this.leasehold = Leasehold.on(wire, options);
    }

    static Node of(World world, String name, Time clocks) {
        return of(world, name, clocks, World.PATIENCE, name.hashCode());
    }

    static Node of(World world, String name, Time clocks, Duration patience, long seed) {
        return of(world, name, PausableTime.on(clocks), patience, seed, Runnable::run);
    }

    /** A client whose work takes up to the given time, on the thread that moves the clocks. */
    static Node working(World world, String name, Time clocks, Duration patience, Duration work) {
        SplittableRandom random = new SplittableRandom(name.hashCode() + work.toNanos());
        PausableTime process = PausableTime.on(clocks);
        return of(
                world,
                name,
                process,
                patience,
                random.nextLong(),
                task -> process.schedule(Duration.ofNanos(random.nextLong(work.toNanos())), task));
    }

    /** A client whose work runs when the test has it run. */
    static Node working(World world, String name, Executor workers) {
        PausableTime process = PausableTime.on(world.time);
        return of(world, name, process, World.PATIENCE, name.hashCode(), workers);
    }

    private static Node of(
            World world,
            String name,
            PausableTime process,
            Duration patience,
            long seed,
            Executor workers) {
        return of(
                world,
                process,
                seed,
                options -> options.withHolder(name).withPatience(patience).withWorkers(workers));
    }

    /** A client that tells a listener what it sees. */
    static Node listening(World world, String name, LeaseholdListener listener) {
        return of(
                world,
                PausableTime.on(world.time),
                name.hashCode(),
                options ->
                        options.withHolder(name).withWorkers(Runnable::run).withListener(listener));
    }

    private static Node of(
            World world, PausableTime process, long seed, UnaryOperator<LeaseholdOptions> with) {
        FaultyStore network = FaultyStore.to(world.store, world.time, seed, Faults.none());
        Environment environment =
                new Environment(process, Runnable::run, new SplittableRandom(seed));
        LeaseholdOptions options =
                with.apply(LeaseholdOptions.defaults()).withEnvironment(environment);
        return new Node(process, network, new WireTap(network, process), options);
    }

    FencedLock lock(String name) {
        return leasehold.lock(name);
    }

    FencedLock lock(String name, LockOptions options) {
        return leasehold.lock(options, Scope.name(name));
    }

    /** A lock with leases of the given length. */
    FencedLock lock(String name, Duration ttl) {
        return lock(name, LockOptions.defaults().withTtl(ttl));
    }

    /** The lease of a lock that is free and answers at once. */
    Lease holds(String name) {
        return lock(name).acquire(Duration.ZERO);
    }

    /** An acquire that waits for longer than most tests last. */
    CompletableFuture<Lease> waits(String name) {
        return lock(name).acquireAsync(Duration.ofMinutes(5));
    }

    /** What an acquire has come to. It must be over: nobody moves the clock while we wait. */
    static Lease obtained(CompletableFuture<Lease> acquiring) {
        assertThat(acquiring).isDone();
        return acquiring.join();
    }

    /** Every message takes this long, there and again back. */
    void delay(Duration oneWay) {
        network.change(Faults.none().delaying(oneWay, oneWay));
    }

    void heal() {
        network.change(Faults.none());
        network.cutOff(false);
    }

    /** Gives a lease back without waiting for the store's word: nobody would move the clock. */
    static void closeWithoutWaiting(AutoCloseable closeable) {
        Thread.currentThread().interrupt(); // ends the wait as soon as it begins
        try {
            closeable.close();
        } catch (Exception e) {
            throw new AssertionError("close() never throws", e);
        } finally {
            boolean unused = Thread.interrupted();
        }
    }
}
