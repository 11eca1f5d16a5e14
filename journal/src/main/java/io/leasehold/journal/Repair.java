// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.DamagedFileException;
import io.leasehold.model.FencingToken;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Limits;
import io.leasehold.spi.Time;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Makes a journal that can be opened of one that is damaged, of what is before the damage.
 *
 * <p><b>Why this is safe.</b> First all files are copied and the copies forced. Then the segment
 * that comes next is laid out, behind all others, which changes nothing about what is before the
 * damage; then a snapshot of that state is written, and when it gets its name it stands for all that
 * was before it: from then on the journal is sound. A crash before that leaves it as damaged as it
 * was, one after it leaves files that nobody reads. So it can be run again at any point.
 *
 * <p>What is behind the damage may have been grants that their holders still go by. So tokens go on
 * far above every one that is still to be made out anywhere, and nothing is granted until the leases
 * that were forgotten have run out.
 */
final class Repair {

    private static final int DEFAULT_SEGMENT_BYTES = JournalOptions.defaults().segmentBytes();

    private final JournalDirectory directory;
    private final Inspection inspection;
    private final Consumer<String> progress;

    Repair(JournalDirectory directory, Time time, Consumer<String> progress) {
        this.directory = directory;
        this.inspection = new Inspection(directory, time, progress);
        this.progress = new Patience(time, progress);
    }

    /** Repairs the journal if it is damaged and the caller, who is told of it, does not object. */
    JournalRepair run(Duration freeze, OptionalLong token, Predicate<JournalRepair> goAhead) {
        Limits.keepFor(freeze);
        if (token.isPresent()
                && (token.getAsLong() < 0 || token.getAsLong() > FencingToken.MAX_VALUE)) {
            throw new IllegalArgumentException("last token " + token.getAsLong()
                    + " is outside 0 to " + FencingToken.MAX_VALUE);
        }
        directory.ensureJournal();
        LockedDirectory lock = directory.lock(
                "the repair in process " + ProcessHandle.current().pid());
        try {
            JournalReport found = inspection.report(inspection.read(), Optional.empty());
            return found.damage().isEmpty()
                    ? JournalRepair.none(found)
                    : run(found, found.damage().get(), new Terms(freeze, token, goAhead));
        } catch (IOException e) {
            throw directory.unreadable(e);
        } finally {
            lock.close();
        }
    }

    /** What the caller has to say. */
    private record Terms(Duration freeze, OptionalLong token, Predicate<JournalRepair> goAhead) {}

    private JournalRepair run(JournalReport found, DamagedFileException damage, Terms terms)
            throws IOException {
        Survey survey = Survey.of(directory, damage);
        ensureRepairable(survey, terms.token);
        Replay replay = inspection.read().replay();
        Standing known =
                replay.standing().and(survey.standing()).withLastToken(terms.token.orElse(0));
        Standing standing = Opening.raised(known, replay.time(), terms.freeze);
        JournalRepair plan = new JournalRepair(
                found,
                survey.dropped(),
                standing.lastToken(),
                Duration.ofNanos(standing.frozenUntil() - replay.time()),
                Optional.empty());
        if (!terms.goAhead.test(plan)) {
            return plan;
        }
        Path copy = new Preservation(directory, progress).copy(damage);
        long start = Math.max(replay.start(), survey.start());
        Moment moment = new Moment(replay.time(), start, standing.lastToken());
        rewrite(replay, standing, moment, segmentBytes(survey), copy);
        return plan.done(copy);
    }

    private void ensureRepairable(Survey survey, OptionalLong token) {
        List<Path> foreign = survey.foreign();
        if (!foreign.isEmpty()) {
            throw new StoreUnavailableException(foreign.get(0)
                    + " has another format than this program knows, so it is not repaired: use the"
                    + " version of the program that wrote it");
        }
        if (!survey.hasHeads() && token.isEmpty()) {
            throw new StoreUnavailableException("nothing in the journal " + directory.path()
                    + " tells which tokens were drawn: give the highest that any resource has seen"
                    + " (--last-token)");
        }
    }

    private static long segmentBytes(Survey survey) {
        long largest = survey.segmentBytes();
        return largest >= JournalOptions.MIN_SEGMENT_BYTES ? largest : DEFAULT_SEGMENT_BYTES;
    }

    private void rewrite(
            Replay replay, Standing standing, Moment moment, long segmentBytes, Path copy) {
        try {
            long number = directory.contents().highest() + 1;
            progress.accept("writing what is before the damage");
            Segment.make(directory, number, segmentBytes).file().close();
            LogWriter.Place place = new LogWriter.Place(number, replay.sequence() + 1);
            write(new SnapshotWriter.Contents(replay.table().copy(), standing, moment, place));
            Leftovers.deleteBefore(number, directory);
            Forced.directory(directory);
        } catch (IOException e) {
            throw new StoreUnavailableException(
                    "the repair of " + directory.path() + " was cut short: "
                            + JournalDirectory.reason(e)
                            + ". Look after the disk, then run it again; nothing is lost, and the"
                            + " files as they were are in " + copy,
                    e);
        }
    }

    private void write(SnapshotWriter.Contents contents) throws IOException {
        SnapshotWriter writer = new SnapshotWriter(directory, new ReentrantLock(), contents);
        try {
            boolean more = true;
            while (more) {
                more = writer.step();
            }
            long unused = writer.finish();
        } catch (IOException e) {
            writer.giveUp();
            throw e;
        }
    }
}
