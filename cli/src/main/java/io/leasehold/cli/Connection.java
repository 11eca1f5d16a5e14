// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.http.ServerAddress;
import io.leasehold.cli.http.ServerApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that say what a command works on. Each may also be set in the environment. */
final class Connection {

    static final String DEFAULT_SERVER = "http://127.0.0.1:5327";

    @Option(
            names = "--server",
            paramLabel = "URL",
            description = {
                "The server; LEASEHOLD_SERVER in the environment.",
                "Default: " + DEFAULT_SERVER
            })
    private @Nullable String server;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "A file with the bearer token to show; LEASEHOLD_TOKEN_FILE.")
    private @Nullable String tokenFile;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description = "PEM certificates to trust, for https; LEASEHOLD_CA.")
    private @Nullable String authorities;

    @Option(
            names = "--insecure",
            description = "Show the token even where it can be overheard: by http to another host.")
    private boolean insecure;

    @Option(
            names = "--namespace",
            paramLabel = "NAME",
            description = "The namespace; LEASEHOLD_NAMESPACE. Default: default")
    private @Nullable String namespace;

    @Option(
            names = "--store",
            paramLabel = "STORE",
            description = "Work on an engine without a server: memory,"
                    + " journal:DIR, redis://HOST:PORT or quorum:redis://A,redis://B,redis://C.")
    private @Nullable String store;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    private Map<String, String> environment = System.getenv();

    Backend open() {
        Setting engine = store();
        if (engine.isSet()) {
            return EngineBackend.open(spec, engine.value(), namespace().value());
        }
        return new ServerBackend(api(), namespace().value());
    }

    /** The server, for what an engine does not have. */
    ServerApi api() {
        try {
            ServerAddress address =
                    ServerAddress.parse(server().value(), token(), file(authorities()));
            if (address.isInTheClear() && !insecure) {
                throw usage("the token would cross the network in the clear: use https, or say"
                        + " --insecure");
            }
            return ServerApi.at(address);
        } catch (IllegalArgumentException e) {
            throw usage(String.valueOf(e.getMessage()));
        }
    }

    /** All of them, in the order of the help, without secrets. */
    List<Setting> settings() {
        Setting engine = store();
        Setting shown = engine.isSet()
                ? new Setting("store", Engines.printable(engine.value()), engine.source())
                : engine;
        return List.of(server(), tokenFile(), authorities(), namespace(), shown);
    }

    Setting server() {
        return Setting.of("server", given("server", server), environment, DEFAULT_SERVER);
    }

    Setting tokenFile() {
        return Setting.of("token-file", given("token-file", tokenFile), environment, "");
    }

    /** Not from the environment: LEASEHOLD_STORE is the store of the server that runs here. */
    Setting store() {
        return Setting.of("store", given("store", store), Map.of(), "");
    }

    Setting namespace() {
        return Setting.of("namespace", given("namespace", namespace), environment, "default");
    }

    /** What is given is not empty: that is most likely a variable that nobody has set. */
    private @Nullable String given(String name, @Nullable String value) {
        if (value != null && value.isBlank()) {
            throw usage("--" + name + " is empty: give it a value, or leave it out");
        }
        return value;
    }

    private Setting authorities() {
        return Setting.of("ca", given("ca", authorities), environment, "");
    }

    private static Optional<Path> file(Setting setting) {
        return setting.isSet() ? Optional.of(Path.of(setting.value())) : Optional.empty();
    }

    private String token() {
        Setting file = tokenFile();
        if (!file.isSet()) {
            return "";
        }
        try {
            String token = Files.readString(Path.of(file.value())).strip();
            if (token.isEmpty() || token.chars().anyMatch(c -> c <= ' ' || c >= 0x7f)) {
                throw usage(file.value() + " holds no token");
            }
            return token;
        } catch (IOException e) {
            throw usage("can't read the token in " + file.value() + ": " + FileErrors.words(e));
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
