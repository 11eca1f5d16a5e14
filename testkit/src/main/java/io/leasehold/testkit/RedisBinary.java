// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Redis or Valkey server program: one that a jar on the class path brings along, or one that is installed.
 *
 * @param path where the program is
 */
public record RedisBinary(Path path) {

    /** The system property that names a program to use instead of the bundled one. */
    public static final String PROPERTY = "leasehold.redis.binary";

    private static final String NEWER = "org.signal:embedded-redis:0.9.1";
    private static final String OLDER = "com.github.codemonstur:embedded-redis:1.4.4";

    /**
     * The program that the system property {@value #PROPERTY} names, or else the Redis 7.0 of {@code
     * org.signal:embedded-redis}.
     *
     * @throws IllegalStateException if there is neither
     */
    public static RedisBinary bundled() {
        String named = System.getProperty(PROPERTY);
        if (named == null) {
            return Unpacked.of("redis-server-7.0.15-" + platform(), NEWER);
        }
        Path path = Path.of(named).toAbsolutePath();
        if (!Files.isExecutable(path)) {
            throw new IllegalStateException(
                    "the system property " + PROPERTY + " names " + path + ", which is no program");
        }
        return new RedisBinary(path);
    }

    /**
     * The Redis 6.2 of {@code com.github.codemonstur:embedded-redis}. It needs OpenSSL 3 on the machine.
     *
     * @throws IllegalStateException if that is not on the class path
     */
    public static RedisBinary older() {
        String platform = platform();
        boolean patched = platform.equals("linux-arm64") || platform.equals("linux-386");
        return Unpacked.of("redis-server-" + (patched ? "6.2.7-" : "6.2.6-v5-") + platform, OLDER);
    }

    /** The machine's own {@code redis-server} or {@code valkey-server}, if the PATH leads to one. */
    public static Optional<RedisBinary> installed() {
        String path = System.getenv("PATH");
        return path == null ? Optional.empty() : installed(path);
    }

    static Optional<RedisBinary> installed(String path) {
        return Stream.of(path.split(File.pathSeparator))
                .filter(directory -> !directory.isEmpty())
                .flatMap(directory -> Stream.of("redis-server", "valkey-server")
                        .map(name -> Path.of(directory, name).toAbsolutePath()))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst()
                .map(RedisBinary::new);
    }

    private static String platform() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String processor = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return (system.startsWith("mac") ? "darwin" : system)
                + "-"
                + switch (processor) {
                    case "x86_64" -> "amd64";
                    case "aarch64" -> "arm64";
                    case "x86", "i386", "i486", "i586", "i686" -> "386";
                    default -> processor;
                };
    }

    /** The programs that this process has taken out of their jars, in a directory that ends with it. */
    private static final class Unpacked {

        private static final Map<String, RedisBinary> PROGRAMS = new ConcurrentHashMap<>();
        private static final Path DIRECTORY = Directories.create("leasehold-redis-binary-");

        static {
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(
                            () -> Directories.delete(DIRECTORY), "leasehold-redis-binary-delete"));
        }

        static RedisBinary of(String name, String jar) {
            return PROGRAMS.computeIfAbsent(name, absent -> unpack(absent, jar));
        }

        private static RedisBinary unpack(String name, String jar) {
            try (InputStream resource = resource(name)) {
                if (resource == null) {
                    throw new IllegalStateException("there is no " + name
                            + " on the class path: add the test dependency " + jar
                            + ", or let the system property " + PROPERTY
                            + " name an installed redis-server");
                }
                Path program = DIRECTORY.resolve(name);
                Files.copy(resource, program);
                if (!program.toFile().setExecutable(true, true)) {
                    throw new IOException("cannot make " + program + " executable");
                }
                return new RedisBinary(program);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static @Nullable InputStream resource(String name) {
            ClassLoader loader = RedisBinary.class.getClassLoader();
            return loader == null
                    ? ClassLoader.getSystemResourceAsStream(name)
                    : loader.getResourceAsStream(name);
        }
    }
}
