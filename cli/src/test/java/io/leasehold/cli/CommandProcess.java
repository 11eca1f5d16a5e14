// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The command in a process of its own, as a shell or cron would start it. */
final class CommandProcess {

    /** As the launcher and the container have it. */
    static final String THREAD_DUMPS_TO_STANDARD_ERROR = "-XX:+DisplayVMOutputToStderr";

    private final Process process;
    private final Path out;
    private final Path err;

    private CommandProcess(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    static CommandProcess start(Path directory, Map<String, String> environment, String... args)
            throws IOException {
        return start(directory, environment, line(args));
    }

    /** By a script of a shell, whose arguments are the command: for bytes that Java has no text for. */
    static CommandProcess startBy(
            String script, Path directory, Map<String, String> environment, String... args)
            throws IOException {
        List<String> line = new ArrayList<>(List.of("/bin/sh", "-c", script, "sh"));
        line.addAll(line(args));
        return start(directory, environment, line);
    }

    private static List<String> line(String... args) {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                THREAD_DUMPS_TO_STANDARD_ERROR,
                "-cp",
                System.getProperty("java.class.path"),
                "io.leasehold.cli.Main"));
        line.addAll(List.of(args));
        return line;
    }

    private static CommandProcess start(
            Path directory, Map<String, String> environment, List<String> line) throws IOException {
        Path out = Files.createTempFile(directory, "out", ".txt");
        Path err = Files.createTempFile(directory, "err", ".txt");
        ProcessBuilder builder = new ProcessBuilder(line)
                .directory(directory.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("LEASEHOLD_"));
        builder.environment().putAll(environment);
        return new CommandProcess(builder.start(), out, err);
    }

    /** Waits for its end. */
    int code() throws InterruptedException {
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    String out() throws IOException {
        return Files.readString(out);
    }

    String err() throws IOException {
        return Files.readString(err);
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void kill() throws InterruptedException {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
    }
}
