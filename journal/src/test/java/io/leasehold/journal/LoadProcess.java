// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.spi.Disk;
import io.leasehold.spi.Time;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.SkewedTime;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A program that opens a journal and puts load on it from several threads until it is killed, or
 * until whoever started it is gone. It says on standard output when it is up, when the journal is
 * open, and when it is busy.
 */
final class LoadProcess {

    static final String UP = "up.";
    static final String OPEN = "open.";
    static final String BUSY = "busy.";

    private static final int THREADS = 6;

    /** Fast, so that snapshots, which are made on the tick of a second, come all the time. */
    private static final double RATE = 100;

    private static final JournalOptions OPTIONS =
            Stores.SMALL.withTable(new TableOptions(100_000, 1_000, Duration.ofDays(1), 4_096));

    private LoadProcess() {}

    /** Opens the journal with the options of the program. */
    static JournalLeaseStore open(Path directory, Time time) {
        return JournalLeaseStore.open(directory, OPTIONS, time, Disk.system());
    }

    /** Starts one; what it has to complain of goes to the file of errors. */
    static Process start(Path directory, Path trail, Path errors, int round) throws IOException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xmx96m",
                "-cp",
                System.getProperty("java.class.path"),
                LoadProcess.class.getName(),
                directory.toString(),
                trail.toString(),
                Integer.toString(round));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                .start();
    }

    public static void main(String[] arguments) throws IOException {
        int round = Integer.parseInt(arguments[2]);
        Path path = Path.of(arguments[1]);
        try (Trail trail = Trail.create(path, () -> System.out.println(BUSY))) {
            System.out.println(UP);
            Time fast = SkewedTime.of(Time.system(), Duration.ZERO, RATE);
            try (JournalLeaseStore store = open(Path.of(arguments[0]), fast)) {
                System.out.println(OPEN);
                for (int i = 0; i < THREADS; i++) {
                    Thread thread = new Thread(new LoadWorker(store, trail, round, i), "load-" + i);
                    thread.setDaemon(true);
                    thread.start();
                }
                int unused = System.in.read(); // returns when the pipe breaks
            }
        }
    }
}
