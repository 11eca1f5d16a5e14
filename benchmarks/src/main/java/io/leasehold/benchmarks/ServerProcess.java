// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import com.linecorp.armeria.server.Server;

import io.leasehold.server.LeaseholdServer;
import io.leasehold.server.ServerOptions;
import io.leasehold.server.engine.StoreAddress;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Our server on an engine and an echo on the same stack, together in a process of their own. */
final class ServerProcess implements AutoCloseable {

    private final Process process;
    private final int port;
    private final int echoPort;

    private ServerProcess(Process process, int port, int echoPort) {
        this.process = process;
        this.port = port;
        this.echoPort = echoPort;
    }

    /** What the process does: it serves until its input ends. */
    public static void main(String[] store) throws IOException {
        ServerOptions options = ServerOptions.on(StoreAddress.parse(store[0])).withPort(0);
        try (LeaseholdServer server = LeaseholdServer.start(options);
                Server echo = Echo.start()) {
            System.out.println(server.port() + " " + echo.activeLocalPort());
            while (System.in.read() >= 0) {}
        }
        System.exit(0);
    }

    /** Starts one with the engine at this address, as {@code serve --store} takes it. */
    static ServerProcess start(String store) {
        try {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx1g",
                            "-cp",
                            System.getProperty("java.class.path"),
                            ServerProcess.class.getName(),
                            store)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
            String line = out.readLine();
            if (line == null) {
                throw new IllegalStateException("the server did not start");
            }
            int space = line.indexOf(' ');
            return new ServerProcess(
                    process,
                    Integer.parseInt(line.substring(0, space)),
                    Integer.parseInt(line.substring(space + 1)));
        } catch (IOException e) {
            throw new UncheckedIOException("can't start a server", e);
        }
    }

    int port() {
        return port;
    }

    int echoPort() {
        return echoPort;
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
