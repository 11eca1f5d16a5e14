// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import io.leasehold.server.access.EdgeLimits;
import io.leasehold.server.access.Security;
import io.leasehold.server.engine.StoreAddress;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A server in memory in a process of its own with little heap, that ends at its first
 * OutOfMemoryError. It waits for slow bodies and slow readers for longer than any test takes.
 */
final class SmallServer implements AutoCloseable {

    private static final Duration LONG = Duration.ofMinutes(10);

    private final Process process;
    private final Path errors;
    private final int port;

    private SmallServer(Process process, Path errors) throws IOException {
        this.process = process;
        this.errors = errors;
        BufferedReader out = process.inputReader(StandardCharsets.US_ASCII);
        String line = out.readLine();
        if (line == null) {
            throw new AssertionError("no server but: " + Files.readString(errors));
        }
        this.port = Integer.parseInt(line);
    }

    /** Starts one with so many MiB for callers of the token file; it serves when this returns. */
    static SmallServer start(Path directory, int heap, Path tokens) {
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
                tokens.toString());
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

    /** What it complained of so far. */
    String errors() throws IOException {
        return Files.readString(errors);
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
        try (LeaseholdServer server =
                LeaseholdServer.start(ServerOptions.on(new StoreAddress.Memory())
                        .withPort(0)
                        .withLimits(EdgeLimits.defaults().withPatience(LONG, LONG))
                        .withSecurity(new Security(
                                Optional.of(Path.of(arguments[0])),
                                Optional.empty(),
                                Optional.empty(),
                                false)))) {
            out.println(server.port());
            // returns when whoever started it is gone
            int unused = System.in.read();
        }
    }
}
