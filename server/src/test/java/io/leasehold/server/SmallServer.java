// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import io.leasehold.server.access.EdgeLimits;
import io.leasehold.server.access.Security;
import io.leasehold.server.engine.StoreAddress;
import io.netty.util.internal.PlatformDependent;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A server in memory, in a process of its own with little heap, that ends at its first
 * OutOfMemoryError and tells how much of its memory is in use.
 */
final class SmallServer implements AutoCloseable {

    /** Longer than any test takes. */
    private static final Duration LONG = Duration.ofMinutes(10);

    private final Process process;
    private final BufferedReader out;
    private final Path errors;
    private final int port;

    private SmallServer(Process process, Path errors) {
        this.process = process;
        this.out = process.inputReader(StandardCharsets.US_ASCII);
        this.errors = errors;
        this.port = (int) nextNumber();
    }

    /**
     * Starts one with so many MiB of heap for the principals of the token file; it serves when this
     * returns.
     */
    static SmallServer start(Path directory, int heap, Path tokens) {
        return start(directory, heap, tokens, false);
    }

    /** The same, which waits for slow bodies and slow readers for longer than any test takes. */
    static SmallServer startPatient(Path directory, int heap, Path tokens) {
        return start(directory, heap, tokens, true);
    }

    private static SmallServer start(Path directory, int heap, Path tokens, boolean patient) {
        Path errors = directory.resolve("errors");
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:+ExitOnOutOfMemoryError",
                "-Xmx" + heap + "m",
                "-cp",
                System.getProperty("java.class.path"),
                SmallServer.class.getName(),
                tokens.toString(),
                Boolean.toString(patient));
        try {
            return new SmallServer(
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.to(errors.toFile()))
                            .start(),
                    errors);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return port;
    }

    /**
     * What is in use after a collection.
     *
     * @param heap bytes
     * @param direct bytes outside of it, of network buffers
     */
    record Memory(long heap, long direct) {
        @Override
        public String toString() {
            return (heap >> 20) + "+" + (direct >> 20);
        }
    }

    Memory memory() {
        try {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new AssertionError("the server has ended: " + errors(), e);
        }
        return new Memory(nextNumber(), nextNumber());
    }

    private long nextNumber() {
        try {
            String line = out.readLine();
            if (line == null || !line.matches("[0-9]+")) { // null or the JVM's last words
                throw new AssertionError("the server has ended: " + line + " " + errors());
            }
            return Long.parseLong(line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All that it logged so far. */
    String errors() {
        try {
            return Files.readString(errors);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        try {
            process.destroyForcibly().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream out = System.out;
        System.setOut(System.err); // whatever is logged goes where it is read from
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        EdgeLimits limits = EdgeLimits.defaults();
        boolean patient = Boolean.parseBoolean(arguments[1]);
        try (LeaseholdServer server =
                LeaseholdServer.start(ServerOptions.on(new StoreAddress.Memory())
                        .withPort(0)
                        .withLimits(patient ? limits.withPatience(LONG, LONG) : limits)
                        .withSecurity(new Security(
                                Optional.of(Path.of(arguments[0])),
                                Optional.empty(),
                                Optional.empty(),
                                false)))) {
            out.println(server.port());
            // ends when whoever started it is gone
            while (System.in.read() >= 0) {
                memory.gc();
                out.println(memory.getHeapMemoryUsage().getUsed());
                out.println(PlatformDependent.usedDirectMemory());
            }
        }
    }
}
