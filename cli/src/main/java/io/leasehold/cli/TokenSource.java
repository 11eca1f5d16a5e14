// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Which tokens a command is about. */
final class TokenSource {

    @Option(
            names = "--file",
            paramLabel = "FILE",
            description = "The token file of a server, which takes up the change by itself; no"
                    + " server is called.")
    private @Nullable Path file;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Connection connection;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    Tokens open() {
        return file == null ? new Tokens.OfServer(connection.api()) : new TokensInFile(file);
    }

    /** What is refused because of how it was asked for is wrong usage. */
    <T> T checked(java.util.function.Supplier<T> call) {
        try {
            return call.get();
        } catch (IllegalArgumentException e) {
            throw new picocli.CommandLine.ParameterException(
                    spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }
}
