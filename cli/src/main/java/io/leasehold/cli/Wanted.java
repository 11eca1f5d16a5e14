// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.model.Claim;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
import io.leasehold.spi.Limits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that say what to lock, and how. */
final class Wanted {

    @Option(
            names = "--lock",
            paramLabel = "NAME",
            description = "The lock to take; may be repeated, all or none are taken.")
    private List<String> names = new ArrayList<>();

    @Option(
            names = "--scope",
            paramLabel = "SCOPE",
            converter = ScopeConverter.class,
            description = "Another kind of lock: path:/var/data, subtree:/var, inode:4711 or"
                    + " range:4711:0-4096; may be repeated.")
    private List<Scope> scopes = new ArrayList<>();

    @Option(names = "--shared", description = "Share the lock with others who do; else exclusive.")
    private boolean shared;

    @Option(
            names = "--ttl",
            paramLabel = "TIME",
            defaultValue = "30s",
            converter = DurationConverter.class,
            description = "For how long it outlives its holder, 100ms to 24h. Default: 30s")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Duration ttl;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    /** What is to be locked. */
    Claim claim() {
        try {
            List<Scope> all = new ArrayList<>();
            for (String name : names) {
                all.add(Scope.name(name));
            }
            all.addAll(scopes);
            if (all.isEmpty()) {
                throw usage("say what to lock: --lock NAME, or --scope SCOPE");
            }
            return new Claim(all, shared ? Mode.SHARED : Mode.EXCLUSIVE);
        } catch (IllegalArgumentException e) {
            throw usage(String.valueOf(e.getMessage()));
        }
    }

    Duration ttl() {
        return checked(spec, () -> Limits.ttl(ttl));
    }

    /** What a check of the library returns; what it refuses is wrong usage. */
    static <T> T checked(CommandSpec spec, java.util.function.Supplier<T> check) {
        try {
            return check.get();
        } catch (IllegalArgumentException | LeaseholdException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
