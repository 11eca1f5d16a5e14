// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.server.ServerOptions;
import io.leasehold.server.access.EdgeLimits;
import io.leasehold.server.access.Security;
import io.leasehold.server.engine.Namespaces;
import io.leasehold.server.engine.StoreAddress;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.TypeConversionException;

/**
 * The settings of a server. An option goes before the environment, that before the file, that
 * before the default. Errors say where a value came from.
 */
final class ServeSettings {

    /** A value and where it came from, for people. */
    private record Value(String text, String source) {}

    private final Map<ServeSetting, Value> values = new EnumMap<>(ServeSetting.class);

    private ServeSettings() {}

    /**
     * Looks everything up.
     *
     * @param options the value of an option, null if it was not given
     * @throws IllegalArgumentException if the file can't be read or has a key that nobody knows, or
     *     if a value is empty
     */
    static ServeSettings of(
            Function<ServeSetting, @Nullable String> options,
            Map<String, String> environment,
            Optional<Path> file) {
        Properties written = file.map(ServeSettings::load).orElseGet(Properties::new);
        ServeSettings settings = new ServeSettings();
        for (ServeSetting setting : ServeSetting.values()) {
            String given = options.apply(setting);
            String set = environment.get(setting.variable());
            String line = written.getProperty(setting.key());
            Value value = given != null
                    ? given(given, setting.option())
                    : set != null
                            ? given(set, setting.variable())
                            : line != null
                                    ? given(
                                            line.strip(),
                                            setting.key() + " in " + file.orElseThrow())
                                    : new Value(setting.whenMissing(), setting.option());
            settings.values.put(setting, value);
        }
        return settings;
    }

    /** An empty value is most likely a variable that nobody has set, and not meant. */
    private static Value given(String text, String source) {
        if (text.isBlank()) {
            throw new IllegalArgumentException(
                    source + " is empty: give it a value, or leave it out");
        }
        if (text.indexOf(ReadableArguments.REPLACEMENT) >= 0) {
            throw new IllegalArgumentException(
                    source + " is no text in this locale's character set");
        }
        return new Value(text, source);
    }

    private static Properties load(Path file) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            String why = e instanceof NoSuchFileException ? "there is none" : e.getMessage();
            throw new IllegalArgumentException(
                    "can't read the configuration " + file + ": " + why, e);
        }
        for (String key : properties.stringPropertyNames()) {
            if (Arrays.stream(ServeSetting.values())
                    .noneMatch(known -> known.key().equals(key))) {
                throw new IllegalArgumentException(
                        "the configuration " + file + " sets '" + key + "', which is no setting");
            }
        }
        return properties;
    }

    /** What a server is started with. */
    ServerOptions toOptions() {
        return ServerOptions.on(store())
                .withListen(new ServerOptions.Listen(text(ServeSetting.HOST), port()))
                .withSecurity(security())
                .withLimits(limits())
                .withBounds(bounds());
    }

    StoreAddress store() {
        return read(ServeSetting.STORE, StoreAddress::parse);
    }

    Security security() {
        Optional<Path> certificate = path(ServeSetting.TLS_CERT);
        Optional<Path> key = path(ServeSetting.TLS_KEY);
        Optional<Path> authority = path(ServeSetting.TLS_CLIENT_CA);
        if (certificate.isPresent() != key.isPresent()) {
            throw new IllegalArgumentException("--tls-cert and --tls-key go together");
        }
        if (authority.isPresent() && certificate.isEmpty()) {
            throw new IllegalArgumentException("--tls-client-ca needs --tls-cert and --tls-key");
        }
        return new Security(
                path(ServeSetting.TOKENS),
                certificate.map(file -> new Security.Tls(file, key.orElseThrow(), authority)),
                path(ServeSetting.AUDIT_LOG),
                read(ServeSetting.INSECURE, ServeSettings::yes));
    }

    private EdgeLimits limits() {
        return EdgeLimits.defaults()
                .withConnections(count(ServeSetting.MAX_CONNECTIONS))
                .withPrincipal(new EdgeLimits.PerPrincipal(
                        count(ServeSetting.MAX_LEASES),
                        count(ServeSetting.MAX_CALLS),
                        count(ServeSetting.MAX_WATCHES),
                        count(ServeSetting.MAX_SESSIONS)))
                .withPatience(
                        duration(ServeSetting.IDLE_TIMEOUT), duration(ServeSetting.BODY_TIMEOUT));
    }

    private ServerOptions.Bounds bounds() {
        ServerOptions.Bounds usual = ServerOptions.Bounds.defaults();
        return new ServerOptions.Bounds(
                usual.calls(),
                new Namespaces.Bounds(
                        count(ServeSetting.MAX_NAMESPACES), duration(ServeSetting.NAMESPACE_IDLE)),
                duration(ServeSetting.DRAIN));
    }

    String logLevel() {
        return read(ServeSetting.LOG_LEVEL, text -> switch (text) {
            case "error", "warn", "info", "debug" -> text;
            default -> throw new IllegalArgumentException("there are error, warn, info and debug");
        });
    }

    private int port() {
        return read(ServeSetting.PORT, text -> {
            int port = Integer.parseInt(text);
            if (port < 0 || port > 65_535) {
                throw new IllegalArgumentException("a port is 0 to 65535");
            }
            return port;
        });
    }

    private int count(ServeSetting setting) {
        return read(setting, text -> {
            int count = Integer.parseInt(text);
            if (count <= 0) {
                throw new IllegalArgumentException("it must be above 0");
            }
            return count;
        });
    }

    private Duration duration(ServeSetting setting) {
        return read(setting, text -> new DurationConverter().convert(text));
    }

    private Optional<Path> path(ServeSetting setting) {
        return read(
                setting, text -> text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text)));
    }

    private String text(ServeSetting setting) {
        return read(setting, text -> text);
    }

    private static boolean yes(String text) {
        return switch (text) {
            case "true", "1", "yes" -> true;
            case "false", "0", "no" -> false;
            default -> throw new IllegalArgumentException("it is true or false");
        };
    }

    /** The store's address is not repeated: it may hold a password. */
    private <T> T read(ServeSetting setting, Function<String, T> reader) {
        Value value = values.get(setting);
        if (value == null) {
            throw new IllegalStateException("every setting has a value");
        }
        try {
            return reader.apply(value.text());
        } catch (IllegalArgumentException | TypeConversionException e) {
            String shown = setting == ServeSetting.STORE ? "" : " '" + value.text() + "'";
            String why = e instanceof NumberFormatException
                    ? "it must be a whole number"
                    : e.getMessage();
            throw new IllegalArgumentException(value.source() + shown + ": " + why, e);
        }
    }
}
