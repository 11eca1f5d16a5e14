// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.testkit.SimulatedDisk;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * A journal in virtual time on a simulated disk, which can be killed, lose its power, and be opened
 * again. No time passes while it is down.
 */
final class World {

    private static final JournalLeaseStore CLOSED = closedStore();

    final SimulatedDisk disk;
    JournalOptions options = Stores.SMALL;
    VirtualTime time = VirtualTime.create();
    InlineThreads threads = new InlineThreads();
    JournalLeaseStore store;

    private World(SimulatedDisk disk, JournalLeaseStore none) {
        this.disk = disk;
        this.store = none;
    }

    /** A new journal on a new disk. */
    static World create(long seed) {
        return on(Stores.disk(seed));
    }

    /** The journal of a disk, opened. */
    static World on(SimulatedDisk disk) {
        World world = closed(disk);
        world.reopen();
        return world;
    }

    /** The journal of a disk, not opened yet: its store is one that was closed, elsewhere. */
    static World closed(SimulatedDisk disk) {
        return new World(disk, CLOSED);
    }

    /** The process is killed, and another one opens the journal. */
    void killAndReopen() {
        disk.kill();
        reopen();
    }

    /** The process is killed, there is room on the disk, and another one opens the journal. */
    void killAndReopenWithRoom() {
        disk.limit(Long.MAX_VALUE);
        killAndReopen();
    }

    /** The power goes and comes back, and the journal is opened. */
    void crashAndReopen() {
        disk.crash();
        reopen();
    }

    /** The journal is closed and opened again. */
    void closeAndReopen() {
        store.close();
        reopen();
    }

    /** The disk works again, and the journal is opened. */
    void reopen() {
        disk.restart();
        start();
    }

    /** Opens the journal. Timers of the store before are gone with its process. */
    void start() {
        start(new InlineThreads());
    }

    /** Opens the journal, and nothing is laid out or tidied up behind its back. */
    void startWithTheHousekeeperHeld() {
        InlineThreads held = new InlineThreads();
        held.housekeeper.hold();
        start(held);
    }

    private void start(InlineThreads with) {
        time = VirtualTime.startingAt(time.nanos());
        threads = with;
        store = Stores.open(time, disk, options, threads);
    }

    void pass(Duration span) {
        time.advance(span);
    }

    private static JournalLeaseStore closedStore() {
        JournalLeaseStore store = Stores.open(VirtualTime.create(), Stores.disk(0), Stores.SMALL);
        store.close();
        return store;
    }

    // ---- commands

    static LeaseRequest request(String name, Duration ttl) {
        return request(Integer.MAX_VALUE + (long) name.hashCode(), name, ttl);
    }

    /** A request with an id and a holder of its own. */
    static LeaseRequest request(long number, String name, Duration ttl) {
        return LeaseRequest.of(
                new LeaseId(77, number),
                Claim.exclusive(Scope.name(name)),
                new Holder("holder-" + number),
                ttl);
    }

    Grant acquire(String name, Duration ttl) {
        return granted(store.acquire(request(name, ttl)));
    }

    Renewal renew(Grant grant, Duration ttl) {
        return answer(store.renew(RenewalRequest.of(grant, ttl)));
    }

    /** All leases and records. */
    List<LeaseView> list() {
        List<LeaseView> all = new ArrayList<>();
        LeasePage page = answer(store.list(LeaseQuery.all()));
        all.addAll(page.leases());
        while (page.more()) {
            FencingToken last = all.get(all.size() - 1).holding().token();
            page = answer(store.list(LeaseQuery.all().after(last)));
            all.addAll(page.leases());
        }
        return all;
    }

    /** What of a lease or record never changes. */
    record Fact(Holding holding, LeaseView.State state, Optional<LeaseRecord> record) {}

    /** All leases and records, but for how long they last. */
    List<Fact> facts() {
        return list().stream()
                .map(view -> new Fact(view.holding(), view.state(), view.record()))
                .toList();
    }

    static Grant granted(CompletionStage<Acquisition> stage) {
        Acquisition answer = answer(stage);
        assertThat(answer).isInstanceOf(Acquisition.Granted.class);
        return ((Acquisition.Granted) answer).grant();
    }

    // ---- answers

    static boolean isAnswered(CompletionStage<?> stage) {
        return stage.toCompletableFuture().isDone();
    }

    /** The answer, which is there. */
    static <T> T answer(CompletionStage<T> stage) {
        assertThat(isAnswered(stage)).as("answered").isTrue();
        return stage.toCompletableFuture().join();
    }

    /** What it failed with. */
    static LeaseholdException failure(CompletionStage<?> stage) {
        assertThat(stage.toCompletableFuture().isCompletedExceptionally())
                .as("failed")
                .isTrue();
        try {
            Object unexpected = stage.toCompletableFuture().join();
            throw new AssertionError("answered with " + unexpected);
        } catch (CompletionException e) {
            assertThat(e).hasCauseInstanceOf(LeaseholdException.class);
            return (LeaseholdException) Objects.requireNonNull(e.getCause());
        }
    }
}
