// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Disk;
import io.leasehold.spi.Time;

import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Looks into a journal, checks and repairs it. Thread-safe. */
public final class JournalTools {

    private JournalTools() {}

    /**
     * Reads the whole journal and tells what was found, damage included. Changes nothing, and works
     * while a store has it open.
     *
     * @param progress is told how far it has come, once a second if it takes that long
     * @throws StoreUnavailableException if there is none, or it can't be read
     */
    public static JournalReport inspect(Path directory, Consumer<String> progress) {
        return inspect(new JournalDirectory(directory, Disk.system()), Time.system(), progress);
    }

    static JournalReport inspect(JournalDirectory directory, Time time, Consumer<String> progress) {
        return new Inspection(directory, time, progress).report();
    }

    /**
     * Repairs a journal that is damaged, and changes nothing if it is sound. What is before the
     * damage is kept; all files as they were are copied first, to {@code before-repair-1} or the
     * next free number in the directory. Tokens go on 2<sup>32</sup> above the highest that anything
     * in the files tells of, and nothing is granted for a while, in which leases run out that were
     * forgotten. If it is cut short by a crash, run it again.
     *
     * @param freeze at least the longest ttl in use; if it is shorter than the longest that the
     *     journal tells of, then that
     * @param lastToken the highest that any resource has seen, where that is known
     * @param goAhead is told what would be done, and says whether to do it
     * @param progress is told how far it has come, if it takes long
     * @throws StoreUnavailableException if there is none, or it can't be read or written, or is
     *     open, or nothing in it tells of tokens and the caller does not either
     */
    public static JournalRepair repair(
            Path directory,
            Duration freeze,
            OptionalLong lastToken,
            Predicate<JournalRepair> goAhead,
            Consumer<String> progress) {
        return new Repair(new JournalDirectory(directory, Disk.system()), Time.system(), progress)
                .run(freeze, lastToken, goAhead);
    }
}
