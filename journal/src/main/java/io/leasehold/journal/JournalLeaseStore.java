// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.DamagedFileException;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Disk;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Guarantees;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Time;
import io.leasehold.spi.TokenCheck;
import io.leasehold.table.Deliveries;
import io.leasehold.table.LeaseTable;
import io.leasehold.table.Reply;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Leases in a journal on disk: for one process on one machine, and behind a server. What was
 * answered survives {@code kill -9} and power loss. Tokens are 1, 2, 3…. Thread-safe.
 *
 * <p><b>Why this is safe.</b> All decisions are made by one {@link LeaseTable}, one at a time, on
 * store time read under the lock. The table tells of each change, the changes go to the log in that
 * order, and no answer leaves before everything that it was based on is forced to disk. So whatever
 * a crash leaves is a state that the store was in, and no caller knows of a later one.
 *
 * <p><b>Renewals need no disk.</b> Store time stands still while the store is down, and each start
 * lets a lease run again in full if it was granted or renewed since the start before. A renewal
 * that no file tells of was made before the crash and ends, at the latest, its ttl after it; the
 * lease now ends its ttl after the start, which is later. That holds as long as the ttl is known: a
 * renewal that asks for a longer one than before is forced. And it can't go on for ever: the first
 * renewal of a lease after a start is forced, so that a lease nobody renews is not let run again by
 * the next start, and store time itself is forced every second. While a renewal is being forced,
 * later ones of its lease wait for it: they rely on it.
 *
 * <p>No caller and no timer waits for the disk: one thread of the store's writes, another lays out
 * files and writes snapshots. A third acts on alarms, a fourth tells events and a fifth
 * delivers answers that another thread leaves because they are many, while there are any.
 * So a disk that stalls keeps back answers and nothing else; time-outs, and renewals that need no
 * disk, go on. A force that fails is final: the store stops, because nobody can know what is on
 * disk.
 */
public final class JournalLeaseStore implements LeaseStore {

    private static final System.Logger LOG = System.getLogger(JournalLeaseStore.class.getName());
    private static final Guarantees GUARANTEES =
            new Guarantees("journal", true, false, Guarantees.Clock.MONOTONIC, true, List.of());

    private final StoreId id;
    private final JournalDirectory directory;
    private final LockedDirectory locked;
    private final Surroundings.Threads threads;
    private final Time time;
    private final long origin; // of store time, on the clock
    private final Deliveries deliveries;
    private final ReentrantLock lock = new ReentrantLock(); // guards what follows
    private final LeaseTable table;
    private final Recorder recorder;
    private final LogWriter log;
    private final Committer committer;
    private final Room room;
    private final Renewals renewals = new Renewals();
    private final Maintenance upkeep;
    private @Nullable String ended; // why nothing is decided any more
    private @Nullable CompletableFuture<Boolean> closing;

    /** What was read, and where it goes from now on. */
    private record Parts(
            LockedDirectory locked, Deliveries deliveries, Recorder recorder, LeaseTable table) {}

    private JournalLeaseStore(
            Parts parts, Opening opening, JournalOptions options, Surroundings surroundings) {
        this.id = opening.standing().storeId().orElseThrow();
        this.locked = parts.locked;
        this.directory = locked.directory();
        this.deliveries = parts.deliveries;
        this.recorder = parts.recorder;
        this.table = parts.table;
        this.time = surroundings.time();
        this.origin = time.nanos() - opening.moment().time();
        LockFileWatch lockFile = new LockFileWatch(locked, time);
        int segmentBytes = options.segmentBytes();
        this.threads = surroundings.threads().get();
        this.log = new LogWriter(
                lockFile,
                segmentBytes,
                opening.moment().start(),
                opening.position(),
                threads.housekeeper());
        this.committer = new Committer(
                lock,
                log,
                threads.writer(),
                deliveries,
                new Committer.Parameters(Committer.fullAt(segmentBytes), this::fail));
        this.room = new Room(directory, log, committer, segmentBytes);
        Snapshots snapshots =
                new Snapshots(directory, lock, threads.housekeeper(), this::fail, segmentBytes);
        this.upkeep = new Maintenance(
                new Maintenance.Parts(table, recorder, log, committer, room, snapshots),
                lockFile,
                time,
                threads,
                new Kept());
    }

    /** The store as its upkeep sees it. */
    private final class Kept implements Maintenance.Store {

        @Override
        public void operate(CompletableFuture<?> stage, LongConsumer operation) {
            JournalLeaseStore.this.operate(stage, operation);
        }

        @Override
        public void fail(IOException failure) {
            JournalLeaseStore.this.fail(failure);
        }
    }

    /** Opens the journal in a directory, which is made if its parent is there. */
    public static JournalLeaseStore open(Path directory) {
        return open(directory, JournalOptions.defaults());
    }

    /**
     * Opens the journal in a directory with bounds of the caller's choice.
     *
     * @throws StoreUnavailableException if it is open already, or can't be read or written
     * @throws DamagedFileException if it is not as it was written
     */
    public static JournalLeaseStore open(Path directory, JournalOptions options) {
        return open(directory, options, Time.system(), Disk.system());
    }

    /** Opens a journal on a time and a disk of the caller's choice. */
    public static JournalLeaseStore open(
            Path directory, JournalOptions options, Time time, Disk disk) {
        return open(
                directory,
                options,
                new Surroundings(
                        time,
                        disk,
                        () -> new OwnThreads(directory, time),
                        Deliveries.onThreads(OwnThreads.name(directory)),
                        new SecureRandom()));
    }

    static JournalLeaseStore open(Path path, JournalOptions options, Surroundings surroundings) {
        JournalDirectory directory = new JournalDirectory(path, surroundings.disk());
        directory.make();
        LockedDirectory locked =
                directory.lock("process " + ProcessHandle.current().pid());
        try {
            Deliveries deliveries = surroundings.deliveries();
            Recorder recorder = new Recorder(deliveries);
            LeaseTable table = new LeaseTable(options.table(), 1, 0, recorder);
            Opening opening = Opening.of(directory, options, table, surroundings);
            JournalLeaseStore store = new JournalLeaseStore(
                    new Parts(locked, deliveries, recorder, table), opening, options, surroundings);
            store.start(opening);
            return store;
        } catch (RuntimeException | Error e) {
            locked.close();
            throw e;
        }
    }

    /** Writes down that it was opened, and lets the leases run. */
    private void start(Opening opening) {
        try {
            Moment moment = opening.moment();
            Batch first = new Batch();
            first.add(opening.standing());
            first.addStarted(moment.time());
            first.at(moment.time(), moment.lastToken());
            LogWriter.Place unused = log.write(first);
            table.resume(opening.standing().lastToken(), moment.time());
            committer.begin(moment.time());
            recorder.record(committer, opening);
        } catch (IOException e) {
            threads.close();
            log.close();
            throw new StoreUnavailableException(
                    "the journal " + directory.path() + " can't be written: "
                            + JournalDirectory.reason(e),
                    e);
        } catch (RuntimeException | Error e) {
            threads.close();
            log.close();
            throw e;
        }
        upkeep.begin(opening);
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        CompletableFuture<Acquisition> stage = new CompletableFuture<>();
        operate(stage, now -> {
            ensureThawed(now);
            room.ensureForGrant();
            table.acquire(request, now, new Reply() {
                @Override
                public void settle(Acquisition outcome) {
                    committer.send(new Answer<>(stage, outcome));
                }

                @Override
                public void fail(LeaseholdException reason) {
                    deliveries.answer(() -> stage.completeExceptionally(reason));
                }
            });
        });
        return stage;
    }

    @Override
    public CompletionStage<Ending> withdraw(LeaseRequest request) {
        return decide(now -> {
            Ending ending = table.withdraw(request, now);
            committer.hurry(); // also if it ran out just now: it must not be there once more
            return ending;
        });
    }

    @Override
    public CompletionStage<Ending> withdrawUnlessUsed(LeaseRequest request) {
        return decide(now -> {
            Ending ending = table.withdrawUnlessUsed(request, now);
            committer.hurry();
            return ending;
        });
    }

    @Override
    public CompletionStage<Renewal> renew(RenewalRequest request) {
        CompletableFuture<Renewal> stage = new CompletableFuture<>();
        operate(stage, now -> {
            room.ensure();
            answer(request.grant().id(), new Answer<>(stage, table.renew(request, now)));
        });
        return stage;
    }

    /** Most renewals need no disk; those that do keep back later ones of the same lease. */
    private void answer(LeaseId id, Answer<Renewal> answer) {
        boolean renewed = answer.value() instanceof Renewal.Renewed;
        if (renewed && recorder.isUrgent()) {
            committer.send(renewals.begin(id, answer));
        } else if (committer.isSettled() || (renewed && !renewals.isUnderWay(id))) {
            answer.stage().complete(answer.value());
        } else {
            committer.send(answer);
        }
    }

    @Override
    public CompletionStage<Rotation> rotate(Grant grant) {
        return decide(now -> table.rotate(grant, now));
    }

    @Override
    public CompletionStage<Ending> release(Grant grant) {
        return decide(now -> table.release(grant, now));
    }

    @Override
    public CompletionStage<Ending> forceRelease(Scope scope, FencingToken token) {
        return decide(now -> table.forceRelease(scope, token, now));
    }

    @Override
    public CompletionStage<Ending> complete(Grant grant, LeaseRecord record, Duration keepFor) {
        return decide(now -> table.complete(grant, record, keepFor, now));
    }

    @Override
    public CompletionStage<LeasePage> list(LeaseQuery query) {
        return decide(now -> table.list(query, now));
    }

    @Override
    public CompletionStage<TokenCheck> check(Scope scope, FencingToken token) {
        return decide(now -> table.check(scope, token, now));
    }

    @Override
    public LeaseEvents.Subscription subscribe(LeaseEvents listener) {
        return deliveries.subscribe(listener);
    }

    @Override
    public Guarantees guarantees() {
        return GUARANTEES;
    }

    @Override
    public CompletionStage<StoreId> storeId() {
        return CompletableFuture.completedFuture(id);
    }

    // ---- operations

    private <T> CompletionStage<T> decide(LongFunction<T> decision) {
        CompletableFuture<T> stage = new CompletableFuture<>();
        operate(stage, now -> {
            room.ensure();
            T answer = decision.apply(now);
            if (committer.isSettled()) {
                stage.complete(answer);
            } else {
                committer.send(new Answer<>(stage, answer));
            }
        });
        return stage;
    }

    /**
     * Runs an operation under the lock, and has the writer write what came of it, also if it fails:
     * others wait for what was recorded until then.
     */
    private void operate(CompletableFuture<?> stage, LongConsumer operation) {
        Throwable failure = null;
        boolean run = false;
        lock.lock();
        try {
            run(operation);
        } catch (Throwable e) {
            failure = e;
        } finally {
            run = committer.needsRun();
            lock.unlock();
        }
        try {
            setGoing(run);
        } finally {
            if (failure != null) {
                fail(stage, failure);
            }
        }
    }

    private void run(LongConsumer operation) {
        if (ended != null) {
            throw new StoreUnavailableException(ended);
        }
        long now = time.nanos() - origin;
        recorder.begin(now);
        try {
            operation.accept(now);
        } finally {
            upkeep.setTimers(now);
        }
    }

    /** Has written what is to be written, and delivers what can be. Call it without the lock. */
    private void setGoing(boolean writer) {
        try {
            if (writer) {
                committer.start();
            }
        } finally {
            deliveries.flush();
        }
    }

    /** Nobody knows how far an operation came that failed with something else than a refusal. */
    private void fail(CompletableFuture<?> stage, Throwable failure) {
        stage.completeExceptionally(
                failure instanceof LeaseholdException refusal
                        ? refusal
                        : new OutcomeUnknownException(
                                "the journal " + directory.path() + " failed: "
                                        + failure.getClass().getName(),
                                failure));
        if (failure instanceof VirtualMachineError fatal
                && !(failure instanceof StackOverflowError)) {
            throw fatal;
        }
    }

    private void ensureThawed(long now) {
        long left = recorder.standing().frozenUntil() - now;
        if (left > 0) {
            throw new StoreUnavailableException("the journal " + directory.path()
                    + " was restored: nothing is granted for another "
                    + Duration.ofNanos(left).toSeconds()
                    + " s, until leases that it does not know of have run out");
        }
    }

    // ---- the end

    /** Stops for good: nobody can know what is on disk. Call it without the lock. */
    private void fail(IOException failure) {
        boolean first;
        lock.lock();
        try {
            first = ended == null;
            if (first) {
                ended = "the journal " + directory.path() + " has stopped: " + failure.getMessage()
                        + (failure instanceof LockedDirectory.LostException
                                ? ""
                                : ". Look after the disk, then open it again");
                stopDeciding();
            }
            committer.fail(new OutcomeUnknownException(
                    "the journal " + directory.path() + " stopped: " + failure.getMessage()));
        } finally {
            lock.unlock();
        }
        deliveries.flush();
        if (first) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    () -> "the journal " + directory.path() + " has stopped",
                    failure);
        }
    }

    private void stopDeciding() {
        table.failWaiters(new StoreUnavailableException(String.valueOf(ended)));
        upkeep.end();
    }

    /**
     * Writes what is under way, then closes the files. Waits for that, unless called by a dependent
     * of one of its own answers, whose thread would have to write, or to deliver that everything is
     * written.
     */
    @Override
    public void close() {
        CompletableFuture<Boolean> finished = finish();
        if (!committer.isWrittenByThisThread() && !deliveries.isDeliveredByThisThread()) {
            boolean unused = finished.join();
        }
    }

    private CompletableFuture<Boolean> finish() {
        boolean run = false;
        lock.lock();
        try {
            if (closing != null) {
                return closing;
            }
            CompletableFuture<Boolean> written = new CompletableFuture<>();
            closing = written.handle((done, failure) -> release());
            if (ended == null) {
                ended = "the journal " + directory.path() + " is closed";
                stopDeciding();
                committer.waitNoMore();
                Batch last = committer.add(true, recorder.moment());
                last.add(new Answer<>(written, true));
                run = committer.needsRun();
            } else {
                deliveries.answer(() -> written.complete(false));
            }
            return closing;
        } finally {
            lock.unlock();
            setGoing(run);
        }
    }

    private boolean release() {
        threads.close();
        log.close();
        locked.close();
        return true;
    }
}
