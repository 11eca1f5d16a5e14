// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The running process of a server, in a directory with its configuration and its log. Thread-safe. */
final class RedisProcess {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String CONFIGURATION = "redis.conf";
    private static final String LOG = "redis.log";
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Process process;

    private RedisProcess(Process process) {
        this.process = process;
    }

    /**
     * A port of 127.0.0.1 that nobody listens on. It is below those that systems give to outgoing connections: a client
     * that tries and tries to reach a dead server there would once in a while reach itself, and hold the port. The bus
     * of a cluster, 10,000 above, is below them too.
     */
    static int freePort() {
        for (int attempt = 0; attempt < 1000; attempt++) {
            int port = 10_000 + RANDOM.nextInt(10_000);
            try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return probe.getLocalPort();
            } catch (IOException e) {
                // Taken: try another.
            }
        }
        throw new IllegalStateException("found no free port between 10000 and 20000");
    }

    static void configure(Path directory, List<String> lines) {
        try {
            Files.write(directory.resolve(CONFIGURATION), lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static RedisProcess start(RedisSetup setup, Path directory) {
        List<String> command = new ArrayList<>();
        command.add(setup.binary().path().toString());
        command.add(CONFIGURATION);
        command.addAll(setup.arguments());
        try {
            return new RedisProcess(new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            directory.resolve(LOG).toFile()))
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the server has logged so far. */
    static String log(Path directory) {
        try {
            return Files.readString(directory.resolve(LOG), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "no log: " + e;
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Kills the process, paused or not, and returns when it is gone. */
    void kill() {
        process.destroyForcibly();
        boolean interrupted = false;
        boolean gone = false;
        while (!gone) {
            try {
                process.waitFor();
                gone = true;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops the process where it stands, and returns when it does. */
    void pause() {
        signal("STOP");
        Path state = Path.of("/proc", Long.toString(pid()), "stat");
        if (Files.exists(state)) {
            Poll.until(PATIENCE, () -> isStopped(state), () -> "the server does not stop");
        }
    }

    void resume() {
        signal("CONT");
    }

    private static boolean isStopped(Path state) {
        try {
            String fields = Files.readString(state, StandardCharsets.ISO_8859_1);
            return fields.startsWith(") T", fields.lastIndexOf(')'));
        } catch (IOException e) {
            return true;
        }
    }

    /** The shell has kill built in; not every machine has it as a program. */
    private void signal(String name) {
        try {
            Process shell = new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid())
                    .redirectErrorStream(true)
                    .start();
            if (!shell.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                    || shell.exitValue() != 0) {
                throw new IllegalStateException("cannot send SIG" + name + " to " + pid() + ": "
                        + new String(
                                shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while sending SIG" + name, e);
        }
    }
}
