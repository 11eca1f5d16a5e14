// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.LeaseholdException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.table.Deliveries;
import io.leasehold.testkit.VirtualTime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of a store when its writer fails elsewhere than on the disk. */
final class CommitterTest {

    private final LockedDirectory directory = locked();
    private final ReentrantLock lock = new ReentrantLock();
    private final Deliveries deliveries = new Deliveries();
    private final List<IOException> failures = new ArrayList<>();
    private final LogWriter log = new LogWriter(
            new LockFileWatch(directory, VirtualTime.create()),
            JournalOptions.MIN_SEGMENT_BYTES,
            1,
            new LogWriter.Position(0, 0, 0),
            Runnable::run);
    private final Committer committer = new Committer(
            lock,
            log,
            Runnable::run,
            deliveries,
            new Committer.Parameters(
                    Committer.fullAt(JournalOptions.MIN_SEGMENT_BYTES), failures::add));

    private static LockedDirectory locked() {
        JournalDirectory directory = new JournalDirectory(Stores.DIRECTORY, Stores.disk(1));
        directory.make();
        return directory.lock("a test");
    }

    @AfterEach
    void close() {
        log.close();
        directory.close();
    }

    /** An answer for which there is no memory. */
    private static final class TooLarge implements Outgoing {
        @Override
        public void send(Deliveries deliveries) {
            throw new OutOfMemoryError("Java heap space");
        }

        @Override
        public void fail(Deliveries deliveries, LeaseholdException reason) {}
    }

    @Test
    void aWriterThatRunsOutOfMemoryStopsTheStoreAndLeavesNobodyWithoutAnAnswer() {
        CompletableFuture<Boolean> before = new CompletableFuture<>();
        CompletableFuture<Boolean> behind = new CompletableFuture<>();
        lock.lock();
        try {
            Batch batch = committer.add(true, new Moment(1, 1, 0));
            batch.add(new Answer<>(before, true));
            batch.add(new TooLarge());
            batch.add(new Answer<>(behind, true));
            assertThat(committer.needsRun()).isTrue();
        } finally {
            lock.unlock();
        }

        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(committer::start);

        assertThat(failures)
                .singleElement()
                .satisfies(failure -> assertThat(failure).hasMessageContaining("Java heap space"));
        deliveries.flush();
        assertThat(before).isCompletedWithValue(true);
        assertThat(behind).isCompletedExceptionally();
    }

    @Test
    void anAnswerThatCanNotEvenBeFailedKeepsNobodyBehindItWaiting() {
        CompletableFuture<Boolean> behind = new CompletableFuture<>();
        lock.lock();
        try {
            Batch batch = committer.add(true, new Moment(1, 1, 0));
            batch.add(new Hopeless());
            batch.add(new Answer<>(behind, true));
            committer.fail(new StoreUnavailableException("the disk is gone"));
        } finally {
            lock.unlock();
        }

        deliveries.flush();
        assertThat(behind).isCompletedExceptionally();
    }

    /** An answer that can't be given, and neither can a failure. */
    private static final class Hopeless implements Outgoing {
        @Override
        public void send(Deliveries deliveries) {}

        @Override
        public void fail(Deliveries deliveries, LeaseholdException reason) {
            throw new NoClassDefFoundError("com/example/Gone");
        }
    }
}
