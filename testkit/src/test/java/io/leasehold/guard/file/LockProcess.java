// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.model.StaleTokenException;
import io.leasehold.spi.Disk;
import io.leasehold.spi.DiskLock;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** A program that asks for the lock of a guarded file, in a process of its own. */
final class LockProcess implements AutoCloseable {

    static final Scope SCOPE = Scope.name("locked");

    private final Process process;
    private final BufferedReader out;

    private LockProcess(Process process) {
        this.process = process;
        this.out = process.inputReader(StandardCharsets.US_ASCII);
    }

    /**
     * Starts one. {@code hold} takes the lock and says so, and has it until {@link #end}; {@code
     * late} says whether somebody has the lock, then writes under token 5 and says what came of it.
     */
    static LockProcess start(String mode, Path file) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String path = Objects.requireNonNull(System.getProperty("surefire.test.class.path"));
        try {
            return new LockProcess(new ProcessBuilder(List.of(
                            java,
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-Xmx64m",
                            "-cp",
                            path,
                            LockProcess.class.getName(),
                            mode,
                            file.toString()))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The next thing that it says. */
    String line() {
        try {
            return String.valueOf(out.readLine());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lets one that holds the lock end. */
    void end() throws IOException, InterruptedException {
        process.getOutputStream().close();
        int unused = process.waitFor();
    }

    @Override
    public void close() throws IOException {
        Process unused = process.destroyForcibly();
        out.close();
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path file = Path.of(arguments[1]);
        Path lock = Siblings.lock(file);
        if (arguments[0].equals("hold")) {
            try (DiskLock held = Disk.system().lock(lock, "holder")) {
                System.out.println("locked");
                int unused = System.in.read();
            }
            return;
        }
        System.out.println(Disk.system().lockOwner(lock).isPresent() ? "held" : "free");
        try {
            GuardedFile guard = GuardedFile.open(file, SCOPE);
            guard.write(new FencingToken(5), now -> now.replace(new byte[] {5}));
            System.out.println("written");
        } catch (StaleTokenException e) {
            System.out.println("stale");
        }
    }
}
