// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A real etcd of one node, if there is one on this machine. */
final class Etcd implements AutoCloseable {

    private static final int ATTEMPTS = 200;

    private final Process process;
    private final URI address;

    private Etcd(Process process, URI address) {
        this.process = process;
        this.address = address;
    }

    /** The program named by LEASEHOLD_ETCD, or the etcd on the path. */
    static Optional<Path> program() {
        String named = System.getenv("LEASEHOLD_ETCD");
        Stream<Path> places = named != null
                ? Stream.of(Path.of(named))
                : Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                        .map(directory -> Path.of(directory, "etcd"));
        return places.filter(Files::isExecutable).findFirst();
    }

    /** Starts it with its data in the directory, as durable as it is by default. */
    static Etcd start(Path program, Path directory) {
        try {
            URI clients = URI.create("http://127.0.0.1:" + freePort());
            URI peers = URI.create("http://127.0.0.1:" + freePort());
            Process process = new ProcessBuilder(
                            program.toString(),
                            "--data-dir=" + directory,
                            "--listen-client-urls=" + clients,
                            "--advertise-client-urls=" + clients,
                            "--listen-peer-urls=" + peers,
                            "--initial-advertise-peer-urls=" + peers,
                            "--initial-cluster=default=" + peers,
                            "--log-level=error")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            Etcd etcd = new Etcd(process, clients);
            etcd.await();
            return etcd;
        } catch (IOException e) {
            throw new UncheckedIOException("can't start " + program, e);
        }
    }

    URI address() {
        return address;
    }

    private void await() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try (Socket unused = new Socket(address.getHost(), address.getPort())) {
                return;
            } catch (IOException notYet) {
                pause();
            }
        }
        close();
        throw new IllegalStateException("etcd does not listen at " + address);
    }

    private void pause() {
        try {
            if (process.waitFor(50, TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("etcd ended with " + process.exitValue());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
