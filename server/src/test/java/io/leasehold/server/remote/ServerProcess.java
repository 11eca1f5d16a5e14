// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.remote;

import io.leasehold.client.RemoteLeaseStore;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.server.LeaseholdServer;
import io.leasehold.server.ServerOptions;
import io.leasehold.server.engine.StoreAddress;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.testkit.RealTime;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;

/**
 * A server with a journal in a process of its own, to be killed. It comes up, with all that it needs
 * loaded, and waits; when told to go it opens the journal and serves.
 */
final class ServerProcess implements AutoCloseable {

    private static final String UP = "up.";
    private static final String SERVING = "serving.";

    private final Process process;
    private final BufferedReader out;
    private final Path errors;

    private ServerProcess(Process process, Path errors) {
        this.process = process;
        this.out = process.inputReader(StandardCharsets.US_ASCII);
        this.errors = errors;
    }

    /**
     * Starts one that will serve a journal in the directory at the port. The first one there leaves
     * an archive of its classes, with which the others are up in a fraction of the time.
     */
    static ServerProcess start(Path directory, int port) {
        Path archive = directory.resolve("classes.jsa");
        Path classPath = directory.resolve("class-path");
        try {
            if (!Files.exists(archive)) {
                Files.writeString(classPath, "-cp " + packed(directory));
                run("-XX:ArchiveClassesAtExit=" + archive, directory, port).leave();
            }
            return run("-XX:SharedArchiveFile=" + archive, directory, port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The class path, with the directories in it packed: only jars are archived. */
    private static String packed(Path directory) {
        ToolProvider jar = ToolProvider.findFirst("jar").orElseThrow();
        List<String> path = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            String packed = entry;
            if (Files.isDirectory(Path.of(entry))) {
                packed = directory.resolve(path.size() + ".jar").toString();
                if (jar.run(System.out, System.err, "-cf", packed, "-C", entry, ".") != 0) {
                    throw new AssertionError("can't pack " + entry);
                }
            }
            path.add(packed);
        }
        return String.join(File.pathSeparator, path);
    }

    private static ServerProcess run(String archiving, Path directory, int port)
            throws IOException {
        Path errors = directory.resolve("errors");
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx192m",
                "-Xlog:disable",
                archiving,
                "@" + directory.resolve("class-path"),
                ServerProcess.class.getName(),
                directory.resolve("journal").toString(),
                Integer.toString(port));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                .start();
        return new ServerProcess(process, errors);
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void leave() {
        awaitUp();
        try {
            process.getOutputStream().close();
            process.waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Returns when it is up, and serves nothing yet. */
    void awaitUp() {
        await(UP);
    }

    /** Lets it serve; returns when it does. */
    void serve() {
        try {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        await(SERVING);
    }

    private void await(String word) {
        try {
            String line = out.readLine();
            while (line != null && !line.equals(word)) {
                line = out.readLine();
            }
            if (line == null) {
                throw new AssertionError("no '" + word + "' but: " + Files.readString(errors));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** By SIGKILL. */
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
        int port = Integer.parseInt(arguments[1]);
        try (LeaseholdServer rehearsal = LeaseholdServer.start(
                        ServerOptions.on(new StoreAddress.Memory()).withPort(0));
                RemoteLeaseStore client =
                        RemoteLeaseStore.connect("leasehold://127.0.0.1:" + rehearsal.port())) {
            RealTime.answer(client.list(LeaseQuery.all()));
        }
        System.out.println(UP);
        int told = System.in.read();
        if (told < 0) {
            return;
        }
        try (LeaseholdServer server = open(Path.of(arguments[0]), port)) {
            System.out.println(SERVING);
            // returns when whoever started it is gone
            int unused = System.in.read();
        }
    }

    /** The port of one that was killed may be taken for a moment. */
    private static LeaseholdServer open(Path directory, int port) {
        int attempts = 0;
        while (true) {
            try {
                return LeaseholdServer.start(
                        ServerOptions.on(new StoreAddress.Journal(directory)).withPort(port));
            } catch (StoreUnavailableException e) {
                if (++attempts > 100) {
                    throw e;
                }
                RealTime.pass(Duration.ofMillis(50));
            }
        }
    }
}
