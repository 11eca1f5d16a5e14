// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
import io.leasehold.spi.Grant;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Where the lease of a script is kept: a file, or the environment. Never the command line, which
 * everybody on the machine can read.
 */
final class LeaseSource {

    private static final Duration DEFAULT_TTL = Duration.ofSeconds(30);

    @Option(
            names = "--lease-file",
            paramLabel = "FILE",
            description = "The file that keeps the lease with its secret; only its owner can read"
                    + " it. Without it: what 'acquire --export' has set in the environment.")
    private @Nullable Path path;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    private Map<String, String> environment = System.getenv();

    Optional<LeaseFile> file() {
        return Optional.ofNullable(path).map(LeaseFile::new);
    }

    /** The id of the environment, if there is one. */
    Optional<LeaseId> id() {
        String id = environment.getOrDefault(LeaseFile.ID_VARIABLE, "");
        return id.isEmpty()
                ? Optional.empty()
                : Optional.of(Wanted.checked(spec, () -> LeaseId.parse(id)));
    }

    /** The lease. */
    LeaseFile.Kept read() {
        if (path != null) {
            try {
                return new LeaseFile(path).read();
            } catch (IOException e) {
                throw usage("can't read the lease in " + path + ": " + FileErrors.words(e));
            }
        }
        LeaseId id = id().orElseThrow(() -> usage(
                "say which lease: --lease-file FILE, or LEASEHOLD_LEASE_ID in the environment"));
        return Wanted.checked(
                spec, () -> new LeaseFile.Kept(fromEnvironment(id), Optional.empty()));
    }

    private Grant fromEnvironment(LeaseId id) {
        FencingToken token = new TokenConverter().convert(needed("LEASEHOLD_TOKEN"));
        List<Scope> scopes = new ArrayList<>();
        for (String scope : needed("LEASEHOLD_SCOPE").split("\n", -1)) {
            scopes.add(Scope.parse(scope));
        }
        boolean shared = environment.getOrDefault("LEASEHOLD_MODE", "").equals("shared");
        Claim claim = new Claim(scopes, shared ? Mode.SHARED : Mode.EXCLUSIVE);
        return new Grant(new Holding(claim, ThisCommand.holder(), token), id, DEFAULT_TTL);
    }

    private String needed(String variable) {
        String value = environment.getOrDefault(variable, "");
        if (value.isEmpty()) {
            throw usage(variable + " is not set: it belongs to LEASEHOLD_LEASE_ID");
        }
        return value;
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
