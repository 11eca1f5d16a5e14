// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import io.leasehold.guard.Guard;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.spi.Disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * A program that writes a guarded file, in a process of its own. Each write is told on standard
 * output after the guard has accepted it.
 */
final class WriterProcess {

    private WriterProcess() {}

    /** Starts one in the given mode: write or count, whole or regions, the file, a number. */
    static Process start(String mode, String kind, Path file, long number) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String path = Objects.requireNonNull(System.getProperty("surefire.test.class.path"));
        List<String> command = List.of(
                java,
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "-cp",
                path,
                WriterProcess.class.getName(),
                mode,
                kind,
                file.toString(),
                Long.toString(number));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    public static void main(String[] arguments) {
        String kind = arguments[1];
        Path file = Path.of(arguments[2]);
        long number = Long.parseLong(arguments[3]);
        if (arguments[0].equals("count")) {
            count(kind, file, number);
        } else {
            write(kind, file, number);
        }
    }

    /** The n-th write of all processes: place, token and value follow from n. */
    private static void write(String kind, Path file, long first) {
        Subject subject = open(kind, file);
        for (long n = first; ; n++) {
            subject.write(token(n), place(n, subject), value(n));
            System.out.println(n);
        }
    }

    static Subject open(String kind, Path file) {
        return kind.equals("whole")
                ? Subject.whole(file, Disk.system())
                : Subject.regions(file, Disk.system());
    }

    static long token(long n) {
        return 1 + n / 3;
    }

    static int place(long n, Subject subject) {
        return (int) (n % subject.places());
    }

    static int value(long n) {
        return (int) (1 + n % 250);
    }

    /** Adds one to the number in the file, again and again, all under one token. */
    private static void count(String kind, Path file, long times) {
        Runnable once = counter(kind, file);
        for (long i = 0; i < times; i++) {
            once.run();
        }
    }

    static Runnable counter(String kind, Path file) {
        Scope scope = Scope.name("counter");
        if (kind.equals("whole")) {
            GuardedFile guard = GuardedFile.open(file, scope);
            return () -> write(guard, now -> now.replace(next(now.bytes())));
        }
        GuardedRegionFile guard = GuardedRegionFile.open(file, scope);
        return () -> write(guard, now -> now.write(0, next(now.read(0, 4))));
    }

    private static <R> void write(Guard<R> guard, Consumer<R> write) {
        guard.write(new FencingToken(1), write);
    }

    private static byte[] next(byte[] number) {
        return ByteBuffer.allocate(4).putInt(0, number(number) + 1).array();
    }

    static int number(byte[] bytes) {
        return bytes.length == 0 ? 0 : ByteBuffer.wrap(bytes).getInt();
    }
}
